package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog/seed"
)

const documentHead = `# Sources of the embedded catalogue

Written by ` + "`go run ./catalog/seed/build`" + `; do not edit. The tables beside this file are normalised facts, each with its date and source.

From sources under Apache-2.0, MIT (a badge in the README counts) and CC BY, facts are taken whole. From a source without a stated licence only
single facts are quoted, and only where a provider would otherwise have no offer: per provider, GPU and purchase model one, the newest, then the
one of fewest GPUs, then the first by region and SKU. Where the newest row of an offer is from such a source, an older row under an open licence
stands in, with its own date; a price that was superseded does so only if the newer one is the same. Earlier prices of an offer come from open licences only. Rates, rules and statements (egress, storage, billing, compliance, specifications) are single
facts wherever they come from.

GPU rental price data by gpurentalprices.com (CC BY 4.0).
`

// document is SOURCES.md: every source with what it gave, how much of it, from
// when, and under which licence.
func (l *library) document() string {
	var out strings.Builder
	out.WriteString(documentHead)
	for _, section := range []struct {
		title  string
		tables []string
		whole  bool // name every text, not only where it is from
	}{
		{"Prices", []string{seed.OffersTable}, true},
		{"Earlier prices", []string{seed.HistoryTable}, true},
		{"Egress, storage, billing, interruption, exchange rates, priors", []string{
			seed.EgressTable, seed.StorageTable, seed.ProvidersTable, seed.InterruptionTable, seed.FXTable, seed.PriorsTable,
		}, true},
		{"Stopped instances, images, networks between nodes", []string{seed.StoppedTable, seed.ImagesTable, seed.FabricTable}, true},
		{"Compliance", []string{seed.ComplianceTable}, true},
		{"Regions", []string{seed.RegionsTable}, true},
		{"GPU specifications", []string{seed.GPUsTable}, false},
		{"Model shapes", []string{seed.ModelsTable}, false},
	} {
		fmt.Fprintf(&out, "\n## %s\n\n| source | dates | licence | facts |\n|---|---|---|---|\n", section.title)
		for _, line := range l.lines(section.tables, section.whole) {
			fmt.Fprintf(&out, "| %s | %s | %s | %d |\n", cell(line.source), line.dates(), cell(cmp.Or(line.licence, "not stated")), line.facts)
		}
	}
	return out.String()
}

// line is one row of the document.
type line struct {
	source, licence string
	facts           int
	usage
}

// dates is the range of dates of a line.
func (n line) dates() string {
	oldest, newest := n.oldest.String(), n.newest.String()
	if oldest == newest {
		return cmp.Or(oldest, "undated")
	}
	return oldest + " to " + newest
}

// lines are the rows of a section, ordered by source.
func (l *library) lines(tables []string, whole bool) []line {
	lines := make(map[citation]line)
	for c, u := range l.used {
		facts := 0
		for _, table := range tables {
			facts += u.facts[table]
		}
		if facts == 0 {
			continue
		}
		for _, from := range origins(c, whole) {
			n := lines[from]
			n.source, n.licence = from.text, from.licence
			n.facts += facts
			n.widen(u.oldest)
			n.widen(u.newest)
			lines[from] = n
		}
	}
	return slices.SortedFunc(maps.Values(lines), func(a, b line) int {
		return cmp.Or(strings.Compare(a.source, b.source), strings.Compare(a.licence, b.licence))
	})
}

// origins are what a citation is shown as: whole, or the repositories and pages
// that a long one lists.
func origins(c citation, whole bool) []citation {
	if whole {
		return []citation{c}
	}
	var found []citation
	for _, part := range strings.Split(strings.ReplaceAll(c.text, " ; ", "; "), "; ") {
		if _, from, ok := strings.Cut(part, "<- "); ok {
			part = from
		}
		origin := citation{originOf(part), c.licence}
		if origin.text != "" && !slices.Contains(found, origin) {
			found = append(found, origin)
		}
	}
	return found
}

// originOf is the repository or site that a part of a long source names, "" if
// the part is a remark.
func originOf(part string) string {
	part = strings.TrimSpace(part)
	page, isPage := strings.CutPrefix(part, "https://")
	if name := repository(part); name != "" && !isPage && !siteName.MatchString(part) {
		return name
	}
	return strings.TrimSuffix(siteName.FindString(page), "/")
}

// siteName is the host that a page's address starts with.
var siteName = regexp.MustCompile(`^([a-z0-9-]+\.)+(com|org|net|io|ai|co|in|info|name|network|nl)(/|$|\b)`)

// cell is a text within a table of the document.
func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
