package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/fetch"
	"github.com/tierwise/tierwise/catalog/importer"
	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/functions/internal/refresh"
	"github.com/tierwise/tierwise/functions/internal/supply"
)

// importTimeout bounds an import by hand: price lists of hundreds of megabytes come
// over slow lines.
const importTimeout = 30 * time.Minute

// importMemory is how much memory an import aims to stay below: when it comes near,
// garbage is collected earlier than usual. GOMEMLIMIT sets another aim.
const importMemory = 72 << 20

// importing is what the command line of an import says.
type importing struct {
	feed, provider, asOf string
	accept               []string
	try                  bool
	at                   []string // files and addresses
}

// importPrices imports a feed from files or addresses.
func (p *program) importPrices(ctx context.Context, args []string) error {
	flags, where := storageFlags("import")
	var o importing
	flags.StringVar(&o.feed, "feed", "", "")
	flags.StringVar(&o.provider, "provider", "", "")
	flags.StringVar(&o.asOf, "as-of", "", "")
	flags.BoolVar(&o.try, "dry-run", false, "")
	flags.Func("accept", "", func(guard string) error { o.accept = append(o.accept, guard); return nil })
	var err error
	if o.at, err = wordsOf(flags, args); err != nil {
		return err
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	source, err := p.sourceOf(o)
	if err != nil {
		return err
	}
	options := importer.Options{Try: o.try}
	for _, name := range o.accept {
		if !slices.Contains(importer.Guards(), importer.Guard(name)) {
			return usageError{fmt.Sprintf("unknown guard %q: --accept takes one of %v", name, importer.Guards())}
		}
		options.Accept = append(options.Accept, importer.Guard(name))
	}
	if p.getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(importMemory))
	}
	fmt.Fprintf(p.stderr, "Reading %s ...\n", source.Name())
	result, err := p.importer(s).Import(ctx, options, source)
	if err != nil {
		return err
	}
	return p.writing(where.json).imported(result, o.try)
}

// importer imports into a store.
func (p *program) importer(s store) *importer.Importer {
	return importer.New(importer.Config{Store: s, Baseline: p.load, Now: p.now})
}

// sourceOf is the feed that the command line names.
func (p *program) sourceOf(o importing) (refresh.Source, error) {
	kind, err := refresh.KindOf(o.feed)
	if err != nil {
		return refresh.Source{}, usageError{"import: --feed: " + err.Error()}
	}
	asOf, err := catalog.ParseDate(o.asOf)
	if err != nil {
		return refresh.Source{}, usageError{"import: --as-of: " + err.Error()}
	}
	if len(o.at) == 0 && strings.Contains(kind.URL, "%s") {
		return refresh.Source{}, usageError{"import: want a file or an address"}
	}
	provider, err := p.providerOf(o, kind)
	if err != nil {
		return refresh.Source{}, err
	}
	source := refresh.Source{Kind: kind, Timeout: importTimeout, Subject: feed.Subject{Provider: provider, AsOf: asOf, URLs: o.at}}
	if len(o.at) == 0 {
		source.Subject.URLs = []string{kind.URL}
	}
	if kind.Part != nil {
		source.Part = kind.Part(source.Subject.URLs[0])
	}
	client := fetch.NewClient(fetch.HTTP(), p.now, uint64(p.now().UnixNano()))
	source.From = p.watched(fetch.Either{HTTP: client, Files: fetch.Files{Now: p.now}})
	if kind.Key != "" && fetch.IsAddress(source.Subject.URLs[0]) {
		source.Credential = refresh.World{Secret: p.secret}.Credential(kind)
	}
	return source, nil
}

// secret is what a variable, or a secret that it names, holds.
func (p *program) secret(ctx context.Context, variable string) (string, error) {
	return supply.Secret(ctx, supply.Environment{Getenv: p.getenv, Now: p.now}, variable)
}

// providerOf is the provider that the command line names, or else a document's
// path.
func (p *program) providerOf(o importing, kind refresh.Kind) (catalog.ProviderID, error) {
	if kind.Guess == nil {
		if o.provider != "" {
			return "", usageError{fmt.Sprintf("import: --feed %s says itself whose prices it gives", kind.Name)}
		}
		return "", nil
	}
	s, err := p.load()
	if err != nil {
		return "", fmt.Errorf("load catalogue: %w", err)
	}
	known := func(id catalog.ProviderID) bool { _, ok := s.Provider(id); return ok }
	if o.provider == "" {
		at, _ := filepath.Abs(o.at[0])
		if fetch.IsAddress(o.at[0]) {
			at = o.at[0]
		}
		if id, ok := kind.Guess(at, known); ok {
			return id, nil
		}
		return "", usageError{fmt.Sprintf("import: say with --provider whose prices %s has", o.at[0])}
	}
	if id, ok := kind.Guess(o.provider, known); ok {
		return id, nil
	}
	var names []string
	for _, id := range s.ProviderIDs() {
		names = append(names, string(id))
	}
	reason := fmt.Sprintf("import: unknown provider %q", o.provider)
	if similar := near.Names(o.provider, names); len(similar) > 0 {
		reason += "; did you mean " + strings.Join(similar, ", ") + "?"
	}
	return "", usageError{reason}
}

// watchedStep is how many bytes are read between two lines of progress.
const watchedStep = 25 << 20

// watched reports progress on large documents.
func (p *program) watched(from feed.Source) feed.Source {
	var next int64 = watchedStep
	return fetch.Watched{From: from, Watch: func(name string, bytes int64) {
		if bytes < next-watchedStep { // another document
			next = watchedStep
		}
		if bytes >= next {
			fmt.Fprintf(p.stderr, "%s: %d MB read\n", name, bytes>>20)
			next = (bytes/watchedStep + 1) * watchedStep
		}
	}}
}

// imported prints what an import did. It is an error if a feed, or a part of it,
// was not taken.
func (p *program) imported(result importer.Result, try bool) error {
	var text strings.Builder
	var refused []string
	for i := range result.Reports {
		r := &result.Reports[i]
		text.WriteString(renderReport(r))
		if why := r.Why(); why != "" {
			refused = append(refused, fmt.Sprintf("import of %s refused: %s", r.Feed, why))
		}
	}
	switch {
	case try:
		text.WriteString("Nothing was changed: this was a dry run.\n")
	case result.Published:
		fmt.Fprintf(&text, "Version %s with %d offers is current.\n", result.Version, result.Offers)
	case result.Version == "":
		text.WriteString("Nothing is published: the embedded catalogue is used.\n")
	default:
		fmt.Fprintf(&text, "Version %s with %d offers stays current.\n", result.Version, result.Offers)
	}
	if err := p.print(importResultOf(result, try), text.String()); err != nil {
		return err
	}
	if len(refused) > 0 {
		return fmt.Errorf("%s", strings.Join(refused, "\n"))
	}
	return nil
}
