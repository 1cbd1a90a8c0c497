package supply_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/functions/internal/supply"
)

func TestWithoutTable(t *testing.T) {
	e := supply.Environment{Getenv: func(string) string { return "" }, Now: time.Now, Random: bytes.NewReader(nil)}
	if _, err := supply.Store(e); err == nil {
		t.Error("a store without a table is no error")
	}
	view, err := supply.Mirror(e).Latest(t.Context())
	if err != nil || view.Stale || len(view.Snapshot.Offers()) == 0 {
		t.Errorf("the baseline alone is stale %v, %v", view.Stale, err)
	}
}

func TestSecret(t *testing.T) {
	var asked []string
	secrets := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Header.Get("X-Amz-Target")+" "+string(body))
		if strings.Contains(string(body), "vast-key") {
			_, _ = io.WriteString(w, `{"Name": "vast-key", "SecretString": "s-2"}`)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type": "ResourceNotFoundException", "message": "no"}`)
	}))
	defer secrets.Close()
	variables := map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s-9", "AWS_ENDPOINT_URL_SECRETS_MANAGER": secrets.URL,
		"LAMBDALABS_KEY": "s-1", "VAST_KEY_SECRET": "vast-key", "OTHER_KEY_SECRET": "other",
	}
	e := supply.Environment{Getenv: func(name string) string { return variables[name] }, Now: time.Now}
	for variable, want := range map[string]string{"LAMBDALABS_KEY": "s-1", "VAST_KEY": "s-2", "NO_KEY": ""} {
		if got, err := supply.Secret(t.Context(), e, variable); got != want || err != nil {
			t.Errorf("%s is %q, %v, want %q", variable, got, err, want)
		}
	}
	if _, err := supply.Secret(t.Context(), e, "OTHER_KEY"); err == nil || !strings.Contains(err.Error(), "other") || strings.Contains(err.Error(), "s-9") {
		t.Errorf("a secret that is not there: %v", err)
	}
	if len(asked) != 2 || !strings.HasPrefix(asked[0], "secretsmanager.GetSecretValue ") {
		t.Errorf("asked %q", asked)
	}
}
