package report

import (
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// NewFacts are the facts of a device; its readings may be newer than the rest.
func NewFacts(d *sampler.Device, r *sampler.Readings) Facts {
	gpu := ""
	if uuid, ok := d.UUID.Get(); ok {
		gpu = identity.GPU(uuid)
	}
	f := Facts{
		GPU: gpu, Model: text(d.Name), PCIDeviceID: text(d.PCIDeviceID), ComputeCapability: text(d.ComputeCapability),
		MemoryTotal: number(r, sampler.MemoryTotal, 1), ClockSMMax: number(r, sampler.ClockSMMax, 1),
		ClockMemoryMax: number(r, sampler.ClockMemoryMax, 1), PowerLimit: number(r, sampler.PowerLimitEnforced, 1000),
		PowerLimitDefault: number(r, sampler.PowerLimitDefault, 1000), PCIeGenerationMax: number(r, sampler.PCIeGenerationMax, 1),
		PCIeWidthMax: number(r, sampler.PCIeWidthMax, 1), PCIeReplays: number(r, sampler.PCIeReplays, 1),
		ECC: newECC(r), Remapped: newRemapped(r), NVLinks: newNVLinks(d), Processes: Processes(r), Fields: fieldStates(r),
	}
	if mode, ok := r.Get(sampler.MIGMode); ok {
		enabled := mode == sampler.Enabled
		f.MIG = &enabled
	}
	if mode, ok := r.Get(sampler.VirtualizationMode); ok {
		f.Virtualization = sampler.VirtualizationName(mode)
	}
	return f
}

// PowerLimited reports whether the host has cut the card's power.
func (f *Facts) PowerLimited() bool {
	return f.PowerLimit != nil && f.PowerLimitDefault != nil && *f.PowerLimit < *f.PowerLimitDefault
}

// maxText is how long a text of the driver may be on the wire.
const maxText = 96

func text(v sampler.Value[string]) string {
	s, _ := v.Get()
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "")
}

// number is a quantity divided by a divisor; nil if it was not read.
func number(r *sampler.Readings, q sampler.Quantity, divisor float64) *float64 {
	v, ok := r.Get(q)
	if !ok {
		return nil
	}
	v /= divisor
	return &v
}

func newECC(r *sampler.Readings) *ECC {
	mode, ok := r.Get(sampler.ECCMode)
	if !ok {
		return nil
	}
	return &ECC{
		Enabled: mode == sampler.Enabled, CorrectedVolatile: number(r, sampler.ECCCorrectedVolatile, 1),
		UncorrectedVolatile:  number(r, sampler.ECCUncorrectedVolatile, 1),
		CorrectedAggregate:   number(r, sampler.ECCCorrectedAggregate, 1),
		UncorrectedAggregate: number(r, sampler.ECCUncorrectedAggregate, 1),
	}
}

// newRemapped is nil where there is no ECC: a GeForce card answers with success and
// zeros, though it can't remap.
func newRemapped(r *sampler.Readings) *Remapped {
	correctable, ok := r.Get(sampler.RemappedCorrectable)
	if _, hasECC := r.Get(sampler.ECCMode); !ok || !hasECC {
		return nil
	}
	uncorrectable, _ := r.Get(sampler.RemappedUncorrectable)
	pending, _ := r.Get(sampler.RemapPending)
	failure, _ := r.Get(sampler.RemapFailure)
	return &Remapped{correctable, uncorrectable, pending != 0, failure != 0}
}

func newNVLinks(d *sampler.Device) *NVLinks {
	links, ok := d.Links.Get()
	if !ok {
		return nil
	}
	n := &NVLinks{Total: len(links)}
	for _, link := range links {
		if !link.Active {
			continue
		}
		n.Active++
		n.Version = max(n.Version, link.Version)
		if link.Switch {
			n.Switch++
		}
	}
	return n
}

// hiddenMemory is how much of the memory must be in use for a process to be there,
// though none is seen: the driver keeps some for itself.
const hiddenMemory = 0.02

// Processes says whether programs use a device: none, visible, hidden (a container
// does not see those outside of it), or "" if it can't be told.
func Processes(r *sampler.Readings) string {
	count, ok := r.Get(sampler.ComputeProcesses)
	switch {
	case !ok:
		return ""
	case count > 0:
		return "visible"
	}
	used, hasUsed := r.Get(sampler.MemoryUsed)
	total, hasTotal := r.Get(sampler.MemoryTotal)
	if hasUsed && hasTotal && used > hiddenMemory*total {
		return "hidden"
	}
	return "none"
}

// fieldStates are the quantities that failed otherwise than by not being supported.
func fieldStates(r *sampler.Readings) []FieldState {
	var states []FieldState
	for _, q := range sampler.Quantities() {
		if s := r[q].State(); s != sampler.StateOK && s != sampler.StateNotSupported {
			states = append(states, FieldState{q.String(), s.String()})
		}
	}
	return states
}

// NewSystem describes what stands between the agent and the GPUs.
func NewSystem(v sampler.Versions, cpus int) System {
	return System{Driver: text(v.Driver), NVML: text(v.NVML), CUDA: text(v.CUDA), CPUs: cpus}
}

var ancestorNames = map[int]string{sampler.AncestorInternal: "internal", sampler.AncestorPIX: "pix", sampler.AncestorPXB: "pxb",
	sampler.AncestorPHB: "phb", sampler.AncestorNode: "node", sampler.AncestorSystem: "sys"}

// NewTopology describes every pair of GPUs.
func NewTopology(inventory *sampler.Inventory) []Pair {
	var pairs []Pair
	for a := range inventory.Devices {
		for b := a + 1; b < len(inventory.Devices); b++ {
			path := inventory.Path(a, b)
			pair := Pair{A: a, B: b, NVLinks: DirectLinks(&inventory.Devices[a], &inventory.Devices[b])}
			if level, ok := path.Ancestor.Get(); ok {
				pair.Ancestor = ancestorNames[level]
			}
			pair.P2P = p2p(path)
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

func p2p(path sampler.Path) string {
	read, ok := path.Read.Get()
	write, alsoOK := path.Write.Get()
	switch {
	case !ok || !alsoOK:
		return ""
	case read == 0 && write == 0:
		return "ok"
	}
	return "unavailable"
}

// DirectLinks is how many active NVLinks lead from one device straight to another.
func DirectLinks(from, to *sampler.Device) int {
	links, _ := from.Links.Get()
	bus, ok := to.PCIBusID.Get()
	n := 0
	for _, link := range links {
		if ok && link.Active && !link.Switch && link.RemoteBus == bus {
			n++
		}
	}
	return n
}
