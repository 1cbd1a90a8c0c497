package verify

import (
	"fmt"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// Load checks what can be seen only while the GPUs work: one window of each device,
// watched during the benchmark or the user's own load.
func Load(inventory *sampler.Inventory, windows []window.Window) []Check {
	return []Check{checkThrottling(inventory, windows), checkPCIe(inventory, windows), checkMemoryHeat(inventory, windows)}
}

// noLoad is the reason of a check that needs load.
const noLoad = "no GPU was busy while it was watched: give --benchmark, or run your own load meanwhile"

// The bounds of the clock under load, as shares of the highest.
const (
	clockFails = 0.75
	heatShare  = 0.05 // of busy time in which heat or the power supply held the clock down
	pinned     = 0.9  // of the highest clock: application clocks below it are pinned low
)

func checkThrottling(inventory *sampler.Inventory, windows []window.Window) Check {
	c := Check{ID: "throttling", Title: "Clocks under load", Required: fmt.Sprintf("%.0f%% of the highest SM clock", 100*clockFails)}
	c.Remedy = "ask the host for cooling, power or unpinned clocks; or take another box"
	var v verdict
	busy, lowest := 0, 1.0
	for i := range windows {
		sums := &windows[i].Sums
		highest, ok := inventory.Devices[i].Readings.Get(sampler.ClockSMMax)
		if sums.ClockSM.N == 0 || !ok {
			v.missing(i, "clock under load", sampler.StateNotSupported)
			continue
		}
		busy++
		ratio := sums.ClockSM.Mean() / highest
		lowest = min(lowest, ratio)
		judgeClock(&v, i, sums, clockFacts{ratio, highest, &inventory.Devices[i].Readings})
	}
	if busy == 0 {
		return skipped(c.ID, c.Title, noLoad)
	}
	c = c.withValue(lowest, "")
	c.Actual = fmt.Sprintf("%.0f%%", 100*lowest)
	return v.apply(c, len(windows))
}

// clockFacts are what a clock under load is judged by.
type clockFacts struct {
	ratio, highest float64
	readings       *sampler.Readings
}

func judgeClock(v *verdict, i int, sums *window.Sums, facts clockFacts) {
	reasons := strings.Join(sampler.ReasonNames(sums.ReasonsSeen&^sampler.ReasonIdle), ", ")
	if reasons == "" {
		reasons = "the driver names no reason"
	}
	application, ok := facts.readings.Get(sampler.ClockSMApplication)
	if ok && application < pinned*facts.highest {
		reasons += fmt.Sprintf("; application clocks are pinned at %.0f of %.0f MHz", application, facts.highest)
	}
	throttled, known := sums.Throttled()
	switch {
	case facts.ratio < clockFails:
		v.fail(i, "%.0f MHz, %.0f%% of the highest: %s", sums.ClockSM.Mean(), 100*facts.ratio, reasons)
	case known && throttled > heatShare:
		v.warn(i, "heat or the power supply held the clock down for %.0f%% of the time: %s", 100*throttled, reasons)
	case sums.ReasonsSeen&sampler.ReasonsThatThrottle != 0:
		v.warn(i, "%s", reasons)
	}
}

// checkPCIe judges a link only under load: at rest it falls to generation 1.
func checkPCIe(inventory *sampler.Inventory, windows []window.Window) Check {
	c := Check{ID: "pcie_link", Title: "PCIe link under load"}
	c.Remedy = "a riser, the slot or the CPU holds the link down; copies to and from the GPU are slower by as much"
	var v verdict
	busy := 0
	for i := range windows {
		sums, r := &windows[i].Sums, &inventory.Devices[i].Readings
		highest, ok := r.Get(sampler.PCIeGenerationMax)
		if sums.PCIeGeneration.N == 0 || !ok {
			v.missing(i, "link under load", r[sampler.PCIeGenerationMax].State())
			continue
		}
		busy++
		width, _ := r.Get(sampler.PCIeWidthMax)
		switch device, known := r.Get(sampler.PCIeGenerationMaxDevice); {
		case sums.PCIeGeneration.Max < highest:
			v.warn(i, "generation %.0f of %.0f", sums.PCIeGeneration.Max, highest)
		case sums.PCIeWidth.N > 0 && sums.PCIeWidth.Max < width:
			v.warn(i, "%.0f lanes of %.0f", sums.PCIeWidth.Max, width)
		case known && highest < device:
			v.warn(i, "generation %.0f in this slot, the card has %.0f", highest, device)
		}
	}
	if busy == 0 {
		return skipped(c.ID, c.Title, noLoad)
	}
	return v.apply(c, len(windows))
}

// memoryHot is the temperature at which GDDR6X and HBM begin to be held down.
const memoryHot = 95

// checkMemoryHeat judges the memory's temperature, or where the card does not tell it,
// whether something other than the core must have been hot.
func checkMemoryHeat(inventory *sampler.Inventory, windows []window.Window) Check {
	c := Check{ID: "memory_temperature", Title: "Memory temperature", Required: fmt.Sprintf("below %d C", memoryHot)}
	c.Remedy = "ask for better cooling: memory this hot slows down and wears out"
	var v verdict
	busy := 0
	for i := range windows {
		sums := &windows[i].Sums
		if windows[i].Sums.ClockSM.N > 0 {
			busy++
		}
		switch {
		case sums.ThermalSuspects > 0:
			c.ID, c.Title = "memory_thermal_suspected", "Memory heat, by its signs"
			v.warn(i, "the clock was held down by heat while the core was at %.0f C, below its limit: it must be the memory",
				sums.Temperature.Max)
		case sums.MemoryTemperature.N == 0:
			v.missing(i, "memory temperature", inventory.Devices[i].Readings[sampler.MemoryTemperature].State())
		case sums.MemoryTemperature.Max >= memoryHot:
			v.warn(i, "%.0f C", sums.MemoryTemperature.Max)
		}
	}
	if busy == 0 && len(v.warns) == 0 {
		return skipped(c.ID, c.Title, noLoad)
	}
	return v.apply(c, len(windows))
}
