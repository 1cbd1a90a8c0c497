package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// addRegions adds the regions, and a bare row for every place that only an offer
// names.
func (b *built) addRegions(in inputs) error {
	rows, err := readFiles(in.regions, "provider,region,country,city,lat,lon,jurisdiction,precision,source,note")
	if err != nil {
		return err
	}
	b.report.rows["regions"] = len(rows)
	regions := make(map[catalog.Place][]string)
	for _, r := range rows {
		place := catalog.Place{Provider: catalog.ProviderID(r.get("provider")), Region: catalog.RegionID(r.get("region"))}
		if _, ok := b.providers[place.Provider]; !ok {
			return r.fault("provider", "a provider of choices/providers.csv")
		}
		source, err := b.library.cite(seed.RegionsTable, citation{text: r.get("source")}, catalog.Date{})
		if err != nil {
			return err
		}
		regions[place] = []string{
			r.get("country"), r.get("city"), r.get("jurisdiction"), r.get("lat"), r.get("lon"), string(precision(r)), source,
		}
	}
	for place, country := range b.offerPlaces() {
		if regions[place] == nil {
			regions[place] = []string{country, "", "", "", "", "", ""}
			b.report.notes["place that only offers name"]++
		}
	}
	for _, place := range slices.SortedFunc(maps.Keys(regions), byPlace) {
		b.add(seed.RegionsTable, append([]string{string(place.Provider), string(place.Region)}, regions[place]...)...)
	}
	return nil
}

// byPlace orders places as they are written.
func byPlace(x, y catalog.Place) int {
	return cmp.Or(strings.Compare(string(x.Provider), string(y.Provider)), strings.Compare(string(x.Region), string(y.Region)))
}

// offerPlaces are the places of all offers with their country: "" where offers
// of one place disagree.
func (b *built) offerPlaces() map[catalog.Place]string {
	places := make(map[catalog.Place]string)
	for _, o := range b.offers {
		if country, seen := places[o.Place]; seen && country != o.country {
			places[o.Place] = ""
			continue
		}
		places[o.Place] = o.country
	}
	return places
}

// addCompliance adds the compliance statements.
func (b *built) addCompliance(in inputs) error {
	rows, err := readFiles(in.compliance, "provider,attestation,scope_note,source,as_of")
	if err != nil {
		return err
	}
	b.report.rows["compliance"] = len(rows)
	for _, r := range rows {
		if _, ok := b.providers[catalog.ProviderID(r.get("provider"))]; !ok {
			return r.fault("provider", "a provider of choices/providers.csv")
		}
		if notAttested(r.get("attestation"), r.get("scope_note")) {
			b.report.out["compliance: the source does not state it"]++
			continue
		}
		asOf, err := catalog.ParseDate(r.get("as_of"))
		if err != nil {
			return r.with("as_of", err)
		}
		source, err := b.library.cite(seed.ComplianceTable, citation{text: r.get("source")}, asOf)
		if err != nil {
			return err
		}
		b.add(seed.ComplianceTable, r.get("provider"), r.get("attestation"), tidy(r.get("scope_note")), asOf.String(), source)
	}
	slices.SortStableFunc(b.tables[seed.ComplianceTable], slices.Compare)
	return nil
}

// notAttested reports whether the collector's own note says that the words were
// found but that the provider does not claim the thing, or not in earnest.
func notAttested(attestation, scope string) bool {
	if strings.HasPrefix(attestation, "FedRAMP") && strings.Contains(scope, "FedRAMP mention is not an authorization") {
		return true
	}
	return attestation == "none stated" || slices.ContainsFunc([]string{
		"currently in progress", "probably a mention only", "not a certificate", "; contradicts", "; weak", "did not find",
	}, func(words string) bool { return strings.Contains(scope, words) })
}

// addBands adds the monthly interruption bands, of spot offers and of instances that
// the catalogue has no spot offer of.
func (b *built) addBands(inputs) error {
	spot := make(map[catalog.Place]map[string]bool)
	for _, o := range b.offers {
		if o.market != catalog.Spot {
			continue
		}
		if spot[o.Place] == nil {
			spot[o.Place] = make(map[string]bool)
		}
		spot[o.Place][o.sku] = true
	}
	for _, e := range b.extras {
		place := catalog.Place{Provider: catalog.ProviderID(e.from), Region: catalog.RegionID(e.region)}
		if e.kind != "spot_interruption_band" {
			continue
		}
		b.report.rows["interruption bands"]++
		if !spot[place][e.item] {
			b.report.notes["interruption band without a spot offer"]++
		}
		if err := b.addBand(e, place); err != nil {
			return err
		}
	}
	slices.SortFunc(b.tables[seed.InterruptionTable], slices.Compare)
	return nil
}

// addBand adds one interruption band.
func (b *built) addBand(e extra, place catalog.Place) error {
	if _, ok := b.providers[place.Provider]; !ok {
		return e.row.fault("provider", "a provider of choices/providers.csv")
	}
	low, high, ok := percentBand(e.row.get("value"))
	if !ok {
		return e.row.fault("value", "<5%, 5-10%, 10-15%, 15-20% or >20%")
	}
	source, err := b.library.cite(seed.InterruptionTable, citation{text: e.source}, e.asOf)
	if err != nil {
		return err
	}
	b.add(seed.InterruptionTable, string(place.Provider), string(place.Region), e.item, low, high, e.asOf.String(), source)
	return nil
}

// percentBand reads a band as its source writes it; high is "" where it is open.
func percentBand(text string) (low, high string, ok bool) {
	bands := map[string][2]string{
		"<5%": {"0", "5"}, "5-10%": {"5", "10"}, "10-15%": {"10", "15"}, "15-20%": {"15", "20"}, ">20%": {"20", ""},
	}
	b, ok := bands[text]
	return b[0], b[1], ok
}

// precision is what a region's point stands for. The capital of a large country
// says nothing about distances; the source remarks which those are.
func precision(r record) catalog.Precision {
	p := catalog.Precision(r.get("precision"))
	if p == catalog.PreciseCapital && strings.Contains(r.get("note"), "large country") {
		return catalog.LargeCountryCapital
	}
	return p
}
