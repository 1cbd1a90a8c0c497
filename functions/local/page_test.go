package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Whatever the width, tables and paragraphs fit it, and nothing is coloured.
func TestOutputFitsTheTerminal(t *testing.T) {
	for _, args := range [][]string{
		{"recommend", "7b", "lora"}, {"recommend", "7b finetune under $0.01"}, {"offers", "--gpu", "A100"}, {"gpus"}, {"market"},
		{"estimate", "llama-2-7b", "--on", "2xA100-80GB-SXM"}, {"tco", "A100"}, {"forecast", "A100", "--months", "3"},
	} {
		for _, width := range []int{60, 80, 100, 140} {
			p, stdout, stderr := newProgram("")
			outer := p.getenv
			p.getenv = func(name string) string {
				if name == "COLUMNS" {
					return fmt.Sprint(width)
				}
				return outer(name)
			}
			if code := p.run(t.Context(), args); code != exitOK && code != exitNothing {
				t.Fatalf("%v: exit code %d: %s", args, code, stderr)
			}
			for line := range strings.Lines(stdout.String()) {
				line = strings.TrimRight(line, "\n")
				if wide(line) > width && len(strings.Fields(line)) > 1 && strings.HasPrefix(line, "  ") {
					t.Errorf("%v at %d columns: a line of %d: %s", args, width, wide(line), line)
				}
			}
			if strings.ContainsAny(stdout.String(), "\x1b\x1e") {
				t.Errorf("%v: a mark or a colour is printed", args)
			}
		}
	}
}

func TestWidth(t *testing.T) {
	p, _, _ := newProgram("")
	terminal := func(columns int, ok bool) func() (int, bool) { return func() (int, bool) { return columns, ok } }
	for _, c := range []struct {
		columns  string
		terminal func() (int, bool)
		want     int
	}{
		{"", nil, 100}, {"72", nil, 72}, {"72", terminal(90, true), 72}, {"", terminal(90, true), 90}, {"", terminal(0, false), 100},
		{"5", nil, leastWide}, {"5000", nil, mostWide}, {"x", nil, 100}, {"-1", nil, 100},
	} {
		p.getenv = func(string) string { return c.columns }
		if p.terminal = c.terminal; p.width() != c.want {
			t.Errorf("COLUMNS=%s: got %d, want %d", c.columns, p.width(), c.want)
		}
	}
}

// A table that no cut makes fit is written row by row.
func TestRecords(t *testing.T) {
	text := table([]column{{title: "name"}, {title: "n", right: true}, {title: "note"}}, [][]string{
		{strings.Repeat("x", 30), "1", "some words that go on for a while"}, {"y", "2", ""},
	})
	want := "  name  " + strings.Repeat("x", 30) + "\n  n     1\n  note  some words that go on for a\n        while\n\n  name  y\n  n     2\n"
	if got := laid(text, 40); got != want {
		t.Errorf("got\n%s", got)
	}
}

// Every command that answers has its answer as JSON, too.
func TestJSONEverywhere(t *testing.T) {
	p, _, _ := newProgram("")
	p.random = rand.Reader
	folder := t.TempDir()
	shown := func(args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		q := *p
		q.stdout, q.stderr = &out, &errs
		switch args[0] {
		case "catalog", "diff", "api-key", "quarantine":
			args = append(args, "--data", folder)
		}
		if code := q.run(t.Context(), append(args, "--json")); code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, &errs)
		}
		if !json.Valid([]byte(out.String())) || out.String() == "" {
			t.Errorf("%v: no JSON: %s", args, &out)
		}
		return out.String()
	}
	shown("recommend", "7b lora")
	shown("offers", "--gpu", "A100")
	shown("gpus", "A100")
	shown("market")
	shown("estimate", "llama-2-7b", "--on", "A100-80GB-SXM")
	shown("tco", "A100")
	shown("forecast", "A100", "--months", "3")
	if got := shown("catalog", "versions"); strings.TrimSpace(got) != "[]" {
		t.Errorf("no version is %s", got)
	}
	var published version
	if err := json.Unmarshal([]byte(shown("catalog", "publish")), &published); err != nil || !published.Current || published.Offers == 0 {
		t.Errorf("published %+v, %v", published, err)
	}
	var versions []version
	if err := json.Unmarshal([]byte(shown("catalog", "versions")), &versions); err != nil || len(versions) != 1 || versions[0] != published {
		t.Errorf("versions are %+v, %v, want %+v", versions, err, published)
	}
	shown("catalog", "rollback", published.Version)
	shown("diff", "current", "embedded")
	var made shownKey
	if err := json.Unmarshal([]byte(shown("api-key", "create", "acme", "--label", "ci")), &made); err != nil || made.Key == "" || made.Label != "ci" {
		t.Errorf("made %+v, %v", made, err)
	}
	var keys []shownKey
	if err := json.Unmarshal([]byte(shown("api-key", "list")), &keys); err != nil || len(keys) != 1 || keys[0].ID != made.ID || keys[0].Key != "" {
		t.Errorf("keys are %+v, %v", keys, err)
	}
	shown("api-key", "revoke", "acme", made.ID)
	if got := shown("quarantine", "list"); strings.TrimSpace(got) != "[]" {
		t.Errorf("an empty quarantine is %s", got)
	}
}

// The help says what each exit code means, and has an example of most commands.
func TestHelpSaysWhatIsSo(t *testing.T) {
	for code, args := range map[int][]string{
		exitOK: {"gpus"}, exitError: {"recommend", "make me a sandwich"}, exitUsage: {"recommend"}, exitNothing: {"recommend", "7b finetune under $0.01"},
	} {
		p, _, stderr := newProgram("")
		if got := p.run(t.Context(), args); got != code {
			t.Errorf("%v: exit code %d, want %d: %s", args, got, code, stderr)
		}
	}
	if !strings.Contains(usage, fmt.Sprintf("Exit codes: %d done, %d error, %d wrong usage, %d nothing meets the constraints.", exitOK, exitError, exitUsage, exitNothing)) {
		t.Error("the help does not say the exit codes")
	}
	for _, wrong := range [][]string{{}, {"nothing"}, {"offers", "--nothing"}, {"catalog"}, {"api-key", "x"}, {"mcp", "x"}, {"serve", "x"}, {"tco"}, {"forecast"}, {"estimate"}, {"diff"}, {"quarantine"}} {
		p, _, stderr := newProgram("")
		if got := p.run(t.Context(), wrong); got != exitUsage || !strings.Contains(stderr.String(), "tierwise help") {
			t.Errorf("%v: exit code %d, want %d: %s", wrong, got, exitUsage, stderr)
		}
	}
	_, examples, _ := strings.Cut(usage, "\nExamples:\n")
	for _, command := range []string{"recommend", "offers", "gpus", "market", "estimate", "tco", "serve", "import", "catalog"} {
		if !strings.Contains(examples, "tierwise "+command) {
			t.Errorf("there is no example of %s", command)
		}
	}
}
