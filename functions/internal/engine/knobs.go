package engine

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// knob is a limit of single offers that can be turned by degrees.
type knob struct {
	field string
	set   func(*candidate.Constraints) bool
	apply func(*candidate.Constraints, decimal.Decimal)
	// value is what an offer has of the limited quantity; ok is false if unknown.
	value func(*candidate.Market, *candidate.Quote, time.Time) (v decimal.Decimal, ok bool)
	// descending says that less is more relaxed.
	descending bool
}

// ladder are the values of all offers, the strictest first.
func (k knob) ladder(m *candidate.Market, now time.Time) []decimal.Decimal {
	var values []decimal.Decimal
	for i := range m.Quotes() {
		if v, ok := k.value(m, &m.Quotes()[i], now); ok {
			values = append(values, v)
		}
	}
	slices.SortFunc(values, decimal.Decimal.Cmp)
	values = slices.CompactFunc(values, decimal.Decimal.Equal)
	if k.descending {
		slices.Reverse(values)
	}
	return values
}

// knobs are the limits of offers in the order in which they are reported.
func knobs() []knob {
	return []knob{
		{
			field: "constraints.max_price_per_instance_hour",
			set:   func(c *candidate.Constraints) bool { return c.MaxInstanceHour.Valid },
			apply: func(c *candidate.Constraints, v decimal.Decimal) { c.MaxInstanceHour = decimal.NewNullDecimal(v) },
			value: func(_ *candidate.Market, q *candidate.Quote, _ time.Time) (decimal.Decimal, bool) {
				return hourly(q, 1)
			},
		},
		{
			field: "constraints.max_price_per_gpu_hour",
			set:   func(c *candidate.Constraints) bool { return c.MaxGPUHour.Valid },
			apply: func(c *candidate.Constraints, v decimal.Decimal) { c.MaxGPUHour = decimal.NewNullDecimal(v) },
			value: func(_ *candidate.Market, q *candidate.Quote, _ time.Time) (decimal.Decimal, bool) {
				gpus, _ := q.Offer.WholeGPUs()
				return hourly(q, gpus)
			},
		},
		{
			field:      "constraints.min_vram_gb",
			set:        func(c *candidate.Constraints) bool { return c.MinVRAMGB > 0 },
			apply:      func(c *candidate.Constraints, v decimal.Decimal) { c.MinVRAMGB = v.InexactFloat64() },
			value:      vram,
			descending: true,
		},
		{
			field: "constraints.max_interruption_pct",
			set:   func(c *candidate.Constraints) bool { return c.MaxInterruptionPct.Valid },
			apply: func(c *candidate.Constraints, v decimal.Decimal) { c.MaxInterruptionPct = decimal.NewNullDecimal(v) },
			value: func(_ *candidate.Market, q *candidate.Quote, _ time.Time) (decimal.Decimal, bool) {
				band := q.Offer.Interruption
				return highOf(band), band.Known() && band.High.Valid
			},
		},
		{
			field: "constraints.max_age_days",
			set:   func(c *candidate.Constraints) bool { return c.MaxAgeDays > 0 },
			apply: func(c *candidate.Constraints, v decimal.Decimal) { c.MaxAgeDays = int(v.IntPart()) },
			value: func(_ *candidate.Market, q *candidate.Quote, now time.Time) (decimal.Decimal, bool) {
				days, ok := q.Offer.AsOf.AgeDays(now)
				return tco.Count(max(days, 1)), ok
			},
		},
	}
}

// hourly is a node's price per hour and GPU in the market's currency, rounded up
// so that an offer at the ceiling passes it.
func hourly(q *candidate.Quote, gpus int) (decimal.Decimal, bool) {
	if q.Unpriced != "" || gpus == 0 {
		return decimal.Zero, false
	}
	rate := tco.Quotient{Num: q.Tariff.Node.Num, Den: q.Tariff.Node.Den}
	exact := q.Tariff.Conversion.Convert(rate).Over(tco.Count(gpus))
	up, rest := exact.Num.QuoRem(exact.Den, tco.Places)
	if rest.IsPositive() {
		up = up.Add(decimal.New(1, -tco.Places))
	}
	return up, true
}

// vram is the memory of an offer's GPU in whole GB, rounded down.
func vram(m *candidate.Market, q *candidate.Quote, _ time.Time) (decimal.Decimal, bool) {
	gpu, ok := m.Snapshot.GPU(q.Offer.GPU)
	return tco.Count(int(gpu.MemoryGB)), ok && gpu.MemoryGB >= 1
}

// highOf is the upper end of a band, zero if it has none.
func highOf(b *catalog.Band) decimal.Decimal {
	if !b.Known() {
		return decimal.Zero
	}
	return b.High.Decimal
}

// listed is a constraint that names what it allows, or asks for a property.
type listed struct {
	field string
	set   func(*Request) bool
	drop  func(*Request)
	value func(wording.Language, *candidate.Candidate) string
}

// lists are the constraints that name things, in the order in which they are reported.
func lists() []listed {
	return []listed{
		{"constraints.max_rtt_ms",
			func(r *Request) bool { return r.Constraints.Near != nil },
			func(r *Request) { r.Constraints.Near = nil },
			func(_ wording.Language, c *candidate.Candidate) string { return c.Site.Place.String() }},
		{"constraints.provider_classes",
			func(r *Request) bool { return r.Constraints.Classes != nil },
			func(r *Request) { r.Constraints.Classes = nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.Provider) }},
		{"constraints.providers",
			func(r *Request) bool { return r.Constraints.Providers != nil || r.Constraints.ExcludeProviders != nil },
			func(r *Request) { r.Constraints.Providers, r.Constraints.ExcludeProviders = nil, nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.Provider) }},
		{"constraints.countries",
			func(r *Request) bool { return r.Constraints.Countries != nil || r.Constraints.ExcludeCountries != nil },
			func(r *Request) { r.Constraints.Countries, r.Constraints.ExcludeCountries = nil, nil },
			func(_ wording.Language, c *candidate.Candidate) string { return c.Offer.Country }},
		{"constraints.regions",
			func(r *Request) bool { return r.Constraints.Regions != nil },
			func(r *Request) { r.Constraints.Regions = nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.Region) }},
		{"constraints.compliance",
			func(r *Request) bool { return len(r.Constraints.Compliance) > 0 },
			func(r *Request) { r.Constraints.Compliance = nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.Provider) }},
		{"data.sensitive",
			func(r *Request) bool { return r.Constraints.Attested },
			func(r *Request) { r.Constraints.Attested, r.Constraints.Classes = false, nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.Provider) }},
		{"constraints.ecc",
			func(r *Request) bool { return r.Constraints.ECC },
			func(r *Request) { r.Constraints.ECC = false },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.GPU) }},
		{"constraints.nvlink",
			func(r *Request) bool { return r.Constraints.NVLink },
			func(r *Request) { r.Constraints.NVLink = false },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.GPU) }},
		{"constraints.purchase_models",
			func(r *Request) bool { return r.Constraints.Markets != nil },
			func(r *Request) { r.Constraints.Markets = nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.Market) }},
		{"constraints.gpus",
			func(r *Request) bool { return r.Constraints.GPUs != nil },
			func(r *Request) { r.Constraints.GPUs = nil },
			func(_ wording.Language, c *candidate.Candidate) string { return string(c.Offer.GPU) }},
		{"hardware",
			func(r *Request) bool { return !r.Hardware.Open() },
			func(r *Request) { r.Hardware = candidate.Pin{} },
			describe},
	}
}
