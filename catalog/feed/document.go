package feed

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/tierwise/tierwise/catalog"
)

// ErrUnchanged says that a document is the one that was read before.
var ErrUnchanged = errors.New("unchanged")

// Request asks a source for a document.
type Request struct {
	URL    string
	Method string // "" is GET
	Header http.Header
	Body   []byte
	// Known is what the server gave with the document as it was read before.
	Known catalog.Validators
	// Limit is the size of the largest document in bytes, decompressed; 0 is
	// DefaultLimit.
	Limit int64
}

// DefaultLimit is the size of the largest document unless a request says otherwise.
const DefaultLimit = 64 << 20

// Source opens documents. It fails with ErrUnchanged if the document is Known.
type Source interface {
	Open(ctx context.Context, r Request) (*Document, error)
}

// Document is an open document: decompressed text without a byte order mark, at
// most as long as the request's limit.
type Document struct {
	Name string // a file's name, or an address without its query
	// Date is the day that the source gives the document, or else the day on which it
	// was read.
	Date       catalog.Date
	Validators catalog.Validators
	Size       int64 // as it comes, in bytes; 0 if the source does not say
	// Watch is told how much was read; nil if nobody wants to know.
	Watch func(bytes int64)

	text  *bufio.Reader
	close func() error
	last  byte // of what was read so far
	bytes int64
}

// bufferSize is how much of a document is held at once.
const bufferSize = 64 << 10

// NewDocument opens what content holds: gzip, or a zip archive of one file, is
// decompressed, a byte order mark is dropped. It refuses what is no text in UTF-8. close is called by Close.
func NewDocument(content io.Reader, limit int64, close func() error) (*Document, error) {
	d := &Document{close: close}
	if limit <= 0 {
		limit = DefaultLimit
	}
	unpacked, err := unpack(bufio.NewReaderSize(content, bufferSize), limit)
	if err != nil {
		return nil, err
	}
	d.text = bufio.NewReaderSize(&limited{unpacked, limit, limit}, bufferSize)
	return d, d.checkStart()
}

// unpack decompresses what its first bytes say is compressed.
func unpack(packed *bufio.Reader, limit int64) (io.Reader, error) {
	magic, _ := packed.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		return unpacked, nil
	case bytes.Equal(magic, []byte("PK\x03\x04")):
		return only(packed, limit)
	}
	return packed, nil
}

// only is the one file of a zip archive, which is read whole: its index stands at
// its end.
func only(packed io.Reader, limit int64) (io.Reader, error) {
	whole, err := io.ReadAll(&limited{packed, limit, limit})
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	if len(archive.File) != 1 {
		return nil, fmt.Errorf("read zip: %d files, want one", len(archive.File))
	}
	unpacked, err := archive.File[0].Open()
	if err != nil {
		return nil, fmt.Errorf("read zip: %w", err)
	}
	return unpacked, nil
}

// checkStart drops a byte order mark and refuses other encodings than UTF-8.
func (d *Document) checkStart() error {
	start, err := d.text.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read document: %w", err)
	}
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		_, _ = d.text.Discard(3)
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return &Fault{Row: 1, Got: "UTF-16", Want: "text in UTF-8"}
	case bytes.IndexByte(start, 0) >= 0:
		return &Fault{Row: 1, Got: "zero bytes", Want: "text in UTF-8"}
	}
	return nil
}

// Read reads the text.
func (d *Document) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if n > 0 {
		d.last = p[n-1]
		d.bytes += int64(n)
	}
	if d.Watch != nil {
		d.Watch(d.bytes)
	}
	return n, err
}

// Close ends the reading.
func (d *Document) Close() error {
	if d.close == nil {
		return nil
	}
	return d.close()
}

// endsInside reports whether what was read so far does not end with a line's end.
func (d *Document) endsInside() bool { return d.bytes > 0 && d.last != '\n' }

// Expect refuses a document that does not begin as its format does: JSON with one
// of "{[", XML with "<", a table with anything else. It is how a page of HTML is
// told from an answer.
func (d *Document) Expect(format string, first string) error {
	start, err := d.text.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read document: %w", err)
	}
	start = bytes.TrimLeft(start, " \t\r\n")
	if len(start) == 0 {
		return &Fault{Row: 1, Got: "", Want: format + ", not an empty document"}
	}
	marked := bytes.IndexByte([]byte("{[<"), start[0]) >= 0
	if first == "" && !marked || first != "" && bytes.IndexByte([]byte(first), start[0]) >= 0 {
		return nil
	}
	line, _, _ := bytes.Cut(start, []byte("\n"))
	return &Fault{Row: 1, Got: string(line), Want: format}
}

// limited reads at most left bytes and then fails, unlike io.LimitedReader.
type limited struct {
	from io.Reader
	left int64
	all  int64
}

// Read fails once there is more than the limit.
func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, fmt.Errorf("a document of more than %d bytes: %w", l.all, ErrTooLarge)
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n - 1, fmt.Errorf("a document of more than %d bytes: %w", l.all, ErrTooLarge)
	}
	return n, err
}

// largestPart is the size of the largest row of a table, or value of a JSON document,
// that is held at once.
const largestPart = 16 << 20

// parted is a document that is read part by part. It fails once a part is larger than
// can be held: a quote, or a string, that never ends would take the rest of the
// document into memory.
type parted struct {
	from io.Reader
	done func() int64 // how much of what was read belongs to parts that have ended
	read int64
}

// Read reads what the next parts are made of.
func (p *parted) Read(b []byte) (int, error) {
	if p.done != nil && p.read-p.done() > largestPart {
		return 0, fmt.Errorf("a row or a value of more than %d bytes: %w", largestPart, ErrTooLarge)
	}
	n, err := p.from.Read(b)
	p.read += int64(n)
	return n, err
}

// ErrTooLarge says that a document is longer than its request allows.
var ErrTooLarge = errors.New("too large")
