package importer

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// The flags that an import gives offers.
const (
	flagPriceUnknown catalog.Flag = "PRICE_UNKNOWN"
	flagVRAMOff      catalog.Flag = "VRAM_OFF_REFERENCE"
	flagZone         catalog.Flag = "CHEAPEST_ZONE"
)

// flag adds a flag to a candidate, which shares its flags with other rows.
func (c *candidate) flag(f catalog.Flag) {
	if !slices.Contains(c.Flags, f) {
		c.Flags = append(slices.Clip(slices.Clone(c.Flags)), f)
	}
}

// zero is a known count of no GPUs.
func zero() decimal.NullDecimal { return decimal.NewNullDecimal(decimal.Zero) }
