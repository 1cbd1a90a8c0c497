package main

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

const extraColumns = "provider,kind,item,region,tier_from,tier_to,value,unit,currency,as_of,source,note"

// extra is a fact beside the prices: a rate, a rule, a band.
type extra struct {
	row                record
	from, kind, region string
	item, source       string
	asOf               catalog.Date
}

// readExtras reads the facts beside the prices.
func (b *built) readExtras(in inputs) error {
	rows, err := readFiles(in.extras, extraColumns)
	if err != nil {
		return err
	}
	b.report.rows["extras"] = len(rows)
	kinds := []string{
		"egress_internet", "egress_internet_free_tier", "egress_inter_region", "block_storage",
		"billing_increment", "billing_minimum", "spot_interruption_band",
		"idle_rule", "block_storage_idle", imageKind, fabricKind,
	}
	for _, r := range rows {
		if !slices.Contains(kinds, r.get("kind")) {
			b.report.out["extra of a kind that no table holds"]++
			continue
		}
		e, err := parseExtra(r)
		if err != nil {
			return err
		}
		b.extras = append(b.extras, e)
	}
	return nil
}

// parseExtra reads one fact. What its value means depends on its kind.
func parseExtra(r record) (extra, error) {
	asOf, err := catalog.ParseDate(r.get("as_of"))
	if err != nil {
		return extra{}, r.with("as_of", err)
	}
	if r.get("provider") == "" {
		return extra{}, r.fault("provider", "a provider")
	}
	return extra{
		row: r, from: r.get("provider"), kind: r.get("kind"), region: r.get("region"),
		item: r.get("item"), source: r.get("source"), asOf: asOf,
	}, nil
}

// matching are the facts that a choice describes by provider ("from"), kind and
// a part of the source, and that also satisfy more.
func (b *built) matching(choice record, more func(extra) bool) []extra {
	var found []extra
	for _, e := range b.extras {
		if e.from == choice.get("from") && e.kind == choice.get("kind") && strings.Contains(e.source, choice.get("source")) && more(e) {
			found = append(found, e)
		}
	}
	return found
}

// matches reports whether a name fits a pattern: equal, or with the same start
// where the pattern ends in "*".
func matches(pattern, name string) bool {
	if start, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(name, start)
	}
	return pattern == name
}

// perVolume reads the unit of a rate or an allowance: "USD/GiB-month", "TB/month".
// times converts a volume in it to the GB or GiB that is returned.
func perVolume(unit string) (volume catalog.VolumeUnit, times decimal.Decimal, ok bool) {
	one, thousand, binary := decimal.NewFromInt(1), decimal.NewFromInt(1000), decimal.NewFromInt(1024)
	for part := range strings.FieldsFuncSeq(unit, func(r rune) bool { return r == '/' || r == '-' }) {
		switch part {
		case "GB":
			return catalog.GB, one, true
		case "GiB":
			return catalog.GiB, one, true
		case "TB":
			return catalog.GB, thousand, true
		case "TiB":
			return catalog.GiB, binary, true
		}
	}
	return "", decimal.Decimal{}, false
}
