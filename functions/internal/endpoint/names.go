package endpoint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/query"
)

// namesOf are the words of a catalogue that a text may use.
func namesOf(s *catalog.Snapshot) query.Names {
	return query.Names{
		GPU:      gpuName(s),
		Model:    modelName(s),
		Provider: providerNames(s).find,
		Region:   regionNames(s).find,
	}
}

// gpuName finds a variant, a memory size of open form ("A100-80GB") or a family.
func gpuName(s *catalog.Snapshot) func(string) (string, bool) {
	return func(text string) (string, bool) {
		ids := s.GPUVariants(text)
		if len(ids) == 0 {
			return "", false
		}
		for _, id := range ids {
			if slices.Equal(s.GPUVariants(string(id)), ids) {
				return string(id), true
			}
		}
		gpu, ok := s.GPU(ids[0])
		return gpu.Family, ok
	}
}

// modelName finds a named model.
func modelName(s *catalog.Snapshot) func(string) (string, bool) {
	return func(text string) (string, bool) {
		m, ok := s.Model(text)
		return m.Name, ok
	}
}

// index is canonical spellings by folded name.
type index map[string]string

// add enters a name unless it is taken.
func (x index) add(name, canonical string) {
	if key := folded(name); key != "" && x[key] == "" {
		x[key] = canonical
	}
}

// find looks a name up.
func (x index) find(text string) (canonical string, ok bool) {
	canonical, ok = x[folded(text)]
	return canonical, ok
}

// folded keeps the letters and digits of a name, in lower case and any script.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// spokenProviders are other names of providers that people use, by id.
const spokenProviders = `aws: amazon, 亚马逊, 亚马逊云
azure: microsoft, 微软云
gcp: google, 谷歌云
alibaba: aliyun, alibaba, 阿里云, 阿里
tencent: 腾讯云, 腾讯
oci: oracle, oracle cloud, 甲骨文云
ibm: ibm
lambda: lambda labs, lambda cloud
ovh: ovh
vast: vast
runpod: runpod
verda: datacrunch`

// providerNames indexes ids, product names and what people say.
func providerNames(s *catalog.Snapshot) index {
	x := make(index)
	for _, id := range s.ProviderIDs() {
		x.add(string(id), string(id))
	}
	for _, id := range s.ProviderIDs() {
		p, _ := s.Provider(id)
		x.add(p.Name, string(id))
	}
	for line := range strings.Lines(spokenProviders) {
		id, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if _, ok := s.Provider(catalog.ProviderID(id)); !ok {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			x.add(name, id)
		}
	}
	return x
}

// shortestPlace is the length from which a word may be a region or a city: many
// shorter ids are words ("in", "no", "us").
const shortestPlace = 4

// regionNames indexes regions, and cities that have some. A region that is only a
// country or a continent is left out: its id is an ordinary word.
func regionNames(s *catalog.Snapshot) index {
	x := make(index)
	for _, p := range s.Places() {
		region, _ := s.Region(p)
		id := folded(string(p.Region))
		if len(id) >= shortestPlace && (precise(region) || strings.ContainsAny(id, "0123456789")) {
			x.add(id, string(p.Region))
		}
	}
	for _, p := range s.Places() {
		region, _ := s.Region(p)
		city, _, _ := strings.Cut(region.City, " (")
		if len(folded(city)) >= shortestPlace && precise(region) {
			x.add(city, city)
		}
	}
	return x
}

// precise reports whether a region is known to be at its city or airport.
func precise(r catalog.Region) bool {
	return slices.Contains([]catalog.Precision{catalog.PreciseCity, catalog.PreciseZone, catalog.PreciseAirport}, r.Precision)
}
