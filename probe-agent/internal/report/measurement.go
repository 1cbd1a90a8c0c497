package report

import "github.com/tierwise/tierwise/probe-agent/internal/window"

// Schema names the version of the document.
const Schema = "tierwise.measurement/1"

// Measurement is one report. Pointers are nil, and slices empty, where something is not
// known.
type Measurement struct {
	Schema       string `json:"schema"`
	AgentVersion string `json:"agent_version"`
	Seq          uint64 `json:"seq"`
	Source       string `json:"source"` // nvml or replay
	Kind         string `json:"kind"`   // watch or verify

	BootID             string   `json:"boot_id"`
	BootDay            string   `json:"boot_day,omitempty"` // a date: hours would tell machines apart
	MonoStart          float64  `json:"mono_start_seconds"` // since the agent's start
	MonoEnd            float64  `json:"mono_end_seconds"`
	WallStart          string   `json:"wall_start"` // RFC 3339, by the box's own clock
	WallEnd            string   `json:"wall_end"`
	ClockOffsetSeconds *float64 `json:"clock_offset_seconds,omitempty"` // server's clock minus the box's

	Provider string `json:"provider,omitempty"` // as the user typed it
	Region   string `json:"region,omitempty"`
	SKU      string `json:"sku,omitempty"`
	Reporter string `json:"reporter,omitempty"` // tenant, or provider if it owns the box

	System   System  `json:"system"`
	Rules    Rules   `json:"rules"`
	Topology []Pair  `json:"topology,omitempty"`
	GPUs     []GPU   `json:"gpus"`
	Work     []Work  `json:"throughput,omitempty"`
	Checks   []Check `json:"checks,omitempty"`
	Notes    []Note  `json:"notes,omitempty"`
	Tier     string  `json:"tier"`       // A, B or C
	Enough   bool    `json:"sufficient"` // long enough to count
}

// System is what stands between the agent and the GPUs.
type System struct {
	Driver string `json:"driver_version,omitempty"`
	NVML   string `json:"nvml_version,omitempty"`
	CUDA   string `json:"cuda_driver_version,omitempty"`
	CPUs   int    `json:"cpus"`
}

// Rules are window.Rules on the wire.
type Rules struct {
	IntervalSeconds       float64 `json:"interval_seconds"`
	WindowSeconds         float64 `json:"window_seconds"`
	BusyShare             float64 `json:"busy_share"`
	BusyUtilization       float64 `json:"busy_utilization_percent"`
	BusyPower             float64 `json:"busy_power_share"`
	BusySMUtilization     float64 `json:"busy_sm_utilization_share"`
	ColdSeconds           float64 `json:"cold_seconds"`
	SufficientBusySeconds float64 `json:"sufficient_busy_seconds"`
	SufficientSteady      float64 `json:"sufficient_steady_seconds"`
}

// Pair is two GPUs, by their place in the report, and what is between them.
type Pair struct {
	A        int    `json:"a"`
	B        int    `json:"b"`
	Ancestor string `json:"ancestor,omitempty"` // internal, pix, pxb, phb, node, sys
	NVLinks  int    `json:"nvlinks"`            // active, straight from one to the other
	P2P      string `json:"p2p,omitempty"`      // ok or unavailable, as the driver says
}

// GPU is one GPU: what it is, and how it did.
type GPU struct {
	Facts
	ObservedSeconds   float64 `json:"observed_seconds"`
	BusySeconds       float64 `json:"busy_seconds"`
	LostSeconds       float64 `json:"lost_seconds"`
	UnobservedSeconds float64 `json:"unobserved_seconds"`
	Windows           Windows `json:"windows"`
	Steady            *Sums   `json:"steady,omitempty"`
	Cold              *Sums   `json:"cold,omitempty"`
	Events            []Event `json:"events,omitempty"`
	Enough            bool    `json:"sufficient"`
	Notes             []Note  `json:"notes,omitempty"`
}

// Facts are what a GPU is, and counters that its driver keeps.
type Facts struct {
	GPU               string       `json:"gpu"` // identity.GPU of its UUID; "" if that is unknown
	Model             string       `json:"model,omitempty"`
	PCIDeviceID       string       `json:"pci_device_id,omitempty"`
	ComputeCapability string       `json:"compute_capability,omitempty"`
	MemoryTotal       *float64     `json:"memory_total_bytes,omitempty"`
	ClockSMMax        *float64     `json:"clock_sm_max_mhz,omitempty"`
	ClockMemoryMax    *float64     `json:"clock_memory_max_mhz,omitempty"`
	PowerLimit        *float64     `json:"power_limit_enforced_watts,omitempty"`
	PowerLimitDefault *float64     `json:"power_limit_default_watts,omitempty"`
	PCIeGenerationMax *float64     `json:"pcie_generation_max,omitempty"`
	PCIeWidthMax      *float64     `json:"pcie_width_max,omitempty"`
	PCIeReplays       *float64     `json:"pcie_replays,omitempty"`
	ECC               *ECC         `json:"ecc,omitempty"`
	Remapped          *Remapped    `json:"remapped_rows,omitempty"`
	MIG               *bool        `json:"mig,omitempty"`
	Virtualization    string       `json:"virtualization,omitempty"`
	NVLinks           *NVLinks     `json:"nvlink,omitempty"`
	Processes         string       `json:"processes,omitempty"` // none, visible or hidden
	Fields            []FieldState `json:"fields,omitempty"`    // that could not be read
}

