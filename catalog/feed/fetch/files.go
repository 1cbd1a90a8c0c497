package fetch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Files opens files by their paths. What a request asks for besides does not
// matter. A file's date is the day on which it was last changed.
type Files struct {
	Now func() time.Time
}

// Open opens a file.
func (f Files) Open(_ context.Context, r feed.Request) (*feed.Document, error) {
	file, err := os.Open(r.URL)
	if err != nil {
		return nil, fmt.Errorf("open document: %w", err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder, want a file", r.URL)
	}
	var document *feed.Document
	if err == nil {
		document, err = feed.NewDocument(file, r.Limit, file.Close)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open document: %w", err)
	}
	at := info.ModTime()
	if now := f.Now(); at.After(now) {
		at = now
	}
	document.Name, document.Date, document.Size = filepath.Base(r.URL), catalog.DateOf(at), info.Size()
	return document, nil
}

// Either opens addresses with one source and everything else with another.
type Either struct {
	HTTP, Files feed.Source
}

// Open opens a document.
func (e Either) Open(ctx context.Context, r feed.Request) (*feed.Document, error) {
	if IsAddress(r.URL) {
		return e.HTTP.Open(ctx, r)
	}
	return e.Files.Open(ctx, r)
}

// IsAddress tells an address from a path.
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// Watched tells someone how much of each document was read so far.
type Watched struct {
	From  feed.Source
	Watch func(name string, bytes int64)
}

// Open opens a document.
func (w Watched) Open(ctx context.Context, r feed.Request) (*feed.Document, error) {
	d, err := w.From.Open(ctx, r)
	if err == nil {
		d.Watch = func(bytes int64) { w.Watch(d.Name, bytes) }
	}
	return d, err
}
