package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func openSpool(t testing.TB) *Spool {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writer(t testing.TB, s *Spool) (*Writer, [][]byte) {
	t.Helper()
	w, unfinished, err := s.Writer(DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w, unfinished
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestReportsLeaveInOrder(t *testing.T) {
	s := openSpool(t)
	w, _ := writer(t, s)
	must(t, w.Append([]byte(`{"a":1}`)), w.Seal([]byte("one")), w.Seal([]byte("two")), w.Seal([]byte("three")))
	sender, err := s.Sender()
	must(t, err)
	defer sender.Close()
	seq, payload, ok, err := sender.Next()
	if err != nil || !ok || seq != 1 || string(payload) != "one" {
		t.Fatalf("got %d %q %v %v", seq, payload, ok, err)
	}
	must(t, sender.Sent(1), sender.Reject(2, "422 Unprocessable"))
	usage, err := s.Usage()
	must(t, err)
	usage.Bytes = 0
	if diff := cmp.Diff(Usage{Pending: 1, Sent: 1, Rejected: 1}, usage); diff != "" {
		t.Error(diff)
	}
	if got := s.Reason(2); got != "422 Unprocessable" {
		t.Errorf("reason %q", got)
	}
	if w.Seq() != 4 {
		t.Errorf("the next report has number %d", w.Seq())
	}
}

func TestOneWriterOneSender(t *testing.T) {
	s := openSpool(t)
	writer(t, s)
	if _, _, err := s.Writer(DefaultLimits()); !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	sender, err := s.Sender()
	must(t, err)
	defer sender.Close()
	if _, err := s.Sender(); !errors.Is(err, ErrBusy) {
		t.Errorf("a second sender: %v", err)
	}
}

func TestUnfinishedJournalIsHandedOver(t *testing.T) {
	s := openSpool(t)
	w, _ := writer(t, s)
	must(t, w.Seal([]byte("one")), w.Append([]byte(`{"a":1}`)), w.Append([]byte(`{"b":2}`)))
	w.Close()
	torn, err := os.OpenFile(w.journalPath(), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	torn.WriteString("\n{\"c\":")
	must(t, torn.Close())
	w, unfinished := writer(t, s)
	if len(unfinished) != 2 || w.Seq() != 2 {
		t.Fatalf("got %q for report %d", unfinished, w.Seq())
	}
	// What is added after a torn line is not lost with it.
	must(t, w.Append([]byte(`{"d":4}`)))
	w.Close()
	if _, unfinished = writer(t, s); len(unfinished) != 3 {
		t.Errorf("got %q", unfinished)
	}
}

// A crash between making a report and removing its journal must not report twice.
func TestJournalOfASealedReportIsDropped(t *testing.T) {
	s := openSpool(t)
	w, _ := writer(t, s)
	must(t, w.Append([]byte(`{"a":1}`)))
	journal, err := os.ReadFile(w.journalPath())
	must(t, err)
	path := w.journalPath()
	must(t, w.Seal([]byte("one")))
	w.Close()
	must(t, os.WriteFile(path, journal, 0o600), os.WriteFile(s.path(pendingDir, ".tmp-1"), nil, 0o600))
	w, unfinished := writer(t, s)
	if len(unfinished) != 0 || w.Seq() != 2 {
		t.Errorf("got %q for report %d", unfinished, w.Seq())
	}
	if left, _ := filepath.Glob(s.path("*", ".tmp-*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestCapsDropTheOldestAndKeepTheNewest(t *testing.T) {
	s := openSpool(t)
	w, _, err := s.Writer(Limits{Bytes: 3500, Age: time.Hour})
	must(t, err)
	defer w.Close()
	for i := range 6 {
		must(t, w.Seal([]byte(fmt.Sprint(i, strings.Repeat("x", 999)))))
	}
	sender, err := s.Sender()
	must(t, err)
	defer sender.Close()
	must(t, sender.Sent(1), sender.Reject(2, "no"))
	dropped, err := w.Prune(time.Now())
	must(t, err)
	pending, _ := s.Pending()
	if !slices.Equal(dropped, []Seq{3}) || !slices.Equal(pending, []Seq{4, 5, 6}) {
		t.Errorf("dropped %v, pending %v", dropped, pending)
	}
	notes, err := os.ReadFile(s.path("dropped.jsonl"))
	if err != nil || !strings.Contains(string(notes), `"seq":3`) {
		t.Errorf("notes %q, %v", notes, err)
	}
	// By age all go but the newest, whose number the next one follows.
	if _, err := w.Prune(time.Now().Add(2 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.Close()
	pending, _ = s.Pending()
	w, _ = writer(t, s)
	if !slices.Equal(pending, []Seq{6}) || w.Seq() != 7 {
		t.Errorf("pending %v, next %d", pending, w.Seq())
	}
}

// Whatever happens in whatever order, numbers only grow and nothing is in two places.
func TestSpoolProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		s, err := Open(dir)
		must(t, err)
		w, _, err := s.Writer(Limits{Bytes: 400, Age: time.Hour})
		must(t, err)
		sender, err := s.Sender()
		must(t, err)
		defer func() { w.Close(); sender.Close() }()
		last := w.Seq()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			seq, _, ok, err := sender.Next()
			must(t, err)
			switch step := rapid.IntRange(0, 5).Draw(rt, "step"); {
			case step == 0:
				must(t, w.Append([]byte(`{}`)))
			case step <= 2:
				must(t, w.Seal([]byte(strings.Repeat("y", 50))))
			case step == 3 && ok:
				must(t, sender.Sent(seq))
			case step == 4 && ok:
				must(t, sender.Reject(seq, "no"))
			case step == 5:
				_, err := w.Prune(time.Now())
				must(t, err)
				w.Close()
				w, _, err = s.Writer(Limits{Bytes: 400, Age: time.Hour})
				must(t, err)
			}
			if w.Seq() < last {
				rt.Fatalf("the number fell from %d to %d", last, w.Seq())
			}
			last = w.Seq()
			pending, _ := s.Pending()
			sent, _ := s.Sent()
			rejected, _ := s.Rejected()
			all := slices.Concat(pending, sent, rejected)
			slices.Sort(all)
			if len(slices.Compact(slices.Clone(all))) != len(all) || len(all) > 0 && all[len(all)-1] >= last {
				rt.Fatalf("numbers %v, next %d", all, last)
			}
		}
	})
}

func TestWriteFileLeavesTheOldOneOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, WriteFile(path, []byte("old"), 0o600))
	if err := WriteFile(filepath.Join(path, "below"), []byte("new"), 0o600); err == nil {
		t.Error("a file below a file was written")
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("got %q", got)
	}
}

func FuzzParseJournal(f *testing.F) {
	f.Add([]byte("\n{\"a\":1}\n\n{\"b\":"))
	f.Add([]byte("{}\nnull\n[1,2]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := ParseJournal(text)
		var again []byte
		for _, line := range lines {
			again = append(append(again, line...), '\n')
		}
		if diff := cmp.Diff(lines, ParseJournal(again)); diff != "" {
			t.Error(diff)
		}
	})
}
