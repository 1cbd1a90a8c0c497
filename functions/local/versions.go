package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// catalogue lists, publishes and takes back versions of the catalogue.
func (p *program) catalogue(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{"catalog: want versions, publish or rollback"}
	}
	command, args := args[0], args[1:]
	flags, where := storageFlags("catalog " + command)
	var names []string
	act := map[string]func(*program, context.Context, store, []string) error{
		"versions": (*program).versions, "publish": (*program).publish, "rollback": (*program).rollback,
	}[command]
	if act == nil {
		return usageError{fmt.Sprintf("catalog: unknown command %q: want versions, publish or rollback", command)}
	}
	if command == "rollback" {
		names = []string{"VERSION"}
	}
	words, err := parsed(flags, args, names...)
	if err != nil {
		return err
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	return act(p.writing(where.json), ctx, s, words)
}

// versions lists what can be read, the current version first.
func (p *program) versions(ctx context.Context, s store, _ []string) error {
	all, err := s.Publications(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return p.print([]version{}, "Nothing is published: the embedded catalogue is used.\n")
	}
	columns := []column{{title: "version"}, {title: "number", right: true}, {title: "published"}, {title: "offers", right: true}, {title: "KB", right: true}, {title: ""}}
	var rows [][]string
	var result []version
	for i, v := range all {
		result = append(result, versionFor(v, i == 0))
		note := ""
		if v.RolledBack {
			note = "rollback"
		}
		if i == 0 {
			note = "current " + note
		}
		rows = append(rows, []string{string(v.Version), strconv.FormatInt(v.Sequence, 10), v.At.UTC().Format(time.RFC3339),
			strconv.Itoa(v.Offers), strconv.Itoa((v.Bytes + 999) / 1000), note})
	}
	return p.print(result, table(columns, rows))
}

// version is a version of the catalogue in JSON.
type version struct {
	Version    string `json:"version"`
	Number     int64  `json:"number"`
	Published  string `json:"published_at"`
	Offers     int    `json:"offers"`
	Bytes      int    `json:"bytes"`
	Current    bool   `json:"current"`
	RolledBack bool   `json:"rolled_back"`
}

// versionFor is a publication in JSON.
func versionFor(v catalog.Publication, current bool) version {
	return version{string(v.Version), v.Sequence, v.At.UTC().Format(time.RFC3339), v.Offers, v.Bytes, current, v.RolledBack}
}

// base is the current version, "" if nothing is published.
func base(ctx context.Context, s store) (catalog.Version, error) {
	current, err := s.Current(ctx)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return "", err
	}
	return current.Version, nil
}

// publish publishes the embedded catalogue.
func (p *program) publish(ctx context.Context, s store, _ []string) error {
	next, err := p.load()
	if err != nil {
		return fmt.Errorf("load catalogue: %w", err)
	}
	from, err := base(ctx, s)
	if err != nil {
		return err
	}
	done, err := s.Publish(ctx, from, next)
	if err != nil {
		return err
	}
	return p.announceVersion(from, done)
}

// rollback makes an earlier version current again.
func (p *program) rollback(ctx context.Context, s store, words []string) error {
	from, err := base(ctx, s)
	if err != nil {
		return err
	}
	done, err := s.Rollback(ctx, from, catalog.Version(words[0]))
	if errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("%w: \"tierwise catalog versions\" lists what there is", err)
	}
	if err != nil {
		return err
	}
	return p.announceVersion(from, done)
}

// announceVersion says what is current now.
func (p *program) announceVersion(from catalog.Version, done catalog.Publication) error {
	text := fmt.Sprintf("Version %s with %d offers is current, number %d.\n", done.Version, done.Offers, done.Sequence)
	if from == done.Version {
		text = fmt.Sprintf("Version %s is current already, number %d.\n", done.Version, done.Sequence)
	}
	return p.print(versionFor(done, true), text)
}
