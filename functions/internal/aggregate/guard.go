package aggregate

import (
	"math"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// An estimate that rests on the last days alone may be this far from that of the
// whole window; beyond, someone must look.
const (
	guardWindow = 7 * 24 * time.Hour
	guardBand   = 0.05
)

// Alert says that an estimate jumped and what is published stays as it was.
type Alert struct {
	GPU      catalog.GPUID
	Provider catalog.ProviderID
	SKU      catalog.SKU
	// Published is what stays: the prior if nothing was published.
	Published   float64
	Week, Month float64 // what the last days, and the whole window, were measured at
}

// guard lets a coefficient be published unless it jumps, or is frozen: then what was
// published stays, or nothing if nothing was. Once someone released it, it is let pass
// for as long as the window takes to forget.
func guard(in Input, c catalog.Coefficient, recent []vote, prior catalog.Prior) (*catalog.Coefficient, *Alert) {
	was := publishedOf(in.Catalogue, &c)
	if was != nil {
		c.ReleasedAt = was.ReleasedAt
	}
	if !c.ReleasedAt.IsZero() && in.Now.Sub(c.ReleasedAt) < Window {
		return &c, nil
	}
	alert := Alert{GPU: c.GPU, Provider: c.Provider, SKU: c.SKU, Published: prior.Value, Month: c.Measured, Week: c.Measured}
	if was != nil {
		alert.Published = was.Value
	}
	if len(recent) >= MinTenants {
		alert.Week = coefficientOf(recent, prior).Measured
	}
	jumps := math.Abs(alert.Week-alert.Month) > guardBand
	frozen := was != nil && was.Frozen
	switch {
	case !jumps && !frozen:
		return &c, nil
	case was == nil:
		return nil, &alert
	}
	stays := *was
	stays.Frozen = true
	return &stays, &alert
}

// publishedOf is what is published of the same GPU, provider and SKU; nil if nothing is.
func publishedOf(s *catalog.Snapshot, c *catalog.Coefficient) *catalog.Coefficient {
	was, ok := s.Coefficient(c.GPU, c.Provider, c.SKU)
	if !ok || was.SKU != c.SKU {
		return nil
	}
	return was
}
