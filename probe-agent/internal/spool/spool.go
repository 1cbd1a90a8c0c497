package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Seq numbers the reports of a box, from 1.
type Seq uint64

func (s Seq) file() string { return fmt.Sprintf("%08d.json", uint64(s)) }

// The folders of a spool.
const (
	pendingDir  = "pending"
	sentDir     = "sent"
	rejectedDir = "rejected"
)

// Spool is an outbox in a directory. Any number of processes may read it; Writer and
// Sender return the one that may change it.
type Spool struct{ dir string }

// Open makes the directory if it is not there.
func Open(dir string) (*Spool, error) {
	for _, sub := range []string{pendingDir, sentDir, rejectedDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("open spool: %w", err)
		}
	}
	return &Spool{dir}, nil
}

func (s *Spool) path(elements ...string) string {
	return filepath.Join(append([]string{s.dir}, elements...)...)
}

// Pending are the reports to send, oldest first.
func (s *Spool) Pending() ([]Seq, error) { return s.list(pendingDir) }

// Sent are the reports that the server has, as far as they are still kept.
func (s *Spool) Sent() ([]Seq, error) { return s.list(sentDir) }

// Rejected are the reports that the server does not want, as far as they are still kept.
func (s *Spool) Rejected() ([]Seq, error) { return s.list(rejectedDir) }

// Read is the payload of a report, wherever it is; fs.ErrNotExist if it is nowhere.
func (s *Spool) Read(seq Seq) ([]byte, error) {
	for _, dir := range []string{pendingDir, sentDir, rejectedDir} {
		payload, err := os.ReadFile(s.path(dir, seq.file()))
		if !errors.Is(err, fs.ErrNotExist) {
			return payload, err
		}
	}
	return nil, fmt.Errorf("read report %d: %w", seq, fs.ErrNotExist)
}

// Reason is why a report was rejected; "" if it was not.
func (s *Spool) Reason(seq Seq) string {
	text, _ := os.ReadFile(s.path(rejectedDir, seq.file()+".reason")) // none is no reason
	return strings.TrimSpace(string(text))
}

func (s *Spool) list(dir string) ([]Seq, error) {
	entries, err := os.ReadDir(s.path(dir))
	if err != nil {
		return nil, fmt.Errorf("list spool: %w", err)
	}
	var found []Seq
	for _, entry := range entries {
		if seq, ok := parseSeq(entry.Name()); ok {
			found = append(found, seq)
		}
	}
	slices.Sort(found)
	return found, nil
}

// parseSeq reads the number of a report's file name.
func parseSeq(name string) (Seq, bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	n, err := strconv.ParseUint(digits, 10, 64)
	return Seq(n), ok && err == nil && n > 0 && Seq(n).file() == name
}

// Usage is how much the spool holds.
type Usage struct {
	Bytes    int64 `json:"bytes"`
	Pending  int   `json:"pending"`
	Sent     int   `json:"sent"`
	Rejected int   `json:"rejected"`
}

// Usage counts what the spool holds.
func (s *Spool) Usage() (Usage, error) {
	files, err := s.files()
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	for _, f := range files {
		u.Bytes += f.size
		switch f.dir {
		case pendingDir:
			u.Pending++
		case sentDir:
			u.Sent++
		case rejectedDir:
			u.Rejected++
		}
	}
	return u, nil
}

// file is one file of the spool. Only reports have a number.
type file struct {
	dir, name string
	seq       Seq
	size      int64
	changed   time.Time
}

// files are all files, those of the spool's own directory included.
func (s *Spool) files() ([]file, error) {
	var found []file
	for _, dir := range []string{"", pendingDir, sentDir, rejectedDir} {
		entries, err := os.ReadDir(s.path(dir))
		if err != nil {
			return nil, fmt.Errorf("list spool: %w", err)
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err != nil || entry.IsDir() {
				continue // gone since it was listed
			}
			seq, isReport := parseSeq(entry.Name())
			f := file{dir: dir, name: entry.Name(), seq: seq, size: info.Size(), changed: info.ModTime()}
			if !isReport {
				f.dir = "" // counts, but is no report
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// dropOrder is which of two reports is dropped first: what was sent, then what was
// rejected, then what is pending; and in each the oldest.
func dropOrder(a, b file) int {
	rank := map[string]int{sentDir: 0, rejectedDir: 1, pendingDir: 2}
	return cmp.Or(cmp.Compare(rank[a.dir], rank[b.dir]), cmp.Compare(a.seq, b.seq))
}
