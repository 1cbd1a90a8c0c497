package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// quarantining is what the command line says of the quarantine.
type quarantining struct {
	feed, reason string
	all          bool // noted and released rows as well
	limit        int
}

// quarantined is a row of the quarantine with the feed that it is of.
type quarantined struct {
	feed catalog.FeedName
	catalog.Held
}

// mostRows is how many rows of the quarantine are shown unless the command line says
// otherwise.
const mostRows = 50

// quarantine lists the rows that imports held back, or takes some out for good.
func (p *program) quarantine(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "list" && args[0] != "release" {
		return usageError{"quarantine: want list or release"}
	}
	command, args := args[0], args[1:]
	flags, where := storageFlags("quarantine " + command)
	var o quarantining
	flags.StringVar(&o.feed, "feed", "", "")
	if command == "list" {
		flags.StringVar(&o.reason, "reason", "", "")
		flags.BoolVar(&o.all, "all", false, "")
		flags.IntVar(&o.limit, "limit", mostRows, "")
	}
	words, err := wordsOf(flags, args)
	switch {
	case err != nil:
		return err
	case command == "list" && len(words) > 0:
		return usageError{fmt.Sprintf("quarantine list takes no arguments, got %q", words)}
	case command == "release" && len(words) == 0:
		return usageError{"quarantine release: want the ids of rows, as \"tierwise quarantine list\" shows them"}
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	rows, err := held(ctx, s, o.feed)
	if err != nil {
		return err
	}
	p = p.writing(where.json)
	if command == "list" {
		return p.listHeld(rows, o)
	}
	return p.releaseHeld(ctx, s, rows, words)
}

// held are the rows of a feed, or of all.
func held(ctx context.Context, s store, of string) ([]quarantined, error) {
	runs, err := s.FeedRuns(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	var all []quarantined
	for _, r := range runs {
		names = append(names, string(r.Name))
		if of != "" && string(r.Name) != of {
			continue
		}
		rows, err := s.Held(ctx, r.Name)
		if err != nil {
			return nil, err
		}
		for _, h := range rows {
			all = append(all, quarantined{r.Name, h})
		}
	}
	if of != "" && !slices.Contains(names, of) {
		return nil, usageError{fmt.Sprintf("quarantine: no feed %q was imported: want one of %v", of, names)}
	}
	slices.SortStableFunc(all, func(a, b quarantined) int {
		return cmp.Or(cmp.Compare(a.feed, b.feed), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Row, b.Row), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// state is what became of a row, in a word.
func (q quarantined) state() string {
	switch {
	case !q.ReleasedAt.IsZero():
		return "released"
	case q.Noted:
		return "noted"
	}
	return "held"
}

// about is what a row is about and why it is in quarantine.
func (q quarantined) about() string {
	if q.Offer == nil {
		return q.Detail
	}
	return string(q.Offer.ID) + ": " + q.Detail
}

// listHeld prints the rows.
func (p *program) listHeld(rows []quarantined, o quarantining) error {
	shown := slices.DeleteFunc(slices.Clone(rows), func(q quarantined) bool {
		return o.reason != "" && string(q.Reason) != o.reason || !o.all && q.state() != "held"
	})
	more := max(0, len(shown)-max(0, o.limit))
	shown = shown[:len(shown)-more]
	columns := []column{{title: "id"}, {title: "feed", most: 30}, {title: "row", right: true}, {title: "state"}, {title: "reason"}, {title: "since"}}
	var cells [][]string
	result := []heldResult{}
	for _, q := range shown {
		result = append(result, heldResultOf(q))
		cells = append(cells, []string{string(q.ID), string(q.feed), strconv.Itoa(q.Row), q.state(), string(q.Reason), catalog.DateOf(q.HeldAt).String()})
	}
	text := "No row is held.\n"
	if len(shown) > 0 {
		text = table(columns, cells) + "\n"
		for _, q := range shown {
			text += wrap("  "+string(q.ID)+" ", strings.Repeat(" ", 4), q.about())
		}
	}
	if more > 0 {
		text += fmt.Sprintf("\nand %d more (--limit)\n", more)
	}
	if hidden := len(rows) - len(shown) - more; hidden > 0 {
		text += fmt.Sprintf("%d others are noted, released or of another reason (--all).\n", hidden)
	}
	return p.print(result, text)
}

// releaseHeld takes rows out of quarantine for good.
func (p *program) releaseHeld(ctx context.Context, s store, rows []quarantined, ids []string) error {
	byFeed := make(map[catalog.FeedName][]catalog.HeldID)
	var feeds []catalog.FeedName
	for _, id := range ids {
		at := slices.IndexFunc(rows, func(q quarantined) bool { return string(q.ID) == id })
		if at < 0 {
			return fmt.Errorf("no row %q is in quarantine: \"tierwise quarantine list\" shows those that are", id)
		}
		q := rows[at]
		if q.Offer == nil {
			return fmt.Errorf("row %s can't be released, since nobody can read it: %s", id, q.Detail)
		}
		if !slices.Contains(feeds, q.feed) {
			feeds = append(feeds, q.feed)
		}
		byFeed[q.feed] = append(byFeed[q.feed], q.ID)
	}
	i := p.importer(s)
	for _, feed := range feeds {
		result, err := i.Release(ctx, feed, byFeed[feed]...)
		if errors.Is(err, catalog.ErrNotFound) {
			return fmt.Errorf("%w: \"tierwise quarantine list\" shows what there is", err)
		}
		if err != nil {
			return err
		}
		state := "stays current: what is known is newer, or the same"
		if result.Published {
			state = "is current"
		}
		released := releaseResult{string(feed), len(byFeed[feed]), string(result.Version), result.Published}
		if err := p.print(released, fmt.Sprintf("%s: %d released. Version %s %s.\n", feed, len(byFeed[feed]), result.Version, state)); err != nil {
			return err
		}
	}
	return nil
}
