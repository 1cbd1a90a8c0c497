package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/awsfeed"
	"github.com/tierwise/tierwise/catalog/feed/azurefeed"
	"github.com/tierwise/tierwise/catalog/feed/ecbfeed"
	"github.com/tierwise/tierwise/catalog/feed/gpuhuntfeed"
	"github.com/tierwise/tierwise/catalog/feed/lambdalabsfeed"
	"github.com/tierwise/tierwise/catalog/feed/skypilotfeed"
	"github.com/tierwise/tierwise/catalog/feed/spotadvisorfeed"
	"github.com/tierwise/tierwise/catalog/feed/vastfeed"
	"github.com/tierwise/tierwise/catalog/importer"
)

// Kind is a format of feeds.
type Kind struct {
	Name string
	Read feed.Read
	// Guess is the provider that a document's address or path names, where the format
	// does not; nil if the format says it.
	Guess func(at string, known func(catalog.ProviderID) bool) (catalog.ProviderID, bool)
	// URL is where the document is published, with the name of a part of the feed
	// where %s stands: a provider's as the source calls it, or a region's.
	URL string
	// Part is the part that a document's address names, "" if it names none; nil if
	// the feed has none but providers.
	Part func(at string) string
	// Key begins the names of the variables that hold the source's credential, or
	// name the secret that does; "" if it wants none.
	Key       string
	KeyNeeded bool // the source answers nobody without one

	Every   time.Duration // between two readings, unless someone says otherwise
	Timeout time.Duration // of a reading
}

// SecretSuffix ends the name of a variable that names a secret instead of holding it.
const SecretSuffix = "_SECRET"

// Kinds are all formats.
func Kinds() []Kind {
	const hour = time.Hour
	return []Kind{
		{Name: skypilotfeed.Name, Read: skypilotfeed.Read, Guess: skypilotfeed.Provider, URL: skypilotfeed.URL, Every: 6 * hour, Timeout: time.Minute},
		{Name: gpuhuntfeed.Name, Read: gpuhuntfeed.Read, Guess: gpuhuntfeed.Provider, URL: gpuhuntfeed.URL, Every: 24 * hour, Timeout: time.Minute},
		{Name: awsfeed.Name, Read: awsfeed.Read, URL: awsfeed.URL, Part: awsfeed.Region, Every: 24 * hour, Timeout: 5 * time.Minute},
		{Name: spotadvisorfeed.Name, Read: spotadvisorfeed.Read, URL: spotadvisorfeed.URL, Every: 24 * hour, Timeout: time.Minute},
		{Name: azurefeed.Name, Read: azurefeed.Read, URL: azurefeed.URL, Every: 24 * hour, Timeout: 5 * time.Minute},
		{Name: vastfeed.Name, Read: vastfeed.Read, URL: vastfeed.URL, Key: "VAST_KEY", Every: hour, Timeout: time.Minute},
		{Name: lambdalabsfeed.Name, Read: lambdalabsfeed.Read, URL: lambdalabsfeed.URL, Key: "LAMBDALABS_KEY", KeyNeeded: true, Every: hour, Timeout: 30 * time.Second},
		{Name: ecbfeed.Name, Read: ecbfeed.Read, URL: ecbfeed.URL, Every: 24 * hour, Timeout: 30 * time.Second},
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
	Part    string // of the feed, "" if it has none
	From    feed.Source
	Timeout time.Duration // 0 is none
	// Credential is what the source wants to see; nil if it wants nothing.
	Credential func(ctx context.Context) (feed.Secret, error)
}

// Name is the format's, and the provider's where the format is that of many, or the
// part's where the feed has some.
func (s Source) Name() catalog.FeedName {
	part := s.Part
	if s.Kind.Guess != nil {
		part = string(s.Subject.Provider)
	}
	if part == "" {
		return catalog.FeedName(s.Kind.Name)
	}
	return catalog.FeedName(s.Kind.Name + "/" + part)
}

// Read reads the feed. No error carries the feed's credential. A reader that panics
// is a feed that can't be read: it keeps no other from being.
func (s Source) Read(ctx context.Context, k importer.Known) (batch feed.Batch, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			batch, err = feed.Batch{}, fmt.Errorf("read %s: the reader failed: %s", s.Name(), s.Subject.Key.Without(fmt.Sprint(reason)))
		}
	}()
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
		defer cancel()
	}
	if s.Credential != nil {
		if s.Subject.Key, err = s.Credential(ctx); err != nil {
			return batch, fmt.Errorf("read %s: %w", s.Name(), err)
		}
		if s.Kind.KeyNeeded && s.Subject.Key == "" {
			return batch, fmt.Errorf("read %s: want a credential in %s, or the name of its secret in %s%s", s.Name(), s.Kind.Key, s.Kind.Key, SecretSuffix)
		}
	}
	subject := s.Subject
	subject.Known, subject.Wanted = k.Documents, k.SKU
	batch, err = s.Kind.Read(ctx, s.From, subject)
	if err == nil || errors.Is(err, feed.ErrUnchanged) {
		return batch, err
	}
	if text := err.Error(); subject.Key.Without(text) != text {
		return batch, errors.New(subject.Key.Without(text))
	}
	return batch, err
}
