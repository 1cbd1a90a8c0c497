package stack_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/bot"
)

// slashCommand is the recorded event with a command that Slack signed some time ago.
func slashCommand(t *testing.T, secret, form string, ago time.Duration) events.APIGatewayV2HTTPRequest {
	t.Helper()
	e := event(t, "POST "+bot.CommandPath, "", form)
	stamp := fmt.Sprint(time.Now().Add(-ago).Unix())
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, form)
	e.Headers["content-type"] = "application/x-www-form-urlencoded"
	e.Headers["x-slack-request-timestamp"] = stamp
	e.Headers["x-slack-signature"] = "v0=" + hex.EncodeToString(mac.Sum(nil))
	e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(form)), true
	return e
}

// A command that comes too late to be answered in Slack's time is acknowledged; the
// function invokes itself with it, and takes the event that it sent.
func TestSelfInvocation(t *testing.T) {
	secret, asked := rand.Text(), make(chan []byte, 1)
	itself := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.HasSuffix(r.URL.Path, "/invocations") || r.Header.Get("X-Amz-Invocation-Type") != "Event" {
			t.Errorf("got %s of type %q, want an asynchronous invocation", r.URL.Path, r.Header.Get("X-Amz-Invocation-Type"))
		}
		asked <- body
		w.WriteHeader(http.StatusAccepted)
	}))
	defer itself.Close()
	t.Setenv(bot.SecretVariable, secret)
	t.Setenv("AWS_ENDPOINT_URL_LAMBDA", itself.URL)
	table, _ := publishedSeed(t)
	seen := watch(t)
	l := start(t, build(t, "slack"), table, seen.url)
	var answer events.APIGatewayV2HTTPResponse
	l.invoke(t, slashCommand(t, secret, "text=cheapest+7B+fine-tune&response_url=https%3A%2F%2Fexample.com%2F1", 5*time.Second), &answer)
	var deferred json.RawMessage
	select {
	case deferred = <-asked:
	case <-time.After(5 * time.Second):
		t.Fatalf("it did not invoke itself: status %d: %.300s", answer.StatusCode, answer.Body)
	}
	if answer.StatusCode != http.StatusOK {
		t.Errorf("a command: status %d: %s", answer.StatusCode, answer.Body)
	}
	l.invoke(t, deferred, &answer)
	if answer.StatusCode != http.StatusBadRequest || !strings.Contains(answer.Body, "response_url") {
		t.Errorf("its own event: status %d, want 400 for a message posted elsewhere: %s", answer.StatusCode, answer.Body)
	}
	l.invoke(t, slashCommand(t, "another secret", "text=help", 0), &answer)
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a forged signature: status %d: %s", answer.StatusCode, answer.Body)
	}
	if log := l.String(); strings.Contains(log, secret) || strings.Contains(log, "fine-tune") {
		t.Errorf("the log has the secret or the question: %s", log)
	}
	checkDeeds(t, "slack", permissions(t)["slack"], seen.deeds())
	misuse(t, "slack", l, secret)
}

// An agent's call of a tool carries the answer of the API.
func TestToolCall(t *testing.T) {
	baseline, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	table, _ := publishedSeed(t)
	seen := watch(t)
	l := start(t, build(t, "mcp"), table, seen.url)
	e := event(t, "POST /v1/mcp", "", `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "offers", "arguments": {"gpu": ["L4"], "limit": 1}}}`)
	e.Headers["accept"] = "application/json, text/event-stream"
	var answer events.APIGatewayV2HTTPResponse
	if l.invoke(t, e, &answer); answer.StatusCode != http.StatusOK || !strings.Contains(answer.Body, string(baseline.Version())) {
		t.Errorf("status %d: %.300s", answer.StatusCode, answer.Body)
	}
	checkDeeds(t, "mcp", permissions(t)["mcp"], seen.deeds())
	misuse(t, "mcp", l, "jsonrpc")
}
