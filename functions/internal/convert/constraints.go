package convert

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/schemas"
)

// constraints reads what every offer must meet.
func (r *reader) constraints(wire schemas.RecommendRequest) candidate.Constraints {
	c := value(wire.Constraints)
	out := candidate.Constraints{
		Classes:            r.classes(c.ProviderClasses, wire),
		Providers:          candidate.SetOf(r.providers(c.Providers, "/constraints/providers")...),
		ExcludeProviders:   candidate.SetOf(r.providers(c.ExcludeProviders, "/constraints/exclude_providers")...),
		Countries:          candidate.SetOf(r.countries(c.Countries, "/constraints/countries")...),
		ExcludeCountries:   candidate.SetOf(r.countries(c.ExcludeCountries, "/constraints/exclude_countries")...),
		Regions:            candidate.SetOf(r.regions(c.Regions, "/constraints/regions")...),
		Compliance:         r.compliance(c.Compliance),
		Attested:           value(value(wire.Data).Sensitive),
		ECC:                value(c.ECC),
		NVLink:             value(c.NVLink),
		GPUs:               r.allowedGPUs(c.GPUs),
		MinVRAMGB:          r.decimal(c.MinVRAMGB, "/constraints/min_vram_gb").Decimal.InexactFloat64(),
		Near:               r.locality(c),
		MaxInterruptionPct: r.decimal(c.MaxInterruptionPct, "/constraints/max_interruption_pct"),
		MaxInstanceHour:    r.decimal(c.MaxPricePerInstanceHour, "/constraints/max_price_per_instance_hour"),
		MaxGPUHour:         r.decimal(c.MaxPricePerGPUHour, "/constraints/max_price_per_gpu_hour"),
		MaxAgeDays:         value(c.MaxAgeDays),
		AllowUnknown:       candidate.SetOf(words[candidate.Unknown](c.AllowUnknown)...),
	}
	out.CommitmentMonths = or(r, wire.CommitmentMonths, preset[int]{"commitment_months", 0, "no commitment"})
	out.Markets = r.markets(c.PurchaseModels, out.CommitmentMonths, wire.Rental != nil || isPool(wire.Workload))
	if value(wire.Critical) && !out.ECC {
		r.assume("critical", "ECC up to 1.2 x", "a GPU without ECC memory can spoil critical work unnoticed: it is taken where it costs at most a fifth more")
	}
	return out
}

// words are texts as words of a vocabulary; a schema has tested them.
func words[T ~string](texts []string) []T {
	out := make([]T, len(texts))
	for i, text := range texts {
		out[i] = T(text)
	}
	return out
}

// classes reads provider classes. Sensitive data rules peer-to-peer machines out; an
// edge pool is made of them.
func (r *reader) classes(names []string, wire schemas.RecommendRequest) candidate.Set[catalog.ProviderClass] {
	classes := words[catalog.ProviderClass](names)
	sensitive := value(value(wire.Data).Sensitive)
	if len(names) == 0 && isEdge(wire.Workload) && !sensitive && len(value(wire.Constraints).Providers) == 0 {
		r.assume("constraints.provider_classes", string(catalog.Community), "an edge pool is the spare GPUs of a community; state classes to compare with others")
		return candidate.SetOf(catalog.Community)
	}
	if !sensitive {
		return candidate.SetOf(classes...)
	}
	if len(classes) == 0 {
		classes = []catalog.ProviderClass{catalog.Hyperscaler, catalog.Specialist, catalog.Community}
	}
	kept := slices.DeleteFunc(classes, func(c catalog.ProviderClass) bool { return c == catalog.Community })
	if len(kept) == 0 {
		r.fail("/data/sensitive", "sensitive data and community providers only exclude each other")
	}
	r.assume("constraints.provider_classes", joined(kept),
		"sensitive data stays off peer-to-peer machines and with providers that state an attestation; which one is tested only as far as compliance names it")
	return candidate.SetOf(kept...)
}

