package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	runtime "github.com/aws/aws-lambda-go/lambda"
	"github.com/slack-go/slack"
	"go.yaml.in/yaml/v4"

	"github.com/tierwise/tierwise/functions/internal/bot"
)

const secret = "a signing secret"

// signed is a slash command as a Lambda runtime hands it over.
func signed(t *testing.T, body string) []byte {
	t.Helper()
	stamp := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	e := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: bot.CommandPath, Body: base64.StdEncoding.EncodeToString([]byte(body)), IsBase64Encoded: true,
		Headers: map[string]string{"x-slack-request-timestamp": stamp, "x-slack-signature": "v0=" + hex.EncodeToString(mac.Sum(nil))},
	}
	e.RequestContext.HTTP.Method = http.MethodPost
	event, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return event
}

// serve makes a function whose Lambda API is at a handler, and gives it an event.
func serve(t *testing.T, api http.HandlerFunc, event []byte) events.APIGatewayV2HTTPResponse {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	f, err := newFunction(slog.New(slog.DiscardHandler), func(name string) string {
		return map[string]string{bot.SecretVariable: secret, "AWS_LAMBDA_FUNCTION_NAME": "tierwise-slack", "AWS_REGION": "eu-west-1",
			"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_ENDPOINT_URL_LAMBDA": server.URL}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	output, err := runtime.NewHandler(f.Serve).Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	var answer events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal(output, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// unasked is a Lambda API that nobody should ask.
func unasked(t *testing.T) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) { t.Errorf("Lambda was asked %s", r.URL) }
}

// The function answers the bytes that a Lambda runtime hands it.
func TestFunction(t *testing.T) {
	answer := serve(t, unasked(t), signed(t, "text=help&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2F1"))
	var message slack.Msg
	if err := json.Unmarshal([]byte(answer.Body), &message); err != nil || answer.StatusCode != 200 || len(message.Blocks.BlockSet) == 0 {
		t.Errorf("status %d, %v: %s", answer.StatusCode, err, answer.Body)
	}
	if answer := serve(t, unasked(t), []byte(strings.Replace(string(signed(t, "text=help")), "v0=", "v0=00", 1))); answer.StatusCode != 401 {
		t.Errorf("a bad signature: status %d", answer.StatusCode)
	}
}

// What was put off is an event that names itself so, and answered like one.
func TestDeferred(t *testing.T) {
	event := `{"deferred": ` + string(signed(t, "text=7b+lora&response_url=https%3A%2F%2Fexample.com")) + `}`
	if answer := serve(t, unasked(t), []byte(event)); answer.StatusCode != 400 || !strings.Contains(answer.Body, "response_url") {
		t.Errorf("status %d, want 400 for a message posted elsewhere: %s", answer.StatusCode, answer.Body)
	}
}

// The function invokes itself asynchronously with the event that was put off.
func TestAgain(t *testing.T) {
	var path, kind string
	var sent payload
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, kind = r.URL.Path, r.Header.Get("X-Amz-Invocation-Type")
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	environment := map[string]string{"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_ENDPOINT_URL_LAMBDA": server.URL}
	x := itself{client: newClient(func(name string) string { return environment[name] }), name: "tierwise-slack"}
	if err := x.Again(t.Context(), events.APIGatewayV2HTTPRequest{RawPath: bot.ActionPath, Body: "Ym9keQ==", IsBase64Encoded: true}); err != nil {
		t.Fatal(err)
	}
	if path != "/2015-03-31/functions/tierwise-slack/invocations" || kind != "Event" || sent.Deferred == nil || sent.Deferred.Body != "Ym9keQ==" {
		t.Errorf("got %s, type %q, %+v", path, kind, sent.Deferred)
	}
	server.Close()
	if err := x.Again(t.Context(), events.APIGatewayV2HTTPRequest{}); err == nil {
		t.Error("no error without Lambda's API")
	}
}

// A secret is read once, and again only after a failure.
func TestRemembered(t *testing.T) {
	reads := 0
	read := remembered(func(context.Context) (string, error) {
		if reads++; reads == 1 {
			return "", errors.New("not yet")
		}
		return "s", nil
	})
	for range 4 {
		_, _ = read(t.Context())
	}
	if got, err := read(t.Context()); got != "s" || err != nil || reads != 2 {
		t.Errorf("got %q, %v after %d reads, want 2", got, err, reads)
	}
}

// The manifest sends Slack to the routes that there are.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Display  struct{ Name string } `yaml:"display_information"`
		Features struct {
			Commands []struct{ Command, URL string } `yaml:"slash_commands"`
		}
		OAuth    struct{ Scopes struct{ Bot []string } } `yaml:"oauth_config"`
		Settings struct {
			Interactivity struct {
				Enabled bool   `yaml:"is_enabled"`
				URL     string `yaml:"request_url"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if c := manifest.Features.Commands; len(c) != 1 || c[0].Command != "/tierwise" || !strings.HasSuffix(c[0].URL, bot.CommandPath) {
		t.Errorf("commands are %v", c)
	}
	if i := manifest.Settings.Interactivity; !i.Enabled || !strings.HasSuffix(i.URL, bot.ActionPath) {
		t.Errorf("interactivity is %+v", i)
	}
	if scopes := manifest.OAuth.Scopes.Bot; len(scopes) != 1 || scopes[0] != "commands" || manifest.Display.Name == "" {
		t.Errorf("scopes are %v: want only what is needed", scopes)
	}
}
