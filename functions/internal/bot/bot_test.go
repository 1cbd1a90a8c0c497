package bot

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/tierwise/tierwise/schemas"
)

func TestCommand(t *testing.T) {
	f := start(t, 0)
	message := f.command("7b lora")
	if message["response_type"] != "in_channel" {
		t.Errorf("got %v, want an answer for the channel", message["response_type"])
	}
	text := textOf(message)
	for _, want := range []string{"USD", "hours expected", "Understood", "workload.kind finetune", "Stages", "train", "Cost in USD", "instance", "total", "Why", "a price has no date", "catalogue ",
		`"image_url":"https://api.example.com/v1/charts/`, "Cheaper", "Faster", "No spot", "EU only", "Details"} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, text)
		}
	}
	if len(f.posted)+len(f.waits) != 0 {
		t.Errorf("%d posted and %d put off, want the answer at once", len(f.posted), len(f.waits))
	}
}

func TestCommandInChinese(t *testing.T) {
	text := textOf(start(t, 0).command("最便宜的7B微调"))
	for _, want := range []string{"预计", "小时", "费用", "阶段", "更便宜", "仅限欧盟"} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, text)
		}
	}
}

func TestHelp(t *testing.T) {
	f := start(t, 0)
	for _, text := range []string{"", "help", " HELP ", "?", "帮助"} {
		message := f.command(text)
		if message["response_type"] != "ephemeral" || !strings.Contains(textOf(message), "/tierwise ") {
			t.Errorf("%q: got %s", text, textOf(message))
		}
	}
}

// An error says what was read, what was not, and what to type.
func TestErrorsTeach(t *testing.T) {
	f := start(t, 0)
	for _, c := range []struct{ text, want string }{
		{"fientune 7b", "Did you mean `finetune`"},
		{"make me a sandwich", "names neither a kind of work"},
		{"finetune", "add \\\"7B\\\""},
		{"render 100 frames", "90 seconds per frame"},
		{"finetune 7b &lt;script&gt; &amp;", `"&lt;\", \"script\"`},
		{strings.Repeat("a", 1200), "longer than"},
		{"微调", "试试"},
	} {
		message := f.command(c.text)
		if !strings.Contains(textOf(message), c.want) {
			t.Errorf("%q: want %q in %s", c.text, c.want, textOf(message))
		}
	}
}

func TestNoPlan(t *testing.T) {
	message := start(t, 0).command("7b lora under $0.01")
	if text := textOf(message); message["response_type"] != "ephemeral" || !strings.Contains(text, "No plan meets") || !strings.Contains(text, "Nearest") {
		t.Errorf("got %s", text)
	}
}

func TestButtons(t *testing.T) {
	f := start(t, 0)
	message := f.command("7b lora")
	for _, c := range []struct{ button, want string }{
		{noSpot, `purchase_models on_demand`},
		{euOnly, `countries EU`},
		{faster, `deadline_hours`},
		{cheaper, `objective cost`},
	} {
		posted := f.press(message, c.button)
		if text := textOf(posted); !strings.Contains(text, c.want) {
			t.Errorf("%s: want %s in %s", c.button, c.want, text)
		}
		if header := blocksOf(posted)[0]["type"]; header == "header" && strings.Contains(textOf(posted), "hours expected") && posted["replace_original"] != true {
			t.Errorf("%s: a plan that replaces nothing", c.button)
		}
	}
	full := f.press(message, details)
	for _, want := range []string{"```", "Assumed", "Prices", "Alternatives", "total"} {
		if !strings.Contains(textOf(full), want) {
			t.Errorf("details lack %q:\n%s", want, textOf(full))
		}
	}
	if full["replace_original"] == true || full["response_type"] != "ephemeral" {
		t.Errorf("details replace the plan, or are for all: %v", full["response_type"])
	}
}

// Buttons can be pressed one after the other.
func TestButtonsAddUp(t *testing.T) {
	f := start(t, 0)
	message := f.press(f.press(f.command("7b lora"), noSpot), noSpot)
	if text := textOf(message); !strings.Contains(text, "purchase_models on_demand") || strings.Contains(text, "on_demand|") {
		t.Errorf("got %s", text)
	}
}

