package importer

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// regionsOf is what a SKU's list prices in all regions share. Spot prices differ by
// any factor, so they are not compared.
func regionsOf(c *candidate) string {
	if c.Market == catalog.Spot {
		return ""
	}
	return strings.Join([]string{string(c.SKU), c.Variant, string(c.Market), string(c.Price.Currency)}, "\x00")
}

// offRegions finds the prices that are far off the median of a SKU's regions.
func offRegions(group []*candidate, suspects map[catalog.OfferID]note) {
	if len(group) < fewestRegions {
		return
	}
	all := rate(group)
	median := all[len(all)/2]
	factor := decimal.NewFromInt(mostOff)
	most := catalog.Rate{Num: median.Num.Mul(factor), Den: median.Den}
	for _, c := range all {
		if compareRates(catalog.Rate{Num: c.Num.Mul(factor), Den: c.Den}, median.Rate) < 0 || compareRates(c.Rate, most) > 0 {
			suspects[c.ID] = note{catalog.RegionOutlier, fmt.Sprintf("%s where the median of %d regions is %s", shown(&c.Offer), len(all), shown(&median.Offer))}
		}
	}
}

// sizesOf is what the sizes of one machine share: the letters of the SKU, once
// its numbers are taken out, and the GPU.
func sizesOf(c *candidate) string {
	if c.GPU == "" || c.GPU == catalog.UnmappedGPU || !c.GPUs.Valid {
		return ""
	}
	return strings.Join([]string{string(c.Region), string(c.Market), string(c.GPU), string(c.Price.Currency), family(string(c.SKU)), family(c.Variant)}, "\x00")
}

// family is a name without its numbers, nor the "x" beside one: "n3-A100x8" and
// "n3-A100x4" are of one family.
func family(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		times := (c == 'x' || c == 'X') && (i > 0 && digit(name[i-1]) || i+1 < len(name) && digit(name[i+1]))
		if !digit(c) && !times && c != '.' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// digit reports whether a character is a digit.
func digit(c byte) bool { return c >= '0' && c <= '9' }

// fallsWithGPUs finds sizes that have more GPUs than another, and no less of
// anything else, for less money.
func fallsWithGPUs(group []*candidate, suspects map[catalog.OfferID]note) {
	if len(group) < 2 {
		return
	}
	all := rate(group)
	for i, cheap := range all {
		for _, dear := range all[i+1:] {
			if larger(cheap.candidate, dear.candidate) && compareRates(cheap.Rate, dear.Rate) < 0 {
				suspects[cheap.ID] = note{catalog.FallsWithGPUs, fmt.Sprintf("%s GPUs for %s where %s (%s) are %s",
					cheap.GPUs.Decimal, shown(&cheap.Offer), dear.GPUs.Decimal, dear.SKU, shown(&dear.Offer))}
				break
			}
		}
	}
}

// larger reports whether a has more GPUs than b and no less of anything else.
func larger(a, b *candidate) bool {
	return a.NodeGPUs().Decimal.GreaterThan(b.NodeGPUs().Decimal) && a.VCPUs >= b.VCPUs && a.RAMGB >= b.RAMGB
}
