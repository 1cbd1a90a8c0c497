package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sync"
)

// LineWriter cuts what is written to it into lines, and hands each to a function. A
// line that is too long is dropped. It may be used from several goroutines.
type LineWriter struct {
	mu   sync.Mutex
	rest []byte
	long bool
	line func(string)
}

// NewLineWriter hands lines to a function, one at a time.
func NewLineWriter(line func(string)) *LineWriter { return &LineWriter{line: line} }

// Write never fails.
func (w *LineWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(text)
	for {
		// Progress bars return to the start of the line instead of ending it.
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			break
		}
		if line := append(w.rest, text[:end]...); !w.long && len(line) > 0 && len(line) <= MaxLine {
			w.line(string(line))
		}
		w.rest, w.long, text = w.rest[:0], false, text[end+1:]
	}
	if len(w.rest)+len(text) > MaxLine {
		w.rest, w.long = w.rest[:0], true
		return n, nil
	}
	w.rest = append(w.rest, text...)
	return n, nil
}

// File follows a file that a program appends its rates to, or replaces. Make one with
// Follow.
type File struct {
	path   string
	unit   Unit
	offset int64
	last   fs.FileInfo
}

// Follow reads a file from its present end; rates are in the unit given unless a line
// says otherwise. The file need not exist yet.
func Follow(path string, unit Unit) *File {
	f := &File{path: path, unit: unit}
	if info, err := os.Stat(path); err == nil {
		f.offset, f.last = info.Size(), info
	}
	return f
}

// maxRead is how much of a file is read at a time.
const maxRead = 1 << 20

// Read returns the rates that were added since. Lines that hold none are passed over.
func (f *File) Read() ([]Rate, error) {
	in, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.offset, f.last = 0, nil
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	if f.last == nil || !os.SameFile(info, f.last) || info.Size() < f.offset {
		f.offset = 0 // it is another file, or was cut
	}
	f.last = info
	text := make([]byte, min(maxRead, info.Size()-f.offset))
	n, err := in.ReadAt(text, f.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read rates: %w", err)
	}
	text = text[:n]
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole == 0 && n == maxRead {
		whole = n // one endless line
	}
	f.offset += int64(whole)
	return f.parse(text[:whole]), nil
}

func (f *File) parse(text []byte) []Rate {
	var rates []Rate
	for line := range bytes.Lines(text) {
		if r, err := ParseRate(string(line), f.unit); err == nil {
			rates = append(rates, r)
		}
	}
	return rates
}

// Handler takes rates by POST, one a line of the body.
func Handler(unit Unit, take func(Rate)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "want POST", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxLine))
		if err != nil {
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
			return
		}
		var rates []Rate
		for line := range bytes.Lines(body) {
			rate, err := ParseRate(string(line), unit)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			rates = append(rates, rate)
		}
		for _, rate := range rates {
			take(rate)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
