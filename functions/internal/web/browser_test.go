package web

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tierwise/tierwise/catalog/seed"
)

// What the tests in a browser need, from the root of the repository: "make browser"
// gets it where the machine may install things.
const (
	toRoot      = "../../.."
	axeFile     = toRoot + "/.tools/axe/node_modules/axe-core/axe.min.js"
	screenshots = toRoot + "/.screenshots"
)

// patience is how long a test may take on a busy machine.
const patience = 8 * time.Minute

// tried is what the pages are checked in: every width, language and colour scheme.
var tried = []struct {
	width    int64
	language language
	scheme   string
	axe      bool // is axe-core asked: it sees neither language nor a third width
}{
	{390, english, "light", false}, {390, chinese, "dark", true}, {390, chinese, "light", false}, {390, english, "dark", false},
	{1440, english, "light", true}, {1440, chinese, "dark", false}, {1440, chinese, "light", false}, {1440, english, "dark", false},
}

// looks are the pages that are looked at.
var looks = []struct{ name, target string }{
	{"home", "/?lang=%s"},
	{"plans", "/plans?q=cheapest+7B+fine-tune&lang=%s"},
	{"no-plan", "/plans?q=cheapest+7B+fine-tune+under+%%240.01&lang=%s"},
	{"form-problems", "/plans?kind=inference&model=7B&budget=abc&requests=x&lang=%s"},
	{"not-understood", "/plans?q=good+morning&lang=%s"},
	{"offers", "/offers?gpu=A100&purchase_model=spot&lang=%s"},
	{"no-offers", "/offers?gpu=A100&max_price_per_gpu_hour=0.001&lang=%s"},
	{"offer", "/offers/aws.us-east-1.p4d-24xlarge.on_demand?lang=%s"},
	{"forecast-form", "/forecast?lang=%s"},
	{"forecast", "/forecast?of=offer&gpu=L4&hours_per_day=20&growth_pct_per_month=10&budget_per_month=90&lang=%s"},
	{"market", "/market?gpu=A100,H100,L4&lang=%s"},
	{"coefficients", "/coefficients?lang=%s"},
	{"coefficients-of-a-gpu", "/coefficients?gpu=A100&lang=%s"},
	{"docs", "/v1/docs?lang=%s"},
}

// seen is a browser on the pages, and what it complained of.
type seen struct {
	t      *testing.T
	ctx    context.Context
	origin string

	mu       sync.Mutex
	complain []string
}

// look opens a browser on the pages over the embedded catalogue, or skips the test on a
// machine without one.
func look(t *testing.T) *seen {
	t.Helper()
	program := chromium()
	if program == "" {
		t.Skip("SKIPPED: there is no Chromium on this machine. \"make browser\" installs Debian's as root; or put chromium or google-chrome in PATH")
	}
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(overHTTP{routerOver(t, s)})
	t.Cleanup(server.Close)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &seen{t: t, ctx: ctx, origin: server.URL}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	limited, late := context.WithTimeout(ctx, patience)
	t.Cleanup(late)
	b.ctx = limited
	return b
}

// chromium is where a Chromium is; "" if there is none.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// hear notes what the browser complains of.
func (b *seen) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain = append(b.complain, e.ExceptionDetails.Text+" "+e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		b.complain = append(b.complain, fmt.Sprintf("console: %s %v", e.Type, e.Args))
	case *cdplog.EventEntryAdded:
		// That a page answers 400 or 422, as it is meant to, is no complaint of ours.
		if !strings.Contains(e.Entry.Text, "the server responded with a status of 4") {
			b.complain = append(b.complain, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	}
}

// quiet fails the test if the browser complained.
func (b *seen) quiet(of string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, complaint := range b.complain {
		b.t.Errorf("%s: %s", of, complaint)
	}
	b.complain = nil
}

// run does things in the browser.
func (b *seen) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// value is what an expression gives in the page.
func value[T any](b *seen, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// as makes the browser a reader's.
func (b *seen) as(width int64, scheme string) {
	b.t.Helper()
	options := []chromedp.EmulateViewportOption{}
	if width < 600 {
		options = append(options, chromedp.EmulateMobile)
	}
	b.run(chromedp.EmulateViewport(width, 900, options...))
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		// A page that still scrolls moves away from under the pointer.
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}); err != nil {
		b.t.Fatal(err)
	}
}

