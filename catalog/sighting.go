package catalog

import (
	"fmt"
	"time"
)

// Sighting is where a GPU was last measured.
type Sighting struct {
	GPU         GPUHash
	Tenant      TenantID
	Box         BoxID
	From, Until time.Time // of the latest report, UTC
	Boot        string
	Errors      float64 // met in the GPU's life, if Counted
	Counted     bool
}

// Sightings are those of a report; of GPUs without a hash there is none.
func (r *Report) Sightings() []Sighting {
	var all []Sighting
	seen := make(map[GPUHash]bool)
	for _, reading := range r.Readings {
		for _, d := range reading.Devices {
			if d.Hash == "" || seen[d.Hash] {
				continue
			}
			seen[d.Hash] = true
			all = append(all, Sighting{GPU: d.Hash, Tenant: r.Tenant, Box: r.Box, From: r.From, Until: r.Until,
				Boot: r.Boot, Errors: d.Errors, Counted: d.Counted})
		}
	}
	return all
}

// Claim is what a report takes for its own though it can't be.
type Claim string

// The claims: a payload that another box sent, a GPU that another tenant or another
// box had at the time, and a counter that fell without a reboot.
const (
	ClaimPayload    Claim = "payload"
	ClaimTenantsGPU Claim = "gpu_of_tenant"
	ClaimBoxsGPU    Claim = "gpu_of_box"
	ClaimCounter    Claim = "counter"
)

// ClaimError says that a report is not kept, since what it says can't be.
type ClaimError struct{ Claim Claim }

// Error names the claim, and nobody.
func (e ClaimError) Error() string {
	return fmt.Sprintf("a claim of the report can't be true: %s", e.Claim)
}

// Overlaps reports whether two sightings share some time.
func (s *Sighting) Overlaps(other *Sighting) bool {
	return s.From.Before(other.Until) && other.From.Before(s.Until)
}

// Admit tests a later word of a GPU against the latest that is known, and returns
// which of them is the latest. The error is a ClaimError. A GPU passes from tenant to
// tenant, but has one at a time.
func (s *Sighting) Admit(next *Sighting) (latest Sighting, err error) {
	switch {
	case s.Overlaps(next) && s.Tenant != next.Tenant:
		return *s, ClaimError{ClaimTenantsGPU}
	case s.Overlaps(next) && s.Box != next.Box:
		return *s, ClaimError{ClaimBoxsGPU}
	case next.Until.Before(s.Until):
		return *s, nil
	case s.Box == next.Box && s.Boot == next.Boot && s.Counted && next.Counted && next.Errors < s.Errors:
		return *s, ClaimError{ClaimCounter}
	}
	return *next, nil
}
