package convert

import (
	"encoding/json"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/schemas"
)

// terms are how an offer is charged in the answer's currency.
type terms struct {
	node             catalog.Rate // one rentable instance, as its source prices it
	conversion       tco.Conversion
	known            bool  // there is a price that can be converted
	incrementSeconds int64 // 0 if no source states it
}

// quoted are the terms of a quote.
func quoted(q *candidate.Quote) terms {
	t := terms{node: q.Tariff.Node, conversion: q.Tariff.Conversion, known: !q.Tariff.Node.Den.IsZero()}
	if !q.IncrementAssumed {
		t.incrementSeconds = q.Tariff.IncrementSeconds
	}
	return t
}

// offer writes an offer as one rentable instance of it, priced in the answer's
// currency.
func (w writer) offer(o *catalog.Offer, t terms) schemas.Offer {
	provider, _ := w.snapshot.Provider(o.Provider)
	out := schemas.Offer{
		ID:            string(o.ID),
		Provider:      string(o.Provider),
		ProviderClass: string(provider.Class),
		SKU:           string(o.SKU),
		Region:        string(o.Region),
		Country:       known(o.Country),
		PurchaseModel: string(o.Market),
		Availability:  o.Availability.String(),
		Compliance:    make([]string, 0, len(provider.Compliance)),
		AsOf:          known(o.AsOf.String()),
		Source:        o.Source,
		Flags:         []string{},
	}
	for _, a := range provider.Compliance {
		out.Compliance = append(out.Compliance, a.Name)
	}
	for _, f := range o.Flags {
		out.Flags = append(out.Flags, string(f))
	}
	if days, ok := o.AsOf.AgeDays(w.computedAt); ok {
		stale := days > engine.OldPriceDays
		out.AgeDays, out.Stale = &days, &stale
	}
	if o.Interruption.Known() {
		out.InterruptionPct = &[2]*string{maybe(o.Interruption.Low), maybe(o.Interruption.High)}
	}
	if t.incrementSeconds > 0 {
		out.BillingIncrementS = &t.incrementSeconds
	}
	w.hardware(&out, o)
	w.prices(&out, o, t)
	return out
}

// units is how many priced units make up one rentable instance: more than one
// where the provider lets a least number of single GPUs.
func units(o *catalog.Offer) float64 {
	gpus := o.NodeGPUs()
	if o.Price.Basis != catalog.PerGPUHour || !gpus.Valid || !zeroIfNone(o.GPUs).IsPositive() {
		return 1
	}
	return gpus.Decimal.InexactFloat64() / o.GPUs.Decimal.InexactFloat64()
}

// hardware writes what one instance holds.
func (w writer) hardware(out *schemas.Offer, o *catalog.Offer) {
	each := units(o)
	out.VCPU = count(o.VCPUs * each)
	out.RAMGB = gigabytes(o.RAMGB * each)
	if !o.HasGPU() {
		return
	}
	gpu, _ := w.snapshot.GPU(o.GPU)
	out.GPU = known(string(o.GPU))
	if gpu.Tier != catalog.TierUnknown {
		tier := int(gpu.Tier)
		out.Tier = &tier
	}
	out.ECC = yesNo(gpu.ECC)
	perGPU, _ := w.snapshot.VRAMPerGPU(o)
	out.VRAMPerGPUGB = gigabytes(perGPU)
	gpus := o.NodeGPUs()
	if !gpus.Valid {
		return
	}
	n := gpus.Decimal.InexactFloat64()
	out.GPUCount = count(n)
	out.VRAMTotalGB = gigabytes(perGPU * max(1, n)) // the memory of a slice is all it has
	if n > 1 {
		out.Interconnect = link(gpu.NVLink)
	}
}

// prices writes the price of an instance and of a GPU, and which of them are not
// the source's own.
func (w writer) prices(out *schemas.Offer, o *catalog.Offer, t terms) {
	out.PriceBasis, out.Derived = string(o.Price.Basis), []string{}
	out.Currency, out.NativeCurrency = string(w.currency), string(o.Price.Currency)
	out.NativePrice = maybe(o.Price.Amount)
	if !t.known {
		return
	}
	instance := tco.Quotient{Num: t.node.Num, Den: t.node.Den}
	own := t.conversion.Identity()
	out.PricePerInstanceHour = price(t.conversion.Convert(instance))
	if own && o.Price.Basis == catalog.PerInstanceHour {
		out.PricePerInstanceHour = out.NativePrice
	} else {
		out.Derived = append(out.Derived, "price_per_instance_hour")
	}
	gpus := o.NodeGPUs()
	if !o.HasGPU() || !zeroIfNone(gpus).IsPositive() {
		return
	}
	out.PricePerGPUHour = price(t.conversion.Convert(instance.Over(gpus.Decimal)))
	if own && o.Price.Basis == catalog.PerGPUHour {
		out.PricePerGPUHour = out.NativePrice
	} else {
		out.Derived = append(out.Derived, "price_per_gpu_hour")
	}
}

// price writes a derived price: a product in full, a quotient rounded once to
// tco.Places decimals, half to even.
func price(q tco.Quotient) *string {
	if q.Den.Equal(decimal.NewFromInt(1)) {
		return known(amount(q.Num))
	}
	return known(amount(q.Round(tco.Places)))
}

// maybe writes a decimal; nil if it is not valid.
func maybe(d decimal.NullDecimal) *string {
	if !d.Valid {
		return nil
	}
	return known(amount(d.Decimal))
}

// count writes a number of things; nil if it is zero, which is unknown.
func count(n float64) *json.Number {
	if n <= 0 {
		return nil
	}
	number := json.Number(strconv.FormatFloat(n, 'f', -1, 64))
	return &number
}

// gigabytes writes a volume; nil if it is zero, which is unknown.
func gigabytes(gb float64) *string {
	if gb <= 0 {
		return nil
	}
	return known(trimmed(gb, gbPlaces))
}

// yesNo writes a fact; nil if it is unknown.
func yesNo(t catalog.Tri) *bool {
	if t == catalog.Unknown {
		return nil
	}
	yes := t == catalog.Yes
	return &yes
}

// link names the link between the GPUs of an instance; nil if it is unknown.
func link(nvlink catalog.Tri) *string {
	switch nvlink {
	case catalog.Yes:
		return known("nvlink")
	case catalog.No:
		return known("pcie")
	default:
		return nil
	}
}
