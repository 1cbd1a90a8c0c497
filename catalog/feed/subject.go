package feed

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// Subject is what one reading of a feed is about.
type Subject struct {
	Provider catalog.ProviderID // whose prices, where the format does not say
	URLs     []string           // of the documents, in order
	AsOf     catalog.Date       // of the prices; unknown: as the documents say
	Key      Secret             // a credential, where the source wants one
	Limit    int64              // of a document, in bytes; 0 is the format's own
	// Known is what the servers gave with the documents as they were read before.
	Known map[string]catalog.Validators
	// Wanted reports whether the catalogue has a use for a SKU of which the source
	// gives nothing but a price; nil means any.
	Wanted func(provider catalog.ProviderID, sku catalog.SKU) bool
}

// Read reads one kind of feed. An error says that nothing of it can be used.
type Read func(ctx context.Context, from Source, of Subject) (Batch, error)

// Request asks for one of the subject's documents, with its credential if it has
// one.
func (s Subject) Request(url string) Request {
	r := Request{URL: url, Header: make(http.Header), Known: s.Known[url], Limit: s.Limit}
	if s.Key != "" {
		r.Header.Set("Authorization", s.Key.Bearer())
	}
	return r
}

// Each opens the subject's documents one after the other. It reads none if they
// are all as they were before: then it fails with ErrUnchanged.
func (s Subject) Each(ctx context.Context, from Source, b *Batch, read func(*Document) error) error {
	if len(s.URLs) == 0 {
		return fmt.Errorf("read feed: want the address of a document")
	}
	for _, url := range s.URLs {
		request := s.Request(url)
		if len(s.URLs) > 1 {
			request.Known = catalog.Validators{} // a batch is whole: no part of it may be missing
		}
		err := Open(ctx, from, request, func(d *Document) error {
			b.Took(url, d, s.AsOf)
			return read(d)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Open opens a document, reads and closes it.
func Open(ctx context.Context, from Source, r Request, read func(*Document) error) error {
	document, err := from.Open(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = document.Close() }() // it was only read
	if err := read(document); err != nil {
		return fmt.Errorf("read %s: %w", document.Name, err)
	}
	return nil
}

// Took notes a document that the batch is made of. Of several dates the earliest
// counts, and asOf, if it is known, instead of them.
func (b *Batch) Took(url string, d *Document, asOf catalog.Date) {
	if d.Validators != (catalog.Validators{}) {
		if b.Documents == nil {
			b.Documents = make(map[string]catalog.Validators)
		}
		b.Documents[url] = d.Validators
	}
	switch {
	case asOf.Known():
		b.AsOf = asOf
	case !b.AsOf.Known() || d.Date.Before(b.AsOf):
		b.AsOf = d.Date
	}
}

// Secret is a credential. It prints as nothing of itself.
type Secret string

// String hides the secret.
func (s Secret) String() string { return "(hidden)" }

// GoString hides the secret.
func (s Secret) GoString() string { return "(hidden)" }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue("(hidden)") }

// Bearer is the header that carries the secret.
func (s Secret) Bearer() string { return "Bearer " + string(s) }

// Without takes the secret out of a text.
func (s Secret) Without(text string) string {
	if s == "" {
		return text
	}
	return strings.ReplaceAll(text, string(s), "(hidden)")
}