// ECC is the mode of error correction and what it has met.
type ECC struct {
	Enabled              bool     `json:"enabled"`
	CorrectedVolatile    *float64 `json:"corrected_volatile,omitempty"` // since the driver was loaded
	UncorrectedVolatile  *float64 `json:"uncorrected_volatile,omitempty"`
	CorrectedAggregate   *float64 `json:"corrected_aggregate,omitempty"` // over the GPU's life
	UncorrectedAggregate *float64 `json:"uncorrected_aggregate,omitempty"`
}

// Remapped are the memory rows that the hardware has replaced.
type Remapped struct {
	Correctable   float64 `json:"correctable"`
	Uncorrectable float64 `json:"uncorrectable"`
	Pending       bool    `json:"pending"`
	Failure       bool    `json:"failure"`
}

// NVLinks are the links of a GPU.
type NVLinks struct {
	Total   int `json:"total"`
	Active  int `json:"active"`
	Version int `json:"version,omitempty"`
	Switch  int `json:"switch"` // of the active ones, those that lead to a switch
}

// FieldState says why a quantity is absent.
type FieldState struct {
	Field string `json:"field"`
	State string `json:"state"`
}

// Windows counts a GPU's windows.
type Windows struct {
	Total       int `json:"total"`
	Steady      int `json:"steady"`
	Cold        int `json:"cold"`
	Unused      int `json:"rejected_utilization"`
	LowPower    int `json:"rejected_power"`
	Unavailable int `json:"unavailable"`
}

// Event counts one kind of driver event.
type Event struct {
	XID   uint64 `json:"xid"`
	Count int    `json:"count"`
}

// Note is a word of a fixed list.
type Note string

// The notes.
const (
	NoteThermalSuspected Note = "memory_thermal_suspected" // of a GPU
	NoteProcessesHidden  Note = "processes_hidden"         // of a GPU
	NotePowerLimited     Note = "power_limit_reduced"      // of a GPU
	NoteGPMOff           Note = "gpm_off_profiler_active"  // of the report
	NoteRecovered        Note = "recovered_after_restart"  // of the report
	NoteSpoolFull        Note = "spool_write_failed"       // of the report
)

// Work is what the user's own program, or a benchmark, said of its speed.
type Work struct {
	Source string     `json:"source"` // file, stdin, http, command or benchmark
	Unit   string     `json:"unit"`   // of a fixed list: see package workload
	Rate   Stat       `json:"rate"`
	Model  *WorkModel `json:"model,omitempty"`
}

// WorkModel is the shape of the model that the work was done on.
type WorkModel struct {
	Name      string  `json:"name,omitempty"` // as the user typed it
	ParamsB   float64 `json:"params_b,omitempty"`
	Layers    int     `json:"layers,omitempty"`
	Hidden    int     `json:"hidden,omitempty"`
	Heads     int     `json:"heads,omitempty"`
	SeqLen    int     `json:"seq_len,omitempty"`
	Precision string  `json:"precision,omitempty"`
	Phase     string  `json:"phase,omitempty"` // train, prefill or decode
}

// Check is the outcome of one check of verify, without its texts.
type Check struct {
	ID     string   `json:"id"`
	Status string   `json:"status"`
	Actual *float64 `json:"actual,omitempty"`
	Unit   string   `json:"unit,omitempty"`
}

// Stat is window.Stat on the wire.
type Stat struct {
	N          int     `json:"n"`
	Sum        float64 `json:"sum"`
	SumSquares float64 `json:"sumsq"`
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`
	P5         float64 `json:"p5"`
	P50        float64 `json:"p50"`
	P95        float64 `json:"p95"`
}

// Sums are window.Sums on the wire.
type Sums struct {
	Windows     int     `json:"windows"`
	Samples     int     `json:"samples"`
	Seconds     float64 `json:"seconds"`
	BusySeconds float64 `json:"busy_seconds"`

	ClockSM           *Stat `json:"clock_sm_mhz,omitempty"`
	Power             *Stat `json:"power_watts,omitempty"`
	Temperature       *Stat `json:"temperature_celsius,omitempty"`
	MemoryTemperature *Stat `json:"memory_temperature_celsius,omitempty"`
	Utilization       *Stat `json:"utilization_percent,omitempty"`
	PCIeGeneration    *Stat `json:"pcie_generation,omitempty"`
	PCIeWidth         *Stat `json:"pcie_width,omitempty"`
	SMUtilization     *Stat `json:"sm_utilization_percent,omitempty"`
	TensorActive      *Stat `json:"tensor_active_percent,omitempty"`
	DRAMBandwidth     *Stat `json:"dram_bandwidth_percent,omitempty"`

	ClockHistogram []int    `json:"clock_histogram,omitempty"` // 20 bins of the highest SM clock
	Reasons        []string `json:"clock_event_reasons,omitempty"`

	Energy         *window.Counter `json:"energy_joules,omitempty"`
	PowerCap       *window.Counter `json:"throttle_sw_power_cap_seconds,omitempty"`
	SyncBoost      *window.Counter `json:"throttle_sync_boost_seconds,omitempty"`
	SWThermal      *window.Counter `json:"throttle_sw_thermal_seconds,omitempty"`
	HWThermal      *window.Counter `json:"throttle_hw_thermal_seconds,omitempty"`
	PowerBrake     *window.Counter `json:"throttle_hw_power_brake_seconds,omitempty"`
	PCIeSent       *window.Counter `json:"pcie_sent_bytes,omitempty"`
	PCIeReceived   *window.Counter `json:"pcie_received_bytes,omitempty"`
	NVLinkSent     *window.Counter `json:"nvlink_sent_bytes,omitempty"`
	NVLinkReceived *window.Counter `json:"nvlink_received_bytes,omitempty"`
}