// overHTTP serves a Lambda handler over HTTP.
type overHTTP struct{ server }

// ServeHTTP answers a request as the gateway would.
func (o overHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := events.APIGatewayV2HTTPRequest{RawPath: r.URL.Path, RawQueryString: r.URL.RawQuery, Headers: map[string]string{}}
	e.RequestContext.HTTP.Method = r.Method
	for name := range r.Header {
		e.Headers[strings.ToLower(name)] = r.Header.Get(name)
	}
	answer, err := o.Serve(r.Context(), e)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for name, text := range answer.Headers {
		w.Header().Set(name, text)
	}
	body := []byte(answer.Body)
	if answer.IsBase64Encoded {
		body, _ = base64.StdEncoding.DecodeString(answer.Body)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body)
}

// A first plan comes from the form, on a phone, and its link keeps it.
func TestBrowserFirstPlan(t *testing.T) {
	b := look(t)
	b.as(390, "light")
	b.run(chromedp.Navigate(b.origin+"/?lang=en"), chromedp.SendKeys("#f-model", "7B"),
		chromedp.Click("#plan-form button[type=submit]"), chromedp.WaitVisible("#plan-1"))
	if got := value[string](b, "location.search"); !strings.Contains(got, "model=7B") || strings.Contains(got, "epochs=") {
		t.Errorf("the form sends %s: want what is filled in alone", got)
	}
	if got := value[string](b, "document.querySelector('.amount').textContent"); !strings.Contains(got, "USD") {
		t.Errorf("the best plan costs %q", got)
	}
	if got := value[int](b, "document.querySelectorAll('#plan-1 .timeline rect.stage').length"); got < 2 {
		t.Errorf("%d stages on the time axis", got)
	}
	amount := value[string](b, "document.querySelector('.amount').textContent")
	b.run(chromedp.Navigate(value[string](b, "document.getElementById('share').href")), chromedp.WaitVisible("#plan-1"))
	if again := value[string](b, "document.querySelector('.amount').textContent"); again != amount {
		t.Errorf("the link leads to %s, not to %s", again, amount)
	}
	b.quiet("the form")
}

// The form shows the fields of the kind of work that is chosen, by keyboard too.
func TestBrowserKinds(t *testing.T) {
	b := look(t)
	b.as(1440, "light")
	shown := func(id string) bool {
		return value[bool](b, "document.getElementById('"+id+"').offsetParent !== null")
	}
	b.run(chromedp.Navigate(b.origin + "/?lang=en"))
	if !shown("f-epochs") || shown("f-frames") {
		t.Error("the form of a fine-tune shows the fields of another")
	}
	b.run(chromedp.Focus("#kind-batch"), chromedp.KeyEvent(kb.ArrowRight))
	if shown("f-epochs") || !shown("f-frames") {
		t.Error("the form of a render does not show its fields")
	}
	b.run(chromedp.Click("#plan-form button[type=submit]"), chromedp.WaitVisible(".problems"))
	if got := value[string](b, "document.querySelector('#f-frames').getAttribute('aria-describedby')"); got != "f-frames-problem" {
		t.Errorf("the field without a value is described by %q", got)
	}
	b.quiet("the form")
}

