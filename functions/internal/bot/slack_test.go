package bot

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

const secret = "8f742231b10e8888abcd99yyyzzz85a5"

// fakeSlack signs requests as Slack does, and takes what is posted to its hooks. It is
// the later invocation, too.
type fakeSlack struct {
	t      testing.TB
	now    time.Time
	bot    *Bot
	router *apigw.Router
	hooks  *httptest.Server
	log    bytes.Buffer
	fails  int // status of the hooks; 0 = they work

	mu     sync.Mutex
	posted []map[string]any
	waits  []events.APIGatewayV2HTTPRequest
	lost   bool // the later invocation can't be had
}

// start makes a bot over the small catalogue, and a Slack around it.
func start(t testing.TB, slow time.Duration) *fakeSlack {
	t.Helper()
	s, err := seed.Read(os.DirFS("../../testdata/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeSlack{t: t, now: time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC)}
	f.hooks = httptest.NewTLSServer(http.HandlerFunc(f.hook))
	t.Cleanup(f.hooks.Close)
	charts, err := endpoint.NewCharts(strings.Repeat("key", 20))
	if err != nil {
		t.Fatal(err)
	}
	f.bot = New(Config{
		Secret: func(context.Context) (string, error) { return secret, nil },
		Now:    func() time.Time { return f.now },
		Later:  f, Hooks: Hooks{Client: f.hooks.Client(), Host: strings.TrimPrefix(f.hooks.URL, "https://")},
		Base: "https://api.example.com",
	})
	plans := endpoint.NewRecommend(engine.New(s), func() time.Time { return f.now }).With(charts)
	f.router = apigw.NewRouter(slog.New(slog.NewTextHandler(&f.log, nil)), func() time.Time { return f.now }, f.bot.Routes(slowly{plans, f, slow})...)
	return f
}

// slowly is a planner that takes its time.
type slowly struct {
	Planner
	fake  *fakeSlack
	takes time.Duration
}

func (s slowly) Plans(r *apigw.Request) (schemas.RecommendResponse, error) {
	s.fake.now = s.fake.now.Add(s.takes)
	return s.Planner.Plans(r)
}

// Again keeps an event for the later invocation.
func (f *fakeSlack) Again(_ context.Context, event events.APIGatewayV2HTTPRequest) error {
	if f.lost {
		return errors.New("no invocation")
	}
	f.waits = append(f.waits, event)
	return nil
}

// hook takes a message.
func (f *fakeSlack) hook(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fails != 0 {
		w.WriteHeader(f.fails)
		return
	}
	body, _ := io.ReadAll(r.Body)
	message := make(map[string]any)
	if err := json.Unmarshal(body, &message); err != nil || r.Method != http.MethodPost {
		f.t.Errorf("posted %s %s: %v", r.Method, body, err)
	}
	checkLimits(f.t, message)
	f.posted = append(f.posted, message)
}

// sign is the signature of a body at a time, by Slack's description of it.
func sign(key, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	return "v0=" + hex.EncodeToString(mac.Sum(nil))
}

// event is a signed request as API Gateway sends it: the body of a form in base64.
func (f *fakeSlack) event(path string, form url.Values) events.APIGatewayV2HTTPRequest {
	body := []byte(form.Encode())
	stamp := strconv.FormatInt(f.now.Unix(), 10)
	e := events.APIGatewayV2HTTPRequest{
		RawPath: path, Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
		Headers: map[string]string{
			"content-type": "application/x-www-form-urlencoded", "x-slack-request-timestamp": stamp, "x-slack-signature": sign(secret, stamp, body),
		},
	}
	e.RequestContext.HTTP.Method = http.MethodPost
	return e
}

// send serves an event, and returns the message in the answer; nil if it is empty.
func (f *fakeSlack) send(ctx context.Context, e events.APIGatewayV2HTTPRequest) (status int, message map[string]any) {
	f.t.Helper()
	answer, err := f.router.Serve(ctx, e)
	if err != nil {
		f.t.Fatal(err)
	}
	if answer.Body != "" {
		if err := json.Unmarshal([]byte(answer.Body), &message); err != nil {
			f.t.Fatalf("%v: %s", err, answer.Body)
		}
	}
	if answer.StatusCode == http.StatusOK && message != nil {
		checkLimits(f.t, message)
	}
	return answer.StatusCode, message
}

// command types a slash command.
func (f *fakeSlack) command(text string) map[string]any {
	f.t.Helper()
	status, message := f.send(f.t.Context(), f.event(CommandPath, url.Values{
		"command": {"/tierwise"}, "text": {text}, "response_url": {f.hooks.URL + "/commands/T1/2/3"}, "team_id": {"T1"}, "user_id": {"U1"},
	}))
	if status != http.StatusOK {
		f.t.Fatalf("%s: status %d: %v", text, status, message)
	}
	return message
}

// press presses a button of a message, and returns what is posted.
func (f *fakeSlack) press(message map[string]any, button string) map[string]any {
	f.t.Helper()
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "response_url": f.hooks.URL + "/actions/T1/2/3", "team": map[string]any{"id": "T1"},
		"actions": []any{map[string]any{"type": "button", "action_id": button, "block_id": "tierwise", "value": buttonsOf(f.t, message)[button]}},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	before := len(f.posted)
	status, answer := f.send(f.t.Context(), f.event(ActionPath, url.Values{"payload": {string(payload)}}))
	if status != http.StatusOK || answer != nil || len(f.posted) != before+1 {
		f.t.Fatalf("%s: status %d, answer %v, %d messages posted, log %s", button, status, answer, len(f.posted)-before, &f.log)
	}
	return f.posted[before]
}

// blocksOf are the blocks of a message.
func blocksOf(message map[string]any) []map[string]any {
	list, _ := message["blocks"].([]any)
	var blocks []map[string]any
	for _, b := range list {
		block, _ := b.(map[string]any)
		blocks = append(blocks, block)
	}
	return blocks
}

// buttonsOf are the values of a message's buttons.
func buttonsOf(t testing.TB, message map[string]any) map[string]string {
	t.Helper()
	values := make(map[string]string)
	for _, b := range blocksOf(message) {
		elements, _ := b["elements"].([]any)
		for _, e := range elements {
			element, _ := e.(map[string]any)
			if element["type"] == "button" {
				values[element["action_id"].(string)] = element["value"].(string)
			}
		}
	}
	if len(values) != 5 {
		t.Errorf("got %d buttons, want 5", len(values))
	}
	return values
}

// textOf is everything that a message says.
func textOf(message map[string]any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(message)
	return out.String()
}

// checkLimits tests a message against what Slack's reference of Block Kit allows.
func checkLimits(t testing.TB, message map[string]any) {
	t.Helper()
	long := func(what string, text any, least, most int) {
		if n := utf8.RuneCountInString(fmt.Sprint(text)); n < least || n > most {
			t.Errorf("%s has %d characters, Slack takes %d to %d: %v", what, n, least, most, text)
		}
	}
	texts := func(v any) any { object, _ := v.(map[string]any); return object["text"] }
	if message["text"] == nil || message["text"] == "" {
		t.Error("a message without a text")
	}
	blocks := blocksOf(message)
	if len(blocks) > 50 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, b := range blocks {
		fields, _ := b["fields"].([]any)
		elements, _ := b["elements"].([]any)
		switch b["type"] {
		case "header":
			long("header", texts(b["text"]), 1, 150)
		case "section":
			long("section", texts(b["text"]), 1, 3000)
			if len(fields) > 10 {
				t.Errorf("%d fields", len(fields))
			}
			for _, x := range fields {
				long("field", texts(x), 1, 2000)
			}
		case "image":
			long("image_url", b["image_url"], 10, 3000)
			long("alt_text", b["alt_text"], 1, 2000)
		case "context":
			if len(elements) == 0 || len(elements) > 10 {
				t.Errorf("%d elements of a context", len(elements))
			}
			for _, x := range elements {
				long("context", texts(x), 1, 3000)
			}
		case "actions":
			if len(elements) == 0 || len(elements) > 25 {
				t.Errorf("%d elements of actions", len(elements))
			}
			ids := make(map[any]bool)
			for _, x := range elements {
				e, _ := x.(map[string]any)
				long("button", texts(e["text"]), 1, 75)
				long("value", e["value"], 1, 2000)
				long("action_id", e["action_id"], 1, 255)
				if ids[e["action_id"]] {
					t.Errorf("two buttons are %v", e["action_id"])
				}
				ids[e["action_id"]] = true
			}
		default:
			t.Errorf("a block of type %v", b["type"])
		}
	}
}