// markets reads purchase models. By default those that bind are taken as far as
// the commitment covers them; a rental is not to be taken away by the hour.
func (r *reader) markets(names []string, months int, rental bool) candidate.Set[catalog.PurchaseModel] {
	if len(names) > 0 {
		return candidate.SetOf(words[catalog.PurchaseModel](names)...)
	}
	markets, why := []catalog.PurchaseModel{catalog.OnDemand, catalog.Spot}, "the models that bind no longer than the commitment"
	if rental {
		markets, why = markets[:1], "a rental that spot could take away is not the time asked for"
	}
	for _, m := range []catalog.PurchaseModel{catalog.Reserved1Y, catalog.Reserved3Y} {
		if m.TermMonths() <= months {
			markets = append(markets, m)
		}
	}
	r.assume("constraints.purchase_models", joined(markets), why)
	return candidate.SetOf(markets...)
}

// countries reads ISO codes and groups of them.
func (r *reader) countries(names []string, pointer string) []string {
	var codes []string
	for i, name := range names {
		name = strings.ToUpper(name)
		group, isGroup := catalog.CountryGroup(name)
		if !isGroup && !slices.Contains(strings.Fields(isoCountries), name) {
			r.fail(item(pointer, i), "unknown country %s; want an ISO 3166-1 code such as \"DE\" or \"GB\", or the group \"EU\" or \"EEA\"", schemas.Quoted(name))
		}
		if !isGroup {
			group = []string{name}
		}
		codes = append(codes, group...)
	}
	return codes
}

// isoCountries are the officially assigned codes of ISO 3166-1 alpha-2.
const isoCountries = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ
FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT
JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP
MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE
RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV
TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`

// compliance reads attestations. One that no provider states is a misspelling.
func (r *reader) compliance(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	var known []string
	for _, id := range r.snapshot.ProviderIDs() {
		provider, _ := r.snapshot.Provider(id)
		for _, a := range provider.Compliance {
			known = append(known, a.Name)
		}
	}
	for i, name := range names {
		if !slices.ContainsFunc(known, func(k string) bool { return alike(k, name) }) {
			r.unknown(item("/constraints/compliance", i), "attestation", name, known)
		}
	}
	return names
}

// allowedGPUs reads a list of GPUs and families of them.
func (r *reader) allowedGPUs(names []string) candidate.Set[catalog.GPUID] {
	var ids []catalog.GPUID
	for i, name := range names {
		ids = append(ids, r.gpus(name, item("/constraints/gpus", i))...)
	}
	return candidate.SetOf(ids...)
}

// gpus are the variants that a name stands for; several are noted. A name that
// leaves the form factor open ("A100 80GB") stands for every form of that memory.
func (r *reader) gpus(name, pointer string) []catalog.GPUID {
	ids := r.snapshot.GPUVariants(name)
	if len(ids) == 1 {
		ids = r.forms(ids[0])
	}
	if len(ids) == 0 {
		r.unknown(pointer, "GPU", name, gpuNames(r.snapshot))
	}
	if len(ids) > 1 {
		field := strings.TrimPrefix(strings.ReplaceAll(pointer, "/", "."), ".")
		r.assume(field, joined(ids), "every variant of %s", schemas.Quoted(name))
	}
	return ids
}

// forms are the GPUs that an id stands for: the id, and if its form factor is open
// those of the same family and memory.
func (r *reader) forms(id catalog.GPUID) []catalog.GPUID {
	open, ok := r.snapshot.GPU(id)
	if !ok || open.Form != "" {
		return []catalog.GPUID{id}
	}
	var ids []catalog.GPUID
	for _, other := range r.snapshot.GPUIDs() {
		if g, _ := r.snapshot.GPU(other); g.Family == open.Family && g.MemoryGB == open.MemoryGB {
			ids = append(ids, other)
		}
	}
	return ids
}

// gpuNames are the families and ids of all GPUs, each once.
func gpuNames(s *catalog.Snapshot) []string {
	var names []string
	for _, id := range s.GPUIDs() {
		gpu, _ := s.GPU(id)
		names = append(names, gpu.Family, string(id))
	}
	return names
}

// item is the pointer of an item of a list.
func item(list string, i int) string { return list + "/" + strconv.Itoa(i) }
