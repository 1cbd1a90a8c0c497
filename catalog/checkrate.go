package catalog

import (
	"cmp"
	"time"
)

// CheckID names a check that the agent makes of a box.
type CheckID string

// CheckStatus is how a check ended.
type CheckStatus string

// The ends of a check. One that was skipped, or told nothing, counts for nothing.
const (
	CheckPass         CheckStatus = "pass"
	CheckWarn         CheckStatus = "warn"
	CheckFail         CheckStatus = "fail"
	CheckSkip         CheckStatus = "skip"
	CheckInconclusive CheckStatus = "inconclusive"
)

// Counts reports whether the end says something of the box.
func (s CheckStatus) Counts() bool { return s == CheckPass || s == CheckWarn || s == CheckFail }

// Check is one check of a box.
type Check struct {
	ID     CheckID
	Status CheckStatus
}

// CheckRate is how the boxes of a SKU did in a check, each counted once by its newest
// result, and no tenant's more often than other tenants' typically are.
type CheckRate struct {
	Provider   ProviderID
	SKU        SKU // "" for all of the provider's boxes with the GPU
	GPU        GPUID
	Check      CheckID
	Boxes      int
	Passed     int
	Tenants    int
	ComputedAt time.Time // UTC
}

// Failed is how many boxes did not pass.
func (r CheckRate) Failed() int { return r.Boxes - r.Passed }

// compareCheckRates orders rates by GPU, provider, SKU, then check.
func compareCheckRates(a, b CheckRate) int {
	return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Check, b.Check))
}

// CheckRates are all rates, by GPU, provider, SKU and check.
func (s *Snapshot) CheckRates() []CheckRate { return s.facts.checks }

// ChecksOf are the rates of a GPU at a provider: of the SKU, else of all of the
// provider's.
func (s *Snapshot) ChecksOf(gpu GPUID, p ProviderID, sku SKU) []CheckRate {
	for _, of := range []SKU{sku, ""} {
		var found []CheckRate
		for _, r := range s.facts.checks {
			if r.GPU == gpu && r.Provider == p && r.SKU == of {
				found = append(found, r)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}
