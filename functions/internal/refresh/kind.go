package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/skypilotfeed"
	"github.com/tierwise/tierwise/catalog/importer"
)

// Kind is a format of feeds.
type Kind struct {
	Name string
	Read feed.Read
	// Guess is the provider that a document's address or path names, where the format
	// does not; nil if the format says it.
	Guess func(at string, known func(catalog.ProviderID) bool) (catalog.ProviderID, bool)
	// URL is where the document is published, with the provider's own name in it where
	// %s stands; "" if only a person knows.
	URL string
}

// Kinds are all formats.
func Kinds() []Kind {
	return []Kind{
		{Name: skypilotfeed.Name, Read: skypilotfeed.Read, Guess: skypilotfeed.Provider},
	}
}

// KindOf is the format of a name.
func KindOf(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("unknown feed %q: want one of %v", name, names)
}

// Source is a feed to import.
type Source struct {
	Kind    Kind
	Subject feed.Subject
	From    feed.Source
	Timeout time.Duration // 0 is none
}

// Name is the format's, and the provider's where the format is that of many.
func (s Source) Name() catalog.FeedName {
	if s.Kind.Guess == nil {
		return catalog.FeedName(s.Kind.Name)
	}
	return catalog.FeedName(s.Kind.Name + "/" + string(s.Subject.Provider))
}

// Read reads the feed. No error carries the feed's credential.
func (s Source) Read(ctx context.Context, k importer.Known) (feed.Batch, error) {
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	subject := s.Subject
	subject.Known, subject.Wanted = k.Documents, k.SKU
	batch, err := s.Kind.Read(ctx, s.From, subject)
	if err == nil || errors.Is(err, feed.ErrUnchanged) {
		return batch, err
	}
	if text := err.Error(); subject.Key.Without(text) != text {
		return batch, errors.New(subject.Key.Without(text))
	}
	return batch, err
}
