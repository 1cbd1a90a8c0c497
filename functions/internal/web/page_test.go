package web

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// page is what was learned of a page.
type page struct {
	ids      map[string]bool
	refers   []string       // ids that something refers to
	counts   map[string]int // elements by name
	problems []string
	heading  int // the level of the last heading
}

// checkPage tests that an answer is a page that stands alone, that tools can read,
// and that people can read with any of theirs.
func checkPage(t *testing.T, answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	want := map[string]string{"content-type": "text/html; charset=utf-8", "content-security-policy": policy,
		"referrer-policy": "no-referrer", "x-content-type-options": "nosniff"}
	for name, value := range want {
		if answer.Headers[name] != value {
			t.Errorf("header %s is %q, want %q", name, answer.Headers[name], value)
		}
	}
	p := page{ids: make(map[string]bool), counts: make(map[string]int)}
	in := xml.NewDecoder(strings.NewReader(answer.Body)) // every element of a page is closed
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well formed: %v in\n%s", err, answer.Body)
		}
		if element, ok := token.(xml.StartElement); ok {
			p.visit(element)
		}
	}
	for _, id := range p.refers {
		if !p.ids[id] {
			p.problems = append(p.problems, "nothing has the id "+id)
		}
	}
	for _, name := range []string{"html", "title", "h1", "main", "header", "footer"} {
		if p.counts[name] != 1 {
			p.problems = append(p.problems, strconv.Itoa(p.counts[name])+" elements "+name)
		}
	}
	for _, problem := range p.problems {
		t.Error(problem)
	}
}

// visit looks at an element.
func (p *page) visit(e xml.StartElement) {
	has := make(map[string]string)
	for _, a := range e.Attr {
		has[a.Name.Local] = a.Value
		if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" && !strings.HasPrefix(a.Value, ".") {
			p.problems = append(p.problems, "the policy forbids the attribute "+a.Name.Local)
		}
	}
	name := e.Name.Local
	if name != "title" || p.counts["body"] == 0 { // pictures have titles too
		p.counts[name]++
	}
	if id, ok := has["id"]; ok {
		if p.ids[id] {
			p.problems = append(p.problems, "two elements have the id "+id)
		}
		p.ids[id] = true
	}
	for _, attribute := range []string{"for", "aria-labelledby", "aria-describedby", "list"} {
		if id, ok := has[attribute]; ok {
			p.refers = append(p.refers, id)
		}
	}
	if id, ok := strings.CutPrefix(has["href"], "#"); ok {
		p.refers = append(p.refers, id)
	}
	switch {
	case name == "script" && has["src"] == "" || name == "style" || name == "iframe" || name == "img":
		p.problems = append(p.problems, "the page has the element "+name)
	case name == "a" && strings.Contains(has["href"], "//"):
		p.problems = append(p.problems, "a link leads away: "+has["href"])
	case name == "html" && has["lang"] == "", name == "th" && has["scope"] == "", name == "svg" && has["aria-label"] == "" && has["aria-hidden"] == "":
		p.problems = append(p.problems, name+" lacks what it needs to be read aloud")
	case len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6':
		level := int(name[1] - '0')
		if level > p.heading+1 {
			p.problems = append(p.problems, "a heading of level "+strconv.Itoa(level)+" follows one of level "+strconv.Itoa(p.heading))
		}
		p.heading = level
	}
}

var customProperty = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)

// Texts can be read on their grounds, in the light and in the dark: WCAG 2.2 asks
// for a contrast of 4.5 (1.4.3), and of 3 for what marks a control (1.4.11).
func TestContrast(t *testing.T) {
	text, err := assets.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(text), "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("there is no dark style")
	}
	colours := map[string]map[string]string{"light": {}, "dark": {}}
	for name, part := range map[string]string{"light": light, "dark": dark} {
		for _, m := range customProperty.FindAllStringSubmatch(part, -1) {
			colours[name][m[1]] = m[2]
		}
	}
	if names := slices.Sorted(maps.Keys(colours["light"])); !slices.Equal(names, slices.Sorted(maps.Keys(colours["dark"]))) || len(names) < 9 {
		t.Fatalf("light and dark have other colours than each other: %v", colours)
	}
	for name, has := range colours {
		for _, pair := range []struct {
			on, over string
			least    float64
		}{
			{"text", "ground", 7}, {"text", "card", 7}, {"text", "raised", 7}, {"text", "notice", 7}, {"text", "alert", 7},
			{"quiet", "ground", 4.5}, {"quiet", "card", 4.5}, {"quiet", "raised", 4.5}, {"quiet", "notice", 4.5}, {"quiet", "alert", 4.5},
			{"link", "ground", 4.5}, {"link", "card", 4.5}, {"link", "alert", 4.5}, {"danger", "card", 4.5}, {"on-button", "button", 4.5}, {"on-button", "bar", 4.5},
			{"button", "card", 3}, {"edge", "card", 3}, {"bar", "card", 3}, {"late", "card", 3}, {"danger", "alert", 3},
			{"one", "card", 3}, {"two", "card", 3}, {"three", "card", 3}, {"four", "card", 3}, {"five", "card", 3}, {"six", "card", 3}, {"seven", "card", 3},
		} {
			if got := contrast(t, has[pair.on], has[pair.over]); got < pair.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %g", name, pair.on, pair.over, got, pair.least)
			}
		}
	}
}

// contrast is the contrast ratio of two colours (WCAG 2.2, "contrast ratio").
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of a colour (WCAG 2.2, "relative luminance").
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}
