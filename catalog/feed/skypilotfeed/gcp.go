package skypilotfeed

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// rates are the prices of a row.
type rates struct{ onDemand, spot catalog.Price }

// part is a host without GPUs, or GPUs without a host.
type part struct {
	row   feed.Row
	rates rates
}

// hostsAndGPUs are the rows of Google Cloud, which prices the two apart: a machine
// with GPUs is one offer whose price is the sum. Neither alone can be rented, so a
// host of a family that is made for GPUs is never offered without them, and a GPU
// only in a zone that has its host.
type hostsAndGPUs struct {
	hosts []part
	gpus  map[gpusAt]part
	n1    map[string][]part // by zone
}

// gpusAt is a number of GPUs in a zone.
type gpusAt struct{ zone, name, count string }

// takes keeps a row for join if it is a part of an offer and no whole one.
func (p *hostsAndGPUs) takes(row feed.Row, r rates) bool {
	if row.Provider != "gcp" {
		return false
	}
	if row.SKU == "" {
		if p.gpus == nil {
			p.gpus = make(map[gpusAt]part)
		}
		p.gpus[gpusAt{row.Zone, row.GPU.Name, row.GPU.Count.Decimal.String()}] = part{row, r}
		return true
	}
	if row.GPU.Name != "" {
		return false
	}
	if strings.HasPrefix(string(row.SKU), "n1-") {
		if p.n1 == nil {
			p.n1 = make(map[string][]part)
		}
		p.n1[row.Zone] = append(p.n1[row.Zone], part{row, r})
		return false // a host of N1 is rented alone as well
	}
	if !gpuFamily(row.SKU) {
		return false
	}
	p.hosts = append(p.hosts, part{row, r})
	return true
}

// gpuFamily reports whether a machine type is made for GPUs.
func gpuFamily(sku catalog.SKU) bool {
	family, _, _ := strings.Cut(string(sku), "-")
	return slices.Contains([]string{"a2", "a3", "a4", "a4x", "g2", "g4"}, family)
}

// join makes one offer of every host and its GPUs.
func (r *reader) join() {
	for _, host := range r.parts.hosts {
		names, count := builtIn(host.row.SKU)
		found := false
		for _, name := range names {
			if gpus, ok := r.parts.gpus[gpusAt{host.row.Zone, name, strconv.Itoa(count)}]; ok && !found {
				found = true
				r.joined(host, gpus, "")
			}
		}
		if !found {
			r.batch.Skip("host without its GPUs")
		}
	}
	for _, gpus := range sortedParts(r.parts.gpus) {
		r.attach(gpus)
	}
}

// sortedParts are the GPUs in the order of their rows.
func sortedParts(of map[gpusAt]part) []part {
	all := make([]part, 0, len(of))
	for _, p := range of {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b part) int { return cmp.Compare(a.row.Number, b.row.Number) })
	return all
}

// attach joins GPUs that go with hosts of N1 to the cheapest host in their zone
// that is large enough for them.
func (r *reader) attach(gpus part) {
	id, need := attachable(gpus.row.GPU)
	if id == "" {
		return
	}
	var best *part
	hosts := r.parts.n1[gpus.row.Zone]
	for i := range hosts {
		h := &hosts[i]
		fits := h.row.VCPUs >= need && h.row.RAMGB >= 4*need && h.rates.onDemand.Known()
		if fits && (best == nil || h.rates.onDemand.Amount.Decimal.LessThan(best.rates.onDemand.Amount.Decimal)) {
			best = h
		}
	}
	if best == nil {
		r.batch.Skip("GPUs without a host")
		return
	}
	r.joined(*best, gpus, gpus.row.GPU.Count.Decimal.String()+"x"+id)
}

// joined adds a host with its GPUs.
func (r *reader) joined(host, gpus part, variant string) {
	row := host.row
	row.GPU, row.Variant, row.Market = gpus.row.GPU, variant, catalog.OnDemand
	row.Price = sum(host.rates.onDemand, gpus.rates.onDemand)
	r.batch.Rows = append(r.batch.Rows, row)
	if spot := sum(host.rates.spot, gpus.rates.spot); spot.Known() {
		row.Market, row.Price = catalog.Spot, spot
		r.batch.Rows = append(r.batch.Rows, row)
	}
}

// sum is the price of two things together; unknown if that of either is.
func sum(a, b catalog.Price) catalog.Price {
	if !a.Known() || !b.Known() {
		return catalog.Price{Basis: a.Basis, Currency: a.Currency}
	}
	return catalog.NewPrice(a.Amount.Decimal.Add(b.Amount.Decimal), a.Basis, a.Currency)
}

// builtIn are the GPUs that a machine type has, under every name that the table has
// given them.
func builtIn(sku catalog.SKU) (names []string, count int) {
	parts := strings.Split(strings.TrimSuffix(string(sku), "-nolssd"), "-")
	if len(parts) < 3 {
		return nil, 0
	}
	size := parts[2]
	switch parts[0] + "-" + parts[1] {
	case "a2-highgpu", "a2-megagpu":
		return []string{"A100"}, gpusOf(size)
	case "a2-ultragpu":
		return []string{"A100-80GB"}, gpusOf(size)
	case "a3-highgpu", "a3-edgegpu":
		return []string{"H100"}, gpusOf(size)
	case "a3-megagpu":
		return []string{"H100-MEGA", "H100-MEGA-80GB"}, gpusOf(size)
	case "a3-ultragpu":
		return []string{"H200"}, gpusOf(size)
	case "a4-highgpu":
		return []string{"B200"}, gpusOf(size)
	case "a4x-highgpu":
		return []string{"GB200"}, gpusOf(size)
	case "g2-standard":
		return []string{"L4"}, map[string]int{"4": 1, "8": 1, "12": 1, "16": 1, "32": 1, "24": 2, "48": 4, "96": 8}[size]
	case "g4-standard":
		return []string{"RTXPRO6000", "RTX-PRO-6000"}, map[string]int{"48": 1, "96": 2, "192": 4, "384": 8}[size]
	}
	return nil, 0
}

// gpusOf reads "8g".
func gpusOf(size string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(size, "g"))
	if err != nil {
		return 0
	}
	return n
}

// attachable is the catalogue's name of a GPU that goes with hosts of N1, "" if it
// does not, and how many vCPUs its host has at least, by SkyPilot's own choice.
func attachable(gpu feed.GPU) (id string, vcpus float64) {
	n := gpu.Count.Decimal
	each := decimal.NewFromInt(8)
	switch gpu.Name {
	case "T4":
		if n.Equal(decimal.NewFromInt(4)) {
			return "T4-16GB", 48
		}
		return "T4-16GB", n.Mul(decimal.NewFromInt(4)).InexactFloat64()
	case "K80":
		id, each = "K80-12GB", decimal.NewFromInt(4)
	case "V100":
		id = "V100-16GB"
	case "P100":
		id = "P100-16GB"
	case "P4":
		id = "P4-8GB"
	}
	return id, n.Mul(each).InexactFloat64()
}
