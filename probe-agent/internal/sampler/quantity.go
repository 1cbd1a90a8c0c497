package sampler

import "fmt"

// Quantity is one number that NVML can give of a device. Names carry the unit that
// NVML itself uses; nothing is converted here.
type Quantity uint8

// The quantities.
const (
	UtilizationGPU Quantity = iota // share of time that at least one kernel ran: not a measure of work
	UtilizationMemory
	ClockSM
	ClockMemory
	ClockSMMax
	ClockMemoryMax
	ClockSMApplication
	EventReasons // bits, see the Reason constants
	PowerUsage
	PowerLimitEnforced
	PowerLimitDefault
	Energy
	Temperature
	TemperatureSlowdown
	TemperatureMargin // may be zero or below
	MemoryTotal
	MemoryUsed
	ECCMode
	ECCModePending
	ECCCorrectedVolatile
	ECCUncorrectedVolatile
	ECCCorrectedAggregate
	ECCUncorrectedAggregate
	RemappedCorrectable
	RemappedUncorrectable
	RemapPending
	RemapFailure
	RetirementPending
	PCIeGeneration // of now: an idle link falls to 1
	PCIeWidth
	PCIeGenerationMax       // of the device in this slot
	PCIeGenerationMaxDevice // of the device in any slot
	PCIeWidthMax
	PCIeReplays
	MIGMode
	VirtualizationMode
	PersistenceMode
	ComputeProcesses // how many this process may see
	FabricState
	AddressingMode
	GPMSupported
	MemoryTemperature // from here on, fields of GetFieldValues
	ThrottlePowerCap
	ThrottleSyncBoost
	ThrottleSWThermal
	ThrottleHWThermal
	ThrottlePowerBrake
	PCIeBytesSent
	PCIeBytesReceived
	NVLinkSent
	NVLinkReceived
	quantities // how many there are
)

// field is the first quantity that is read as a field.
const firstField = MemoryTemperature

var quantityNames = [quantities]string{
	UtilizationGPU: "utilization_gpu_percent", UtilizationMemory: "utilization_memory_percent",
	ClockSM: "clock_sm_mhz", ClockMemory: "clock_memory_mhz", ClockSMMax: "clock_sm_max_mhz",
	ClockMemoryMax: "clock_memory_max_mhz", ClockSMApplication: "clock_sm_application_mhz",
	EventReasons: "clock_event_reasons", PowerUsage: "power_milliwatts",
	PowerLimitEnforced: "power_limit_enforced_milliwatts", PowerLimitDefault: "power_limit_default_milliwatts",
	Energy: "energy_millijoules", Temperature: "temperature_celsius",
	TemperatureSlowdown: "temperature_slowdown_celsius", TemperatureMargin: "temperature_margin_celsius",
	MemoryTotal: "memory_total_bytes", MemoryUsed: "memory_used_bytes",
	ECCMode: "ecc_mode", ECCModePending: "ecc_mode_pending",
	ECCCorrectedVolatile: "ecc_corrected_volatile", ECCUncorrectedVolatile: "ecc_uncorrected_volatile",
	ECCCorrectedAggregate: "ecc_corrected_aggregate", ECCUncorrectedAggregate: "ecc_uncorrected_aggregate",
	RemappedCorrectable: "remapped_rows_correctable", RemappedUncorrectable: "remapped_rows_uncorrectable",
	RemapPending: "remap_pending", RemapFailure: "remap_failure", RetirementPending: "page_retirement_pending",
	PCIeGeneration: "pcie_generation", PCIeWidth: "pcie_width", PCIeGenerationMax: "pcie_generation_max",
	PCIeGenerationMaxDevice: "pcie_generation_max_device", PCIeWidthMax: "pcie_width_max", PCIeReplays: "pcie_replays",
	MIGMode: "mig_mode", VirtualizationMode: "virtualization_mode", PersistenceMode: "persistence_mode",
	ComputeProcesses: "compute_processes", FabricState: "fabric_state", AddressingMode: "addressing_mode",
	GPMSupported: "gpm_supported", MemoryTemperature: "memory_temperature_celsius",
	ThrottlePowerCap: "throttle_sw_power_cap_ns", ThrottleSyncBoost: "throttle_sync_boost_ns",
	ThrottleSWThermal: "throttle_sw_thermal_ns", ThrottleHWThermal: "throttle_hw_thermal_ns",
	ThrottlePowerBrake: "throttle_hw_power_brake_ns", PCIeBytesSent: "pcie_sent_bytes",
	PCIeBytesReceived: "pcie_received_bytes", NVLinkSent: "nvlink_sent_kib", NVLinkReceived: "nvlink_received_kib",
}

// Quantities are all of them, in order.
func Quantities() []Quantity {
	all := make([]Quantity, quantities)
	for i := range all {
		all[i] = Quantity(i)
	}
	return all
}

// String is the quantity's name.
func (q Quantity) String() string {
	if q < quantities {
		return quantityNames[q]
	}
	return fmt.Sprintf("quantity %d", uint8(q))
}

// ParseQuantity reads a quantity's name.
func ParseQuantity(name string) (Quantity, error) {
	for i, n := range quantityNames {
		if n == name {
			return Quantity(i), nil
		}
	}
	return 0, fmt.Errorf("unknown quantity %q", name)
}

// MarshalText writes the name, so that a quantity can key a JSON object.
func (q Quantity) MarshalText() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (q *Quantity) UnmarshalText(text []byte) error {
	parsed, err := ParseQuantity(string(text))
	*q = parsed
	return err
}

// IsField reports whether the quantity is read as one of the fields of a single call.
func (q Quantity) IsField() bool { return q >= firstField && q < quantities }

// The bits of EventReasons: why a clock is lower than it could be.
const (
	ReasonIdle          = 1
	ReasonApplication   = 2
	ReasonSWPowerCap    = 4
	ReasonHWSlowdown    = 8
	ReasonSyncBoost     = 16
	ReasonSWThermal     = 32 // the core or the memory is over its limit
	ReasonHWThermal     = 64
	ReasonHWPowerBrake  = 128
	ReasonDisplayClock  = 256
	ReasonBoardLimit    = 512
	ReasonReliability   = 1024
	ReasonsThatThrottle = ReasonHWSlowdown | ReasonSWThermal | ReasonHWThermal | ReasonHWPowerBrake | ReasonBoardLimit | ReasonReliability
)

var reasonNames = []string{"idle", "application_clocks", "sw_power_cap", "hw_slowdown", "sync_boost", "sw_thermal", "hw_thermal",
	"hw_power_brake", "display_clock", "board_limit", "reliability"}

// ReasonNames are the names of the bits that are set, lowest first.
func ReasonNames(bits uint64) []string {
	var names []string
	for i, name := range reasonNames {
		if bits&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Mode values of MIGMode, ECCMode and PersistenceMode.
const (
	Disabled = 0
	Enabled  = 1
)

var virtualizationNames = []string{"none", "passthrough", "vgpu", "host_vgpu", "host_vsga"}

// VirtualizationName is what a value of VirtualizationMode means.
func VirtualizationName(mode float64) string {
	if i := int(mode); i >= 0 && i < len(virtualizationNames) {
		return virtualizationNames[i]
	}
	return "unknown"
}
