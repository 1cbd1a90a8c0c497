package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

var fractionNote = regexp.MustCompile(`FRACTIONAL GPU (part|([0-9]+)/([0-9]+)|[0-9]+\.[0-9]+)`)

// readGPUs reads how many GPUs the priced unit holds. The count of a slice
// stands in the row's note; it stays unknown where the note says only "part",
// or where it has no finite decimal.
func (o *offer) readGPUs() error {
	text := o.row.get("gpu_count")
	count, err := exact(text)
	if err != nil && text != "" {
		return o.row.with("gpu_count", err)
	}
	if (o.gpu == "") != (text == "0") {
		return o.row.fault("gpu_count", "0 exactly for a row without a GPU")
	}
	if !o.has("FRACTIONAL_GPU") {
		if text != "" && !count.IsInteger() {
			return o.row.fault("gpu_count", "a whole number, or the flag FRACTIONAL_GPU")
		}
		o.gpus = text
		return nil
	}
	if text != "" && !count.IsInteger() {
		o.gpus = count.String()
		return nil
	}
	o.gpus, err = o.sliceOf()
	return err
}

// sliceOf is the fraction of a GPU that the row's note gives, "" if unknown.
func (o *offer) sliceOf() (string, error) {
	m := fractionNote.FindStringSubmatch(o.row.get("price_unit_note"))
	switch {
	case m == nil || m[1] == "part":
		return "", nil
	case m[2] == "":
		d, err := exact(m[1])
		return d.String(), o.row.with("price_unit_note", err)
	}
	n, d := decimal.RequireFromString(m[2]), decimal.RequireFromString(m[3])
	if q, finite := quotient(n, d); finite {
		return q.String(), nil
	}
	o.flags = append(o.flags, "FRACTION_"+m[1])
	return "", nil
}

// settleMemory compares the memory per GPU with that of the GPU model. A slice's
// is its own only where it is less than the card's; a whole GPU's is flagged if
// it is more than 7% off. memory is by GPU id, in GB.
func (o *offer) settleMemory(memory map[string]decimal.Decimal) {
	card, known := memory[o.gpu]
	if o.gpu != "" && !known {
		o.gpuName, o.gpu = o.gpu, string(catalog.UnmappedGPU)
		return
	}
	if o.vram == "" || !card.IsPositive() {
		return
	}
	own := decimal.RequireFromString(o.vram)
	if o.has("FRACTIONAL_GPU") {
		if own.GreaterThanOrEqual(card) {
			o.vram = ""
		}
		return
	}
	tolerance := decimal.New(7, -2)
	if own.Sub(card).Abs().GreaterThan(card.Mul(tolerance)) {
		o.flags = append(o.flags, "VRAM_OFF_REFERENCE")
	}
}

// nameVariant tells offers of one SKU apart that differ in what its name does
// not say. It looks at the row alone, so that an id never depends on what other
// rows there are:
//
//   - the provider's class of service, unless it only repeats market or service;
//   - the GPUs, where the SKU is a host to which GPUs are attached (GCP's N1);
//   - the minimum, where the price holds only from so many GPUs on.
func (o *offer) nameVariant() {
	var parts []string
	if tier := o.row.get("tier"); !slices.Contains([]string{"", "on-demand", "spot", "marketplace", "serverless", "aggregator", "any"}, tier) {
		parts = append(parts, tier)
	}
	if o.Provider == "gcp" && o.gpu != "" && strings.HasPrefix(o.sku, "n1-") {
		parts = append(parts, o.gpus+"x"+o.gpu)
	}
	if o.minGPUs != "" && o.minGPUs != "1" {
		parts = append(parts, "from "+o.minGPUs+" GPUs")
	}
	o.variant = strings.Join(parts, " ")
}
