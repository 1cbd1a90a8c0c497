package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// citation is a source with its licence, "" where none is known.
type citation struct{ text, licence string }

// usage is what a source was used for.
type usage struct {
	facts          map[string]int // by table
	oldest, newest catalog.Date
}

// library collects the sources that the tables cite and gives each an id.
type library struct {
	used     map[citation]*usage
	byID     map[string]citation
	licences map[string]string // by repository
}

// newLibrary is an empty library.
func newLibrary() *library {
	return &library{used: map[citation]*usage{}, byID: map[string]citation{}, licences: map[string]string{}}
}

// readLicences reads the licences of repositories whose facts have none beside them.
func (b *built) readLicences(inputs) error {
	rows, err := b.choice("licences.csv", "repository,licence")
	if err != nil {
		return err
	}
	for _, r := range rows {
		b.library.licences[r.get("repository")] = r.get("licence")
	}
	return nil
}

// cite counts one fact of a table that comes from a source, and returns the
// source's id; "" for no source.
func (l *library) cite(table string, c citation, asOf catalog.Date) (string, error) {
	c.text, c.licence = tidy(c.text), tidy(c.licence)
	if c.text == "" {
		return "", nil
	}
	if c.licence == "" {
		c.licence = l.licences[repository(c.text)]
	}
	u := l.used[c]
	if u == nil {
		u = &usage{facts: map[string]int{}}
		l.used[c] = u
	}
	u.facts[table]++
	u.widen(asOf)
	id := c.id()
	if other, taken := l.byID[id]; taken && other != c {
		return "", fmt.Errorf("cite %q: its id %s is that of %q", c.text, id, other.text)
	}
	l.byID[id] = c
	return id, nil
}

// widen adds a date to the range.
func (u *usage) widen(asOf catalog.Date) {
	if !asOf.Known() {
		return
	}
	if !u.oldest.Known() || asOf.Before(u.oldest) {
		u.oldest = asOf
	}
	if u.newest.Before(asOf) {
		u.newest = asOf
	}
}

// rows are the rows of the table of sources, by id.
func (l *library) rows() [][]string {
	var rows [][]string
	for _, id := range slices.Sorted(maps.Keys(l.byID)) {
		rows = append(rows, []string{id, l.byID[id].text, l.byID[id].licence})
	}
	return rows
}

// id names a source for good: its first word for people, and a digest.
func (c citation) id() string {
	sum := sha256.Sum256([]byte(c.text + "\x00" + c.licence))
	return shortName(c.text) + "-" + hex.EncodeToString(sum[:3])
}

var notNameable = regexp.MustCompile(`[^a-z0-9]+`)

// shortName is the start of a source's text as a word.
func shortName(text string) string {
	const longest = 20
	if about, from, ok := strings.Cut(text, " <- "); ok && !strings.Contains(about, "/") {
		text = from // a list of what came from where
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "github:"), "https://")
	first, _, _ := strings.Cut(strings.ToLower(text), "/")
	name := strings.Trim(notNameable.ReplaceAllString(first, "-"), "-")
	if len(name) > longest {
		name = strings.Trim(name[:longest], "-")
	}
	return name
}

var repositoryName = regexp.MustCompile(`^(?:github:)?([\w.-]+/[\w.-]+)`)

// repository is the "owner/name" that a source's text starts with, or "".
func repository(text string) string {
	m := repositoryName.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// tidy leaves out of a text how its collector came across it.
func tidy(text string) string {
	return strings.TrimSpace(strings.NewReplacer(
		"no LICENSE file of skypilot-catalog in the store", "no LICENSE file seen",
		" in the store", "",
		"id 52515958960", "project notes that cite autodl.com",
		"pages corpus: ", "",
		"code corpus excerpts", "source files of users",
		"code corpus excerpt: ", "",
		"country in offers.csv / region name", "country or region name as the offer's source has it",
		"offers.csv region name", "region name as the offer's source has it",
		"offers.csv country (", "country (",
		" as used in offers.csv", "",
	).Replace(text))
}
