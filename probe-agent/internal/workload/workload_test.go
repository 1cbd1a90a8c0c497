package workload

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
)

func TestRates(t *testing.T) {
	for text, want := range map[string]Rate{
		`3100`: {Tokens, 3100}, ` 3,100.5 `: {Tokens, 3100.5}, `samples_per_second=12`: {Samples, 12},
		`{"unit":"frames_per_second","rate":2.5}`: {Frames, 2.5}, `{"rate":7}`: {Tokens, 7}, `0`: {Tokens, 0},
	} {
		if got, err := ParseRate(text, Tokens); err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "fast", "-1", "NaN", "Inf", "1e300", "miles=3", `{"unit":"x","rate":1}`, "{", strings.Repeat("1", MaxLine+1)} {
		if got, err := ParseRate(text, Tokens); err == nil {
			t.Errorf("%.20q is read as %+v", text, got)
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		expression, line string
		want             float64
		found            bool
	}{
		{`tokens/s[:=] *([0-9.,]+)`, "step 10 loss 2.1 tokens/s: 3,100.5", 3100.5, true},
		{`(?P<step>\d+) (?P<rate>\d+)`, "12 99", 99, true},
		{`tokens/s: (\S+)`, "tokens/s: fast", 0, false},
		{`tokens/s: (\S+)`, "loss 2", 0, false},
	} {
		p, err := ParsePattern(test.expression, Tokens)
		if err != nil {
			t.Fatal(err)
		}
		if got, found := p.Find(test.line); found != test.found || got.Value != test.want {
			t.Errorf("%s in %q: got %v, %v", test.expression, test.line, got, found)
		}
	}
	for _, expression := range []string{"(", "tokens"} {
		if _, err := ParsePattern(expression, Tokens); err == nil {
			t.Errorf("%q is a pattern", expression)
		}
	}
}

func TestModels(t *testing.T) {
	got, err := ParseModel("name=llama-2-7b,params_b=7,layers=32,hidden=4096,heads=32,seq_len=2048,precision=bf16,phase=train")
	want := &report.WorkModel{Name: "llama-2-7b", ParamsB: 7, Layers: 32, Hidden: 4096, Heads: 32, SeqLen: 2048, Precision: "bf16", Phase: "train"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, text := range []string{"", "name", "name=", "name=/etc/passwd\n", "params_b=-1", "params_b=NaN", "layers=0", "precision=fp99", "x=1"} {
		if m, err := ParseModel(text); err == nil {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

func TestLinesOfAnyPieces(t *testing.T) {
	var got []string
	w := NewLineWriter(func(line string) { got = append(got, line) })
	for _, piece := range []string{"on", "e\ntwo\r", "\nthr", "ee\rfour\n", strings.Repeat("x", MaxLine), "y\nfive\nrest"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	if diff := cmp.Diff([]string{"one", "two", "three", "four", "five"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates")
	write := func(text string, flag int) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(text)
		f.Close()
	}
	write("1\n", 0) // before the run: not counted
	f := Follow(path, Tokens)
	var got []float64
	read := func() {
		t.Helper()
		rates, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rates {
			got = append(got, r.Value)
		}
	}
	write("2\nnonsense\n3", os.O_APPEND)
	read()
	write("0\n", os.O_APPEND) // makes 30 of the 3
	read()
	write("7\n", os.O_TRUNC)
	read()
	os.Remove(path)
	read()
	write("8\n", 0)
	read()
	if diff := cmp.Diff([]float64{2, 30, 7, 8}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHandler(t *testing.T) {
	var got []Rate
	h := Handler(Tokens, func(r Rate) { got = append(got, r) })
	for _, test := range []struct {
		method, body string
		want         int
	}{{"POST", "5\nsamples_per_second=6\n", 204}, {"GET", "", 405}, {"POST", "7\nnonsense", 400}, {"POST", strings.Repeat("1\n", MaxLine), 413}} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, "/throughput", strings.NewReader(test.body)))
		if w.Code != test.want {
			t.Errorf("%s %.20q: got %d, want %d", test.method, test.body, w.Code, test.want)
		}
	}
	if diff := cmp.Diff([]Rate{{Tokens, 5}, {Samples, 6}}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseRate(f *testing.F) {
	for _, seed := range []string{"3100", "tokens_per_second=1", `{"unit":"teraflops","rate":1e3}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ParseRate(text, Tokens); err == nil && (r.Value < 0 || r.Value != r.Value) {
			t.Errorf("%q: %+v", text, r)
		}
	})
}

func FuzzPattern(f *testing.F) {
	f.Add("tokens/s: 3,100", `tokens/s: ([0-9,]+)`)
	f.Fuzz(func(t *testing.T, line, expression string) {
		if p, err := ParsePattern(expression, Tokens); err == nil {
			if r, ok := p.Find(line); ok && !(r.Value >= 0) {
				t.Errorf("%q in %q: %+v", expression, line, r)
			}
		}
	})
}

func FuzzModel(f *testing.F) {
	f.Add("name=llama-2-7b,params_b=7,phase=decode")
	f.Fuzz(func(t *testing.T, text string) { ParseModel(text) })
}
