package convert

import (
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// textGBPerBillionTokens is the size of raw text: about four characters a token.
const textGBPerBillionTokens = 4

// data reads where the dataset lies and where results belong.
func (r *reader) data(wire *schemas.Data, spec *workload.Spec, tokens decimal.Decimal) engine.Data {
	d := value(wire)
	size := preset[string]{"data.size_gb", "10", "GB, a usual dataset for a fine-tune"}
	if spec.Kind == workload.Pretrain {
		size.value = tokens.Shift(-9).Mul(decimal.NewFromInt(textGBPerBillionTokens)).RoundCeil(3).String()
		size.why = "GB, four bytes of text a token"
	}
	spec.DatasetGB = r.decimalOr(d.SizeGB, size).InexactFloat64()
	return r.places(d)
}

// places reads where data comes from and goes to.
func (r *reader) places(d schemas.Data) engine.Data {
	out := engine.Data{
		Place:     r.place(d.Place, "/data/place"),
		ResultsTo: r.place(d.ResultsTo, "/data/results_to"),
	}
	if d.Place == "" {
		r.assume("data.place", "where the first stage runs", "bringing the dataset there costs nothing")
	}
	if d.ResultsTo == "" {
		r.assume("data.results_to", "where the last stage runs", "taking the results away costs nothing")
	}
	return out
}

// place reads "provider/region"; nil for "".
func (r *reader) place(text, pointer string) *catalog.Place {
	if text == "" {
		return nil
	}
	provider, region, _ := strings.Cut(text, "/")
	id, ok := r.provider(provider)
	if !ok {
		r.unknown(pointer, "provider", provider, r.providerNames())
		return nil
	}
	var known []string
	for _, p := range r.snapshot.Places() {
		if p.Provider != id || p.Region == "" {
			continue
		}
		if strings.EqualFold(string(p.Region), region) {
			return &p
		}
		known = append(known, p.String())
	}
	r.unknown(pointer, "place", text, known)
	return nil
}

// provider finds a provider by its id or name, whatever the case and punctuation.
func (r *reader) provider(name string) (id catalog.ProviderID, ok bool) {
	if _, ok := r.snapshot.Provider(catalog.ProviderID(name)); ok {
		return catalog.ProviderID(name), true
	}
	for _, id := range r.snapshot.ProviderIDs() {
		p, _ := r.snapshot.Provider(id)
		if alike(name, string(id)) || alike(name, p.Name) {
			return id, true
		}
	}
	return "", false
}

// alike reports whether two names differ in case and punctuation at most. Names
// without a Latin letter or digit are like no other.
func alike(a, b string) bool {
	folded := catalog.FoldName(a)
	return folded != "" && folded == catalog.FoldName(b)
}

// providerNames are all ids of providers, and their names where they differ.
func (r *reader) providerNames() []string {
	var names []string
	for _, id := range r.snapshot.ProviderIDs() {
		names = append(names, string(id))
		if p, _ := r.snapshot.Provider(id); !alike(p.Name, string(id)) {
			names = append(names, p.Name)
		}
	}
	return names
}

// providers reads a list of providers.
func (r *reader) providers(names []string, pointer string) []catalog.ProviderID {
	var ids []catalog.ProviderID
	for i, name := range names {
		id, ok := r.provider(name)
		if !ok {
			r.unknown(item(pointer, i), "provider", name, r.providerNames())
		}
		ids = append(ids, id)
	}
	return ids
}

// regions reads a list of regions and cities. A city stands for the regions in it.
func (r *reader) regions(names []string, pointer string) []catalog.RegionID {
	if len(names) == 0 {
		return nil
	}
	places := r.snapshot.Places()
	var ids []catalog.RegionID
	for i, name := range names {
		found := regionsNamed(places, name)
		if len(found) == 0 {
			found = r.regionsIn(places, name)
		}
		if len(found) == 0 {
			r.unknown(item(pointer, i), "region", name, r.regionNames(places))
		}
		ids = append(ids, found...)
	}
	return ids
}

// regionsNamed are the regions of a name.
func regionsNamed(places []catalog.Place, name string) []catalog.RegionID {
	found := make(map[catalog.RegionID]bool)
	for _, p := range places {
		if p.Region != "" && strings.EqualFold(string(p.Region), name) {
			found[p.Region] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// regionsIn are the regions in a city, and notes them.
func (r *reader) regionsIn(places []catalog.Place, city string) []catalog.RegionID {
	found := make(map[catalog.RegionID]bool)
	for _, p := range places {
		region, _ := r.snapshot.Region(p)
		if inCity(region) && alike(cityName(region.City), city) {
			found[p.Region] = true
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	if len(ids) > 0 {
		r.assume("constraints.regions", joined(ids), "the regions in %s", schemas.Quoted(city))
	}
	return ids
}

// inCity reports whether a region is known to be in its city.
func inCity(r catalog.Region) bool {
	return r.City != "" && (r.Precision == catalog.PreciseCity || r.Precision == catalog.PreciseZone)
}

// cityName is a city without what the source adds to it: "Zaragoza (Aragon)".
func cityName(city string) string {
	name, _, _ := strings.Cut(city, " (")
	return name
}

// regionNames are the names of all regions and of the cities that they are in,
// each once.
func (r *reader) regionNames(places []catalog.Place) []string {
	names := make(map[string]bool)
	for _, p := range places {
		names[string(p.Region)] = true
		region, _ := r.snapshot.Region(p)
		if inCity(region) {
			names[cityName(region.City)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// joined lists identifiers with commas.
func joined[T ~string](ids []T) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, ", ")
}
