package metrics

import (
	"maps"
	"slices"
	"strconv"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// family is one metric of GPUs.
type family struct {
	name, kind, help string
	rows             func(*gpu) []row
}

// row is a sample of a family, beside the labels that name the GPU.
type row struct {
	labels []label
	value  float64
}

var families = []family{
	{"gpuprobe_info", "gauge", "What the GPU is.", func(g *gpu) []row {
		return []row{{[]label{{"model", g.facts.Model}, {"pci_device_id", g.facts.PCIDeviceID},
			{"compute_capability", g.facts.ComputeCapability}}, 1}}
	}},
	{"gpuprobe_available", "gauge", "1, or 0 if the GPU has fallen off the bus.", func(g *gpu) []row {
		if g.lost {
			return []row{{nil, 0}}
		}
		return []row{{nil, 1}}
	}},
	{"gpuprobe_utilization_ratio", "gauge", "Share of time that at least one kernel ran: no measure of work.",
		of(sampler.UtilizationGPU, 0.01)},
	{"gpuprobe_sm_clock_hertz", "gauge", "SM clock.", of(sampler.ClockSM, 1e6)},
	{"gpuprobe_power_watts", "gauge", "Power drawn.", of(sampler.PowerUsage, 1e-3)},
	{"gpuprobe_power_limit_watts", "gauge", "Power limit: enforced, and the card's default.", func(g *gpu) []row {
		return slices.Concat(g.row(sampler.PowerLimitEnforced, 1e-3, label{"limit", "enforced"}),
			g.row(sampler.PowerLimitDefault, 1e-3, label{"limit", "default"}))
	}},
	{"gpuprobe_energy_joules_total", "counter", "Energy used since the driver was loaded.", of(sampler.Energy, 1e-3)},
	{"gpuprobe_temperature_celsius", "gauge", "Temperature of the GPU and of its memory.", func(g *gpu) []row {
		return slices.Concat(g.row(sampler.Temperature, 1, label{"sensor", "gpu"}),
			g.row(sampler.MemoryTemperature, 1, label{"sensor", "memory"}))
	}},
	{"gpuprobe_throttle_seconds_total", "counter", "Time for which the clock was held down, by reason.", func(g *gpu) []row {
		return slices.Concat(g.row(sampler.ThrottlePowerCap, 1e-9, label{"reason", "sw_power_cap"}),
			g.row(sampler.ThrottleSyncBoost, 1e-9, label{"reason", "sync_boost"}),
			g.row(sampler.ThrottleSWThermal, 1e-9, label{"reason", "sw_thermal"}),
			g.row(sampler.ThrottleHWThermal, 1e-9, label{"reason", "hw_thermal"}),
			g.row(sampler.ThrottlePowerBrake, 1e-9, label{"reason", "hw_power_brake"}))
	}},
	{"gpuprobe_memory_used_bytes", "gauge", "GPU memory in use.", of(sampler.MemoryUsed, 1)},
	{"gpuprobe_memory_total_bytes", "gauge", "GPU memory.", of(sampler.MemoryTotal, 1)},
	{"gpuprobe_ecc_errors_total", "counter", "Memory errors, since the driver was loaded or over the GPU's life.", func(g *gpu) []row {
		return slices.Concat(g.row(sampler.ECCCorrectedVolatile, 1, label{"type", "corrected"}, label{"scope", "volatile"}),
			g.row(sampler.ECCUncorrectedVolatile, 1, label{"type", "uncorrected"}, label{"scope", "volatile"}),
			g.row(sampler.ECCCorrectedAggregate, 1, label{"type", "corrected"}, label{"scope", "aggregate"}),
			g.row(sampler.ECCUncorrectedAggregate, 1, label{"type", "uncorrected"}, label{"scope", "aggregate"}))
	}},
	{"gpuprobe_pcie_replays_total", "counter", "PCIe packets sent again.", of(sampler.PCIeReplays, 1)},
	{"gpuprobe_xid_total", "counter", "Xid errors since the agent started.", func(g *gpu) []row {
		var rows []row
		for _, xid := range slices.Sorted(maps.Keys(g.xids)) {
			rows = append(rows, row{[]label{{"xid", strconv.FormatUint(xid, 10)}}, float64(g.xids[xid])})
		}
		return rows
	}},
	{"gpuprobe_efficiency_ratio", "gauge", "Provisional: mean SM clock under load over the highest SM clock.", func(g *gpu) []row {
		if g.efficiency == nil {
			return nil
		}
		return []row{{[]label{{"tier", g.tier}}, *g.efficiency}}
	}},
	{"gpuprobe_field_state", "gauge", "1 for the state of each quantity.", func(g *gpu) []row {
		var rows []row
		for _, q := range sampler.Quantities() {
			rows = append(rows, row{[]label{{"field", q.String()}, {"state", g.reading(q).State().String()}}, 1})
		}
		return rows
	}},
}

// dcgmFamilies are ten common metrics under the names, and in the units, of DCGM's
// exporter.
var dcgmFamilies = []family{
	{"DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %).", of(sampler.UtilizationGPU, 1)},
	{"DCGM_FI_DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz).", of(sampler.ClockSM, 1)},
	{"DCGM_FI_DEV_MEM_CLOCK", "gauge", "Memory clock frequency (in MHz).", of(sampler.ClockMemory, 1)},
	{"DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W).", of(sampler.PowerUsage, 1e-3)},
	{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Total energy consumption (in mJ).", of(sampler.Energy, 1)},
	{"DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C).", of(sampler.Temperature, 1)},
	{"DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Memory temperature (in C).", of(sampler.MemoryTemperature, 1)},
	{"DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB).", of(sampler.MemoryUsed, 1.0/(1<<20))},
	{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "Double-bit volatile ECC errors.", of(sampler.ECCUncorrectedVolatile, 1)},
	{"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe retries.", of(sampler.PCIeReplays, 1)},
}

// of shows a quantity, times a factor, without further labels.
func of(q sampler.Quantity, factor float64) func(*gpu) []row {
	return func(g *gpu) []row { return g.row(q, factor) }
}

// row is a quantity if it was read.
func (g *gpu) row(q sampler.Quantity, factor float64, labels ...label) []row {
	v, ok := g.reading(q).Get()
	if !ok {
		return nil
	}
	return []row{{labels, v * factor}}
}

// reading is the newest reading of a quantity. Those that are read at every tick are
// in fast; the rest of fast was never read.
func (g *gpu) reading(q sampler.Quantity) sampler.Value[float64] {
	if v := g.fast[q]; v != (sampler.Value[float64]{}) {
		return v
	}
	return g.slow[q]
}