// Offers are filtered, paged, and opened.
func TestBrowserFilter(t *testing.T) {
	b := look(t)
	b.as(390, "dark")
	b.run(chromedp.Navigate(b.origin+"/offers?lang=en"), chromedp.SendKeys("#f-gpu", "A100"),
		chromedp.Click("label:has(input[value=spot])"), chromedp.Click(".filters button[type=submit]"), chromedp.WaitVisible("#f-gpu[value=A100]"))
	rows := value[[]string](b, "[...document.querySelectorAll('tbody tr')].map(r => r.textContent)")
	if len(rows) != offersOnPage {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		if !strings.Contains(row, "A100") || !strings.Contains(row, "Spot") {
			t.Errorf("a row that the filter rules out: %s", row)
		}
	}
	b.run(chromedp.Click(".pages a[rel=next]"), chromedp.WaitVisible("//p[starts-with(., '26 to 50')]"))
	b.run(chromedp.Click("tbody tr a"), chromedp.WaitVisible("//h2[. = 'Price history']"))
	b.quiet("offers")
}

// A forecast comes as a file.
func TestBrowserDownload(t *testing.T) {
	b := look(t)
	folder := t.TempDir()
	done := make(chan struct{})
	if err := chromedp.ListenBrowser(b.ctx, func(event any) {
		if e, ok := event.(*browser.EventDownloadProgress); ok && e.State == browser.DownloadProgressStateCompleted {
			close(done)
		}
	}); err != nil {
		t.Fatal(err)
	}
	events := true
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder, EventsEnabled: &events,
	}); err != nil {
		t.Fatal(err)
	}
	b.as(1440, "light")
	b.run(chromedp.Navigate(b.origin+"/forecast?lang=en"), chromedp.SendKeys("#f-gpu", "L4"), chromedp.SendKeys("#f-months", "6"),
		chromedp.Click(".kinds button[type=submit]"), chromedp.WaitVisible("svg.months"), chromedp.Click(".downloads a"))
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was downloaded")
	}
	files, err := filepath.Glob(folder + "/*.csv")
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v: %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil || strings.Count(string(text), "\n") < 7 {
		t.Errorf("the file has %q: %v", text, err)
	}
	b.quiet("the forecast")
}

// Every page fits every screen, in both languages and both colour schemes, without a
// complaint of the browser; and axe-core finds no fault with it (WCAG 2.2 A and AA, and
// its best practices).
func TestBrowserLooks(t *testing.T) {
	b := look(t)
	axe, err := os.ReadFile(axeFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Log("NOT CHECKED for accessibility: axe-core is not here. \"make browser\" gets it where npm is")
	}
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, as := range tried {
		b.as(as.width, as.scheme)
		for _, at := range looks {
			name := fmt.Sprintf("%s-%s-%s-%d", at.name, as.language, as.scheme, as.width)
			b.run(chromedp.Navigate(b.origin+fmt.Sprintf(at.target, as.language)), chromedp.WaitReady("footer"))
			if wide := value[int64](b, "document.scrollingElement.scrollWidth"); wide > as.width {
				t.Errorf("%s: %d pixels wide", name, wide)
			}
			b.keep(name, at.name == "docs")
			if axe != nil && as.axe {
				b.faultless(name, string(axe))
			}
			b.quiet(name)
		}
	}
}

// keep keeps a screenshot: of the whole page, or of its beginning.
func (b *seen) keep(name string, beginning bool) {
	b.t.Helper()
	take := chromedp.FullScreenshot(100)
	if beginning {
		take = chromedp.CaptureScreenshot()
	}
	picture, err := chromedp.Run(b.ctx, take)
	if err == nil {
		err = os.WriteFile(filepath.Join(screenshots, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// faultless fails the test if axe-core finds a fault with the page.
func (b *seen) faultless(name, axe string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](axe), chromedp.Evaluate[chromedp.Void]("document.querySelectorAll('details').forEach(d => d.open = true)"))
	faults := value[[]string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`)
	for _, fault := range faults[:min(len(faults), 5)] {
		b.t.Errorf("%s: %s", name, fault)
	}
}
