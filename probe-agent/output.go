package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/verify"
)

// flags begins the flags of a command, with those that every command has.
func (p *program) flags(name string) (*flag.FlagSet, *common) {
	set := flag.NewFlagSet("probe-agent "+name, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	c := &common{}
	set.StringVar(&c.output, "output", "text", "`form` of the output: text or json")
	set.StringVar(&c.state, "state", p.defaultState(), "`directory` of key and reports")
	return set, c
}

// common are the flags that every command has.
type common struct{ output, state string }

// parse reads the flags. A mistake is a usage error.
func (c *common) parse(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return err
		}
		return &usageError{err.Error()}
	}
	if c.output != "text" && c.output != "json" {
		return usagef("--output %q: want text or json", c.output)
	}
	return nil
}

// noArgs is parse for commands that take flags only.
func (c *common) noArgs(set *flag.FlagSet, args []string) error {
	if err := c.parse(set, args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return usagef("unexpected argument %q", set.Arg(0))
	}
	return nil
}

func (c *common) json() bool { return c.output == "json" }

// print writes a value as JSON, or calls text to write it for people.
func (p *program) print(c *common, value any, text func(io.Writer)) error {
	if !c.json() {
		text(p.stdout)
		return nil
	}
	out := json.NewEncoder(p.stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(value); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// log writes to standard error, so that standard output holds results only.
func (p *program) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(p.stderr, nil))
}

// terminal reports whether something is shown on a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colour says whether to colour what is written. See no-color.org.
func (p *program) colour(w io.Writer) bool {
	return terminal(w) && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
}

var statusColours = map[verify.Status]string{verify.Pass: "32", verify.Warn: "33", verify.Fail: "31", verify.Skip: "2", verify.Inconclusive: "36"}

// printChecks writes checks for people.
func (p *program) printChecks(w io.Writer, checks []verify.Check) {
	colour := p.colour(w)
	for _, c := range checks {
		status := fmt.Sprintf("%-12s", strings.ToUpper(string(c.Status)))
		if colour {
			status = "\x1b[" + statusColours[c.Status] + "m" + status + "\x1b[0m"
		}
		fmt.Fprintf(w, "%s %s (%s)\n", status, c.Title, c.ID)
		for _, line := range []struct{ name, text string }{
			{"found", strings.TrimSpace(c.Actual + " " + unit(c))}, {"wanted", c.Required}, {"because", c.Evidence}, {"do", c.Remedy},
		} {
			if line.text != "" {
				fmt.Fprintf(w, "             %-8s %s\n", line.name+":", line.text)
			}
		}
	}
}

// unit is a check's unit if its actual value is the bare number.
func unit(c verify.Check) string {
	if c.Value != nil && c.Actual == fmt.Sprintf("%.4g", *c.Value) {
		return c.Unit
	}
	return ""
}

// checksOutcome is the exit code of checks: nil if all is well.
func checksOutcome(checks []verify.Check) error {
	switch {
	case verify.Failed(checks):
		return outcome(exitFailed)
	case !verify.Decided(checks):
		return outcome(exitInconclusive)
	}
	return nil
}

// progress says how far something is that takes more than two seconds.
type progress struct {
	out         io.Writer
	now         func() time.Time
	start, last time.Time
	every       time.Duration
	shown       bool
	rewrite     bool
}

func (p *program) progress() *progress {
	now := p.now()
	bar := &progress{out: p.stderr, now: p.now, start: now, last: now, every: 30 * time.Second, rewrite: terminal(p.stderr)}
	if bar.rewrite {
		bar.every = 500 * time.Millisecond
	}
	return bar
}

// show shows a line, on a terminal in place of the last one. Not more often than is
// useful.
func (b *progress) show(format string, args ...any) {
	now := b.now()
	first := !b.shown && now.Sub(b.start) >= 2*time.Second
	if !first && (now.Sub(b.last) < b.every || now.Sub(b.start) < 2*time.Second) {
		return
	}
	b.last, b.shown = now, true
	if b.rewrite {
		fmt.Fprintf(b.out, "\r\x1b[K"+format, args...)
		return
	}
	fmt.Fprintf(b.out, format+"\n", args...)
}

// done leaves the line.
func (b *progress) done() {
	if b.shown && b.rewrite {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}
