package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Limits cap what the spool keeps. The zero Limits are those of DefaultLimits.
type Limits struct {
	Bytes int64
	Age   time.Duration
}

// DefaultLimits are 50 MB and 14 days.
func DefaultLimits() Limits { return Limits{Bytes: 50_000_000, Age: 14 * 24 * time.Hour} }

// Writer makes reports. There is one at a time.
type Writer struct {
	spool   *Spool
	limits  Limits
	seq     Seq // of the report that is being made
	journal *os.File
	release func()
}

// Writer takes the right to make reports, and returns the windows of a report that a
// crash has left unfinished: it is to be sealed first. ErrBusy if another process has it.
func (s *Spool) Writer(limits Limits) (*Writer, [][]byte, error) {
	release, err := lock(s.path("writer.lock"))
	if err != nil {
		return nil, nil, err
	}
	w := &Writer{spool: s, limits: limits, release: release}
	unfinished, err := w.recover()
	if err != nil {
		release()
		return nil, nil, err
	}
	return w, unfinished, nil
}

// Seq is the number of the report that is being made.
func (w *Writer) Seq() Seq { return w.seq }

// Dir is where the spool is.
func (w *Writer) Dir() string { return w.spool.dir }

// Close gives the right back.
func (w *Writer) Close() {
	if w.journal != nil {
		w.journal.Close()
	}
	w.release()
}

// recover finds the next number, and a journal that has not become a report.
func (w *Writer) recover() ([][]byte, error) {
	temporary, _ := filepath.Glob(w.spool.path("*", ".tmp-*")) // the pattern is valid
	journals, _ := filepath.Glob(w.spool.path("journal-*.jsonl"))
	for _, path := range temporary {
		os.Remove(path)
	}
	last, err := w.lastSealed()
	if err != nil {
		return nil, err
	}
	w.seq = last + 1
	var unfinished [][]byte
	for _, path := range journals {
		if path != w.journalPath() {
			os.Remove(path) // its report exists
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("recover %s: %w", path, err)
		}
		unfinished = ParseJournal(text)
	}
	return unfinished, nil
}

// lastSealed is the highest number that any report ever had: the newest report is never
// dropped.
func (w *Writer) lastSealed() (Seq, error) {
	files, err := w.spool.files()
	if err != nil {
		return 0, err
	}
	var last Seq
	for _, f := range files {
		last = max(last, f.seq)
	}
	return last, nil
}

func (w *Writer) journalPath() string {
	return w.spool.path(fmt.Sprintf("journal-%08d.jsonl", uint64(w.seq)))
}

// ParseJournal returns the lines of a journal. The last one is left out if a crash
// has cut it off, and so is one that is not JSON.
func ParseJournal(text []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		whole, ok := bytes.CutSuffix(line, []byte("\n"))
		if ok && len(whole) > 0 && json.Valid(whole) {
			lines = append(lines, whole)
		}
	}
	return lines
}

// Append writes a line to the journal, for good.
func (w *Writer) Append(line []byte) error {
	if w.journal == nil {
		f, err := os.OpenFile(w.journalPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("open journal %d: %w", w.seq, err)
		}
		w.journal = f
		if err := syncDir(w.spool.dir); err != nil {
			return err
		}
	}
	// A line that was cut off before must not swallow this one.
	if _, err := w.journal.Write(append(append([]byte("\n"), line...), '\n')); err != nil {
		return fmt.Errorf("write journal %d: %w", w.seq, err)
	}
	if err := w.journal.Sync(); err != nil {
		return fmt.Errorf("write journal %d: %w", w.seq, err)
	}
	return nil
}

// Seal makes the report pending, under the number that Seq gave, and begins the next.
// If it fails, nothing has changed.
func (w *Writer) Seal(payload []byte) error {
	if err := WriteFile(w.spool.path(pendingDir, w.seq.file()), payload, 0o600); err != nil {
		return err
	}
	if w.journal != nil {
		w.journal.Close()
		w.journal = nil
	}
	os.Remove(w.journalPath()) // if it stays, recover removes it
	w.seq++
	return nil
}

// Prune holds the caps, and returns the pending reports that had to be dropped. The
// newest report stays: it bears the number that the next one follows.
func (w *Writer) Prune(now time.Time) ([]Seq, error) {
	files, err := w.spool.files()
	if err != nil {
		return nil, err
	}
	var total int64
	for _, f := range files {
		total += f.size
	}
	reports := slices.DeleteFunc(files, func(f file) bool { return f.dir == "" || f.seq+1 == w.seq })
	slices.SortFunc(reports, dropOrder)
	var dropped []Seq
	for _, f := range reports {
		if total <= w.limits.Bytes && now.Sub(f.changed) <= w.limits.Age {
			continue
		}
		if f.dir == pendingDir {
			dropped = append(dropped, f.seq)
			w.noteDrop(f)
		}
		os.Remove(w.spool.path(f.dir, f.name+".reason")) // most have none
		if err := os.Remove(w.spool.path(f.dir, f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return dropped, fmt.Errorf("drop report %d: %w", f.seq, err)
		}
		total -= f.size
	}
	return dropped, nil
}

// noteDrop keeps a line of what was dropped, so that a gap can be explained.
func (w *Writer) noteDrop(f file) {
	path := w.spool.path("dropped.jsonl")
	if info, err := os.Stat(path); err == nil && info.Size() > maxDropNotes {
		return
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return // the disk may be full: that is why it is dropped
	}
	defer out.Close()
	fmt.Fprintf(out, "{\"seq\":%d,\"bytes\":%d,\"written\":%q}\n", f.seq, f.size, f.changed.UTC().Format(time.RFC3339))
}

// maxDropNotes is how large the list of what was dropped may become.
const maxDropNotes = 1 << 20
