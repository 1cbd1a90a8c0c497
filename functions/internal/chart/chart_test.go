package chart_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/functions/internal/chart"
)

// specs are one picture of each kind.
func specs() map[string]chart.Spec {
	budget := 130.0
	forecast := chart.Spec{Title: "Notebooks", Currency: "USD", Forecast: &chart.Forecast{Budget: &budget}}
	for i := range 24 {
		x := 100 + 3*float64(i)
		forecast.Forecast.Months = append(forecast.Forecast.Months, chart.Month{Name: fmt.Sprintf("2027-%02d", 1+i%12), Expected: x, P10: x * 0.8, P90: x * 1.3})
	}
	frontier := chart.Spec{Title: "Faster for more", Currency: "USD", Frontier: &chart.Frontier{}}
	for i := range 30 {
		frontier.Frontier.Points = append(frontier.Frontier.Points, chart.Point{Hours: 30 / float64(i+1), Total: 1 + float64(i), Marked: i == 0})
	}
	return map[string]chart.Spec{
		"forecast": forecast, "frontier": frontier,
		"one month": {Title: "One", Currency: "USD", Forecast: &chart.Forecast{Months: []chart.Month{{Name: "2027-01", Expected: 1, P10: 1, P90: 1}}}},
		"plan": {Title: "7B fine-tune", Currency: "USD", Plan: &chart.Plan{Stages: []chart.Stage{
			{Name: "preprocess", Hours: 0.6, Lines: []float64{0.05, 0.04, 0, 0, 0, 0.01}}, {Name: "train", Hours: 4.8, Lines: []float64{1.16, 0.06, 0.05, 0, 0, 0.03}},
			{Name: "evaluate", Hours: 0.2, Lines: []float64{0.01, 0, 0.01, 0.01}},
		}}},
		"wide frontier": {Title: "From cents to thousands", Currency: "USD", Frontier: &chart.Frontier{Points: []chart.Point{
			{Hours: 4000, Total: 0.02}, {Hours: 1, Total: 90, Marked: true}, {Hours: 0.01, Total: 80000},
		}}},
		"free":     {Title: "Free", Currency: "USD", Frontier: &chart.Frontier{Points: []chart.Point{{Hours: 0, Total: 0}}}},
		"no spend": {Title: "None", Currency: "USD", Forecast: &chart.Forecast{Months: make([]chart.Month, 3)}},
		"enormous": {Title: "Much", Currency: "USD", Forecast: &chart.Forecast{Months: []chart.Month{{Name: "2027-01", Expected: 1e30, P10: 1e29, P90: 1e31}, {Name: "2027-02"}}}},
		"nothing":  {Title: "", Currency: "", Plan: &chart.Plan{Stages: []chart.Stage{{Name: "train"}}}},
	}
}

// TestPNG: every kind is a picture of the size, with something on it, and the same
// picture each time.
func TestPNG(t *testing.T) {
	for name, s := range specs() {
		first, err := chart.PNG(s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		picture, err := png.Decode(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if size := picture.Bounds().Size(); size.X != 864 || size.Y != 432 {
			t.Errorf("%s is %v", name, size)
		}
		colours := make(map[string]bool)
		for x := range 864 {
			for y := range 432 {
				colours[fmt.Sprint(picture.At(x, y))] = true
			}
		}
		if len(colours) < 10 {
			t.Errorf("%s has %d colours", name, len(colours))
		}
		if again, err := chart.PNG(s); err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s is another picture the second time (%v)", name, err)
		}
	}
}

// TestSign: what is signed comes back, and nothing else does.
func TestSign(t *testing.T) {
	key, other := chart.Key{1}, chart.Key{2}
	for name, s := range specs() {
		text, err := chart.Sign(s, key)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 2500 {
			t.Errorf("%s takes %d characters of a URL", name, len(text))
		}
		back, err := chart.Read(text, key)
		if diff := cmp.Diff(s, back); err != nil || diff != "" {
			t.Errorf("%s: %v (-signed +read):\n%s", name, err, diff)
		}
		flipped := []byte(text)
		flipped[len(flipped)/2] ^= 1
		for what, wrong := range map[string]string{"changed": string(flipped), "cut": text[:len(text)-4], "empty": "", "no base64": "%%%", "long": text + "AAAA"} {
			if _, err := chart.Read(wrong, key); !errors.Is(err, chart.ErrSignature) {
				t.Errorf("%s, %s: got %v", name, what, err)
			}
		}
		if _, err := chart.Read(text, other); !errors.Is(err, chart.ErrSignature) {
			t.Errorf("%s with another key: got %v", name, err)
		}
	}
}

// TestKeyOf: a short secret is none, and each has a key of its own.
func TestKeyOf(t *testing.T) {
	if _, err := chart.KeyOf(strings.Repeat("x", 31)); err == nil {
		t.Error("a secret of 31 bytes is taken")
	}
	first, err := chart.KeyOf(strings.Repeat("x", 32))
	second, wrong := chart.KeyOf(strings.Repeat("x", 33))
	if err != nil || wrong != nil || first == second || first == (chart.Key{}) {
		t.Errorf("got %x and %x (%v, %v)", first, second, err, wrong)
	}
}

// TestCheck refuses what can't be drawn, before it is signed.
func TestCheck(t *testing.T) {
	for name, s := range map[string]chart.Spec{
		"nothing":         {},
		"two parts":       {Plan: &chart.Plan{Stages: make([]chart.Stage, 1)}, Frontier: &chart.Frontier{Points: make([]chart.Point, 1)}},
		"no months":       {Forecast: &chart.Forecast{}},
		"too many months": {Forecast: &chart.Forecast{Months: make([]chart.Month, 61)}},
		"a long title":    {Title: strings.Repeat("x", 200), Plan: &chart.Plan{Stages: make([]chart.Stage, 1)}},
	} {
		if _, err := chart.Sign(s, chart.Key{}); err == nil {
			t.Errorf("%s is signed", name)
		}
		if _, err := chart.PNG(s); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
}

// FuzzRead: whatever the text, nothing that was not signed is read.
func FuzzRead(f *testing.F) {
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := chart.Read(text, chart.Key{}); err == nil {
			t.Errorf("%q is read", text)
		}
	})
}