func TestChanges(t *testing.T) {
	request := schemas.RecommendRequest{Objective: "time", Constraints: &schemas.Constraints{PurchaseModels: []string{"spot"}, Countries: []string{"US"}, Regions: []string{"x"}}}
	s := state{Request: request, Hours: "10"}
	if got, _ := s.changed(cheaper); got.Objective != "cost" || !slices.Equal(got.Constraints.PurchaseModels, []string{"on_demand", "spot"}) {
		t.Errorf("cheaper: got %+v", got)
	}
	if got, _ := s.changed(faster); *got.Constraints.DeadlineHours != "7" || got.Objective != "cost" {
		t.Errorf("faster: got %+v", got)
	}
	if got, _ := s.changed(noSpot); !slices.Equal(got.Constraints.PurchaseModels, []string{"on_demand"}) {
		t.Errorf("no spot: got %+v", got.Constraints)
	}
	if got, _ := s.changed(euOnly); !slices.Equal(got.Constraints.Countries, []string{"EU"}) || got.Constraints.Regions != nil {
		t.Errorf("EU only: got %+v", got.Constraints)
	}
	if request.Constraints.DeadlineHours != nil || request.Constraints.Countries[0] != "US" {
		t.Error("a change reached the request that it was made of")
	}
}

// An answer that would come too late is acknowledged, and posted by the later
// invocation.
func TestSlowAnswers(t *testing.T) {
	f := start(t, 0)
	f.bot.pace.note(4 * time.Second)
	message := f.command("7b lora")
	if text := textOf(message); message["response_type"] != "ephemeral" || !strings.Contains(text, "Working it out") || len(f.waits) != 1 || len(f.posted) != 0 {
		t.Fatalf("%d put off, %d posted: %s", len(f.waits), len(f.posted), text)
	}
	if status, answer := f.send(Deferred(t.Context()), f.waits[0]); status != http.StatusOK || answer != nil || len(f.posted) != 1 {
		t.Fatalf("later: status %d, %v, %d posted: %s", status, answer, len(f.posted), &f.log)
	}
	if !strings.Contains(textOf(f.posted[0]), "hours expected") {
		t.Errorf("posted %s", textOf(f.posted[0]))
	}
}

// What arrives late is put off however fast answers are.
func TestLateRequests(t *testing.T) {
	f := start(t, 0)
	f.bot.pace.note(100 * time.Millisecond)
	e := f.event(CommandPath, url.Values{"text": {"7b lora"}, "response_url": {f.hooks.URL}})
	f.now = f.now.Add(2450 * time.Millisecond)
	if _, message := f.send(t.Context(), e); !strings.Contains(textOf(message), "Working it out") || len(f.waits) != 1 {
		t.Errorf("got %s", textOf(message))
	}
}

// An answer that took longer than was to be expected is posted too.
func TestAnswersThatTakeTooLong(t *testing.T) {
	f := start(t, 3*time.Second)
	if message := f.command("7b lora"); message != nil || len(f.posted) != 1 {
		t.Errorf("got %v, %d posted", message, len(f.posted))
	}
}

// Without another invocation the answer is worked out at once.
func TestNoLaterInvocation(t *testing.T) {
	f := start(t, 0)
	f.lost = true
	f.bot.pace.note(4 * time.Second)
	if text := textOf(f.command("7b lora")); !strings.Contains(text, "hours expected") {
		t.Errorf("got %s", text)
	}
}

func TestSlowButtons(t *testing.T) {
	f := start(t, 0)
	message := f.command("7b lora")
	f.bot.pace.note(4 * time.Second)
	payload := `{"type":"block_actions","response_url":` + strconv.Quote(f.hooks.URL) + `,"actions":[{"type":"button","action_id":"details","block_id":"b","value":` + strconv.Quote(buttonsOf(t, message)[details]) + `}]}`
	if status, answer := f.send(t.Context(), f.event(ActionPath, url.Values{"payload": {payload}})); status != http.StatusOK || answer != nil || len(f.waits) != 1 || len(f.posted) != 0 {
		t.Errorf("status %d, %v, %d put off, %d posted", status, answer, len(f.waits), len(f.posted))
	}
}

