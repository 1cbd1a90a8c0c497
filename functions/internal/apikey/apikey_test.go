package apikey_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/functions/internal/apikey"
)

func TestTenant(t *testing.T) {
	s := bolt.New(filepath.Join(t.TempDir(), "c.db"), time.Now, bolt.Options{})
	issue := func(tenant catalog.TenantID) string {
		text, key, err := apikey.Issue(rand.Reader, tenant, "CI", time.Now())
		if err == nil {
			err = s.PutKey(t.Context(), key)
		}
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good, revoked, other := issue("acme"), issue("acme"), issue("acme-2")
	id := catalog.KeyID(strings.Split(revoked, "_")[2])
	if err := s.RevokeKey(t.Context(), "acme", id, time.Now()); err != nil {
		t.Fatal(err)
	}
	last := good[len(good)-1]
	wrong := good[:len(good)-1] + string("01"[(last-'0')&1^1])
	for name, row := range map[string]struct {
		header string
		want   catalog.TenantID // "" if it is refused
	}{
		"good":                         {"Bearer " + good, "acme"},
		"the scheme in any case":       {"bearer " + good, "acme"},
		"another tenant's":             {"Bearer " + other, "acme-2"},
		"nothing":                      {"", ""},
		"another scheme":               {"Basic " + good, ""},
		"without a scheme":             {good, ""},
		"revoked":                      {"Bearer " + revoked, ""},
		"one digit wrong":              {"Bearer " + wrong, ""},
		"cut":                          {"Bearer " + good[:len(good)-2], ""},
		"of a tenant it is not of":     {"Bearer " + strings.Replace(good, "acme", "acme-2", 1), ""},
		"of a tenant that is not one":  {"Bearer " + strings.Replace(good, "acme", "A/..", 1), ""},
		"unknown, with a secret of 0s": {"Bearer tw_acme_0000000000_" + strings.Repeat("0", 64), ""},
	} {
		got, err := apikey.Tenant(t.Context(), s, row.header)
		if got != row.want || (err == nil) != (row.want != "") || err != nil && !errors.Is(err, apikey.ErrNone) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, row.want)
		}
	}
}

// down is a store that can't be reached.
type down struct{}

func (down) Key(context.Context, catalog.TenantID, catalog.KeyID) (catalog.APIKey, error) {
	return catalog.APIKey{}, errors.New("connection refused")
}

func TestStoreThatIsDownIsNoRefusal(t *testing.T) {
	text, _, err := apikey.Issue(rand.Reader, "acme", "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apikey.Tenant(t.Context(), down{}, "Bearer "+text); err == nil || errors.Is(err, apikey.ErrNone) {
		t.Errorf("got %v, want the store's error", err)
	}
}

func TestSecretIsNotKept(t *testing.T) {
	text, key, err := apikey.Issue(rand.Reader, "acme", "CI", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	secret := text[strings.LastIndex(text, "_")+1:]
	if len(secret) != 64 || strings.Contains(string(key.ID)+key.Label+string(key.Hash[:]), secret) {
		t.Errorf("of the secret of %d digits something is kept in %+v", len(secret), key)
	}
	if _, _, err := apikey.Issue(rand.Reader, "Not a tenant", "", time.Now()); err == nil {
		t.Error("a key for no tenant is no error")
	}
	if _, _, err := apikey.Issue(strings.NewReader("short"), "acme", "", time.Now()); err == nil {
		t.Error("a key without enough randomness is no error")
	}
}