// Only what Slack signed, over these very bytes and just now, is answered.
func TestSignatures(t *testing.T) {
	f := start(t, 0)
	form := url.Values{"text": {"help"}}
	body := []byte(form.Encode())
	stamp := strconv.FormatInt(f.now.Unix(), 10)
	at := func(d time.Duration) string { return strconv.FormatInt(f.now.Add(d).Unix(), 10) }
	for _, c := range []struct {
		name, stamp, signature string
		body                   []byte
		status                 int
	}{
		{"good", stamp, sign(secret, stamp, body), body, 200},
		{"no signature", stamp, "", body, 401},
		{"no timestamp", "", sign(secret, "", body), body, 401},
		{"another secret", stamp, sign("other", stamp, body), body, 401},
		{"no secret", stamp, sign("", stamp, body), body, 401},
		{"another body", stamp, sign(secret, stamp, body), []byte("text=help&x=1"), 401},
		{"signed in base64", stamp, sign(secret, stamp, []byte(base64.StdEncoding.EncodeToString(body))), body, 401},
		{"another timestamp", at(time.Second), sign(secret, stamp, body), body, 401},
		{"as old as is allowed", at(-5 * time.Minute), sign(secret, at(-5*time.Minute), body), body, 200},
		{"too old", at(-5*time.Minute - time.Second), sign(secret, at(-5*time.Minute-time.Second), body), body, 401},
		{"from the future", at(6 * time.Minute), sign(secret, at(6*time.Minute), body), body, 401},
		{"no number", "x" + stamp, sign(secret, "x"+stamp, body), body, 401},
		{"another version", stamp, strings.Replace(sign(secret, stamp, body), "v0=", "v1=", 1), body, 401},
		{"cut short", stamp, sign(secret, stamp, body)[:40], body, 401},
		{"no digits", stamp, "v0=" + strings.Repeat("zz", 32), body, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := f.event(CommandPath, form)
			e.Body = base64.StdEncoding.EncodeToString(c.body)
			e.Headers["x-slack-request-timestamp"], e.Headers["x-slack-signature"] = c.stamp, c.signature
			if status, message := f.send(t.Context(), e); status != c.status {
				t.Errorf("got status %d, want %d: %v", status, c.status, message)
			}
			e.Body, e.IsBase64Encoded = string(c.body), false
			if status, _ := f.send(t.Context(), e); status != c.status {
				t.Errorf("as text: got status %d, want %d", status, c.status)
			}
		})
	}
}

// The library that others check Slack's signatures with agrees with ours.
func TestSignatureByTheLibrary(t *testing.T) {
	stamp, body := strconv.FormatInt(time.Now().Unix(), 10), []byte("text=7b+lora")
	header := http.Header{}
	header.Set(timestampHeader, stamp)
	header.Set(signatureHeader, sign(secret, stamp, body))
	verifier, err := slack.NewSecretsVerifier(header, secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier.Write(body); err != nil || verifier.Ensure() != nil {
		t.Error("the library refuses what we sign in tests")
	}
}

// A secret that can't be read is a failure of ours, in a fixed sentence.
func TestNoSecret(t *testing.T) {
	f := start(t, 0)
	f.bot.config.Secret = func(context.Context) (string, error) { return "", errors.New("access denied to arn:x") }
	status, message := f.send(t.Context(), f.event(CommandPath, url.Values{"text": {"help"}}))
	if status != http.StatusInternalServerError || strings.Contains(textOf(message), "arn:x") || !strings.Contains(f.log.String(), "arn:x") {
		t.Errorf("status %d, %v", status, message)
	}
	f.bot.config.Secret = func(context.Context) (string, error) { return "", nil }
	e := f.event(CommandPath, url.Values{"text": {"help"}})
	body := []byte(url.Values{"text": {"help"}}.Encode())
	e.Headers["x-slack-signature"] = sign("", e.Headers["x-slack-request-timestamp"], body)
	if status, _ := f.send(t.Context(), e); status != http.StatusUnauthorized {
		t.Errorf("signed with an empty secret: status %d", status)
	}
}

// Messages are posted nowhere but to Slack.
func TestPostsOnlyToSlack(t *testing.T) {
	f := start(t, 3*time.Second)
	host := strings.TrimPrefix(f.hooks.URL, "https://")
	for _, address := range []string{"", "http://" + host + "/x", "https://example.com/x", "https://" + host + ".example.com/", "https://user@" + host + "/", "https://example.com/?" + host, "//" + host, "ftp://" + host, ":"} {
		f.bot.pace = pace{}
		status, _ := f.send(t.Context(), f.event(CommandPath, url.Values{"text": {"7b lora"}, "response_url": {address}}))
		if status != http.StatusBadRequest || len(f.posted) != 0 {
			t.Errorf("%q: status %d, %d posted", address, status, len(f.posted))
		}
	}
	if SlackHost != "hooks.slack.com" {
		t.Errorf("messages go to %s", SlackHost)
	}
}

func TestHooksFail(t *testing.T) {
	f := start(t, 3*time.Second)
	for _, status := range []int{302, 404, 500} {
		f.fails = status
		f.bot.pace = pace{}
		got, _ := f.send(t.Context(), f.event(CommandPath, url.Values{"text": {"7b lora"}, "response_url": {f.hooks.URL}}))
		if got != http.StatusInternalServerError || !strings.Contains(f.log.String(), "post message") {
			t.Errorf("hooks answer %d: got status %d, log %s", status, got, &f.log)
		}
	}
}

// What Slack sends besides is taken without a word.
func TestOtherRequests(t *testing.T) {
	f := start(t, 0)
	for _, c := range []struct {
		path string
		form url.Values
		want int
	}{
		{CommandPath, url.Values{"ssl_check": {"1"}}, 200},
		{ActionPath, url.Values{"payload": {`{"type":"view_closed"}`}}, 200},
		{ActionPath, url.Values{"payload": {`{"type":"block_actions","actions":[]}`}}, 200},
		{ActionPath, url.Values{"payload": {`{"type":"block_actions","actions":[{"type":"button","action_id":"x","block_id":"y","value":"z"}]}`}}, 200},
		{ActionPath, url.Values{"payload": {`nonsense`}}, 400},
		{ActionPath, url.Values{}, 400},
	} {
		if status, message := f.send(t.Context(), f.event(c.path, c.form)); status != c.want || c.want == 200 && message != nil {
			t.Errorf("%v: status %d, %v", c.form, status, message)
		}
	}
}

// A request too long for a button is answered without buttons.
func TestLongRequests(t *testing.T) {
	long := schemas.RecommendRequest{Workload: &schemas.Workload{Kind: strings.Repeat("x", 2000)}}
	if buttons(&long, "1", english()) != nil {
		t.Error("a button carries more than Slack takes")
	}
}

func TestClip(t *testing.T) {
	if got := clip(strings.Repeat("微", 200), 150); len([]rune(got)) != 149 {
		t.Errorf("got %d characters", len([]rune(got)))
	}
	if got := clip(strings.Repeat("a line\n", 100), 100); !strings.HasSuffix(got, "a line\n…") {
		t.Errorf("got %q", got)
	}
}

// Every text of one language has one of the other.
func TestWords(t *testing.T) {
	zh, en := chinese(), english()
	for name := range en.buttons {
		if zh.buttons[name] == "" || en.buttons[name] == "" {
			t.Errorf("button %s has no word", name)
		}
	}
	for name := range en.changes {
		if zh.changes[name] == "" {
			t.Errorf("change %s has no word", name)
		}
	}
}

// BenchmarkCommand is a slash command from the signed event to the message.
func BenchmarkCommand(b *testing.B) {
	f := start(b, 0)
	e := f.event(CommandPath, url.Values{"text": {"qlora 70b under $500 in 48h"}, "response_url": {f.hooks.URL}})
	b.ReportAllocs()
	for b.Loop() {
		if answer, err := f.router.Serve(b.Context(), e); err != nil || answer.StatusCode != http.StatusOK {
			b.Fatal(err, answer.Body)
		}
	}
}
