package schemas

// Measurement is a report of a probe agent, as far as the service reads it. Pointers
// are nil, and slices empty, where something is not known.
type Measurement struct {
	Seq       int64   `json:"seq"`
	Source    string  `json:"source"` // nvml or replay
	Kind      string  `json:"kind"`   // watch or verify
	BootID    string  `json:"boot_id"`
	MonoStart float64 `json:"mono_start_seconds"`
	MonoEnd   float64 `json:"mono_end_seconds"`
	WallStart string  `json:"wall_start"` // RFC 3339, by the box's own clock
	WallEnd   string  `json:"wall_end"`
	// ClockOffsetSeconds is the server's clock less the box's, as the box last heard it.
	ClockOffsetSeconds *float64 `json:"clock_offset_seconds"`

	Provider string `json:"provider"` // as the user typed it, and so are the next two
	Region   string `json:"region"`
	SKU      string `json:"sku"`
	Reporter string `json:"reporter"` // tenant, or provider if it owns the box

	System MeasuredSystem  `json:"system"`
	Rules  MeasuredRules   `json:"rules"`
	GPUs   []MeasuredGPU   `json:"gpus"`
	Work   []MeasuredWork  `json:"throughput"`
	Checks []MeasuredCheck `json:"checks"`
	Tier   string          `json:"tier"` // A, B or C
}

// MeasuredSystem is what stands between the agent and the GPUs.
type MeasuredSystem struct {
	Driver string `json:"driver_version"`
}

// MeasuredRules are by which rules samples became windows.
type MeasuredRules struct {
	IntervalSeconds float64 `json:"interval_seconds"`
	WindowSeconds   float64 `json:"window_seconds"`
}

// MeasuredGPU is one GPU: what it is, and how it did.
type MeasuredGPU struct {
	GPU               string       `json:"gpu"` // a keyed hash of its UUID; "" if that is unknown
	Model             string       `json:"model"`
	PCIDeviceID       string       `json:"pci_device_id"`
	ComputeCapability string       `json:"compute_capability"`
	MemoryTotal       float64      `json:"memory_total_bytes"` // 0 if unknown, and so are the next ones
	ClockSMMax        float64      `json:"clock_sm_max_mhz"`
	PowerLimit        float64      `json:"power_limit_enforced_watts"`
	ECC               *MeasuredECC `json:"ecc"`
	MIG               bool         `json:"mig"`
	Virtualization    string       `json:"virtualization"`

	ObservedSeconds   float64         `json:"observed_seconds"`
	BusySeconds       float64         `json:"busy_seconds"`
	LostSeconds       float64         `json:"lost_seconds"`
	UnobservedSeconds float64         `json:"unobserved_seconds"`
	Windows           MeasuredWindows `json:"windows"`
	Steady            *MeasuredSums   `json:"steady"`
	Cold              *MeasuredSums   `json:"cold"`
}

// MeasuredECC is what error correction has met in the GPU's life.
type MeasuredECC struct {
	Corrected   *float64 `json:"corrected_aggregate"`
	Uncorrected *float64 `json:"uncorrected_aggregate"`
}

// MeasuredWindows counts a GPU's windows.
type MeasuredWindows struct {
	Total  int `json:"total"`
	Steady int `json:"steady"`
	Cold   int `json:"cold"`
}

// MeasuredSums are statistics over windows of one kind.
type MeasuredSums struct {
	Windows     int     `json:"windows"`
	Samples     int     `json:"samples"`
	Seconds     float64 `json:"seconds"`
	BusySeconds float64 `json:"busy_seconds"`

	ClockSM           *MeasuredStat `json:"clock_sm_mhz"`
	Power             *MeasuredStat `json:"power_watts"`
	Temperature       *MeasuredStat `json:"temperature_celsius"`
	MemoryTemperature *MeasuredStat `json:"memory_temperature_celsius"`
	Utilization       *MeasuredStat `json:"utilization_percent"`
	SMUtilization     *MeasuredStat `json:"sm_utilization_percent"`
	TensorActive      *MeasuredStat `json:"tensor_active_percent"`
	DRAMBandwidth     *MeasuredStat `json:"dram_bandwidth_percent"`

	ClockHistogram []int `json:"clock_histogram"` // in twentieths of the highest SM clock

	Energy     *MeasuredCounter `json:"energy_joules"`
	SWThermal  *MeasuredCounter `json:"throttle_sw_thermal_seconds"`
	HWThermal  *MeasuredCounter `json:"throttle_hw_thermal_seconds"`
	PowerBrake *MeasuredCounter `json:"throttle_hw_power_brake_seconds"`
}

// MeasuredStat is the statistics of one quantity.
type MeasuredStat struct {
	N          int     `json:"n"`
	Sum        float64 `json:"sum"`
	SumSquares float64 `json:"sumsq"`
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`
	P5         float64 `json:"p5"`
	P50        float64 `json:"p50"`
	P95        float64 `json:"p95"`
}

// Mean is the mean.
func (s *MeasuredStat) Mean() float64 { return s.Sum / float64(max(s.N, 1)) }

// MeasuredCounter is how much a counter grew, and over how many seconds.
type MeasuredCounter struct {
	Total   float64 `json:"total"`
	Seconds float64 `json:"seconds"`
}

// MeasuredWork is what a program, or a benchmark, said of its speed.
type MeasuredWork struct {
	Source string         `json:"source"`
	Unit   string         `json:"unit"`
	Rate   MeasuredStat   `json:"rate"`
	Model  *MeasuredModel `json:"model"`
}

// MeasuredModel is the shape of the model that was worked on; 0 and "" are unknown.
type MeasuredModel struct {
	ParamsB float64 `json:"params_b"`
	Layers  int     `json:"layers"`
	Hidden  int     `json:"hidden"`
	SeqLen  int     `json:"seq_len"`
	Phase   string  `json:"phase"`
}

// MeasuredCheck is how a check ended.
type MeasuredCheck struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Enrolment makes a box's key known.
type Enrolment struct {
	Schema    string `json:"schema"`
	Code      string `json:"code"`
	PublicKey string `json:"public_key"` // raw Ed25519, base64url
	Nonce     string `json:"nonce"`
	Signature string `json:"signature"` // by the new key, of SignedText
	Provider  string `json:"provider"`  // as the user typed it, and so are the next two
	Region    string `json:"region"`
	SKU       string `json:"sku"`
	Reporter  string `json:"reporter"`

	Replaces *EnrolmentReplaces `json:"replaces"`
}

// EnrolmentReplaces names the key that the new one takes over from.
type EnrolmentReplaces struct {
	KeyID     string `json:"key_id"`
	Signature string `json:"signature"` // by the old key, of SignedText
}

// SignedText is what the signatures of an enrolment are of.
func (e *Enrolment) SignedText() []byte {
	return []byte(e.Schema + "\n" + e.Code + "\n" + e.Nonce + "\n" + e.PublicKey)
}

// MeasurementReceipt says that a report is kept, and what it is taken for.
type MeasurementReceipt struct {
	ID   string        `json:"id"`
	GPUs []ReceivedGPU `json:"gpus"`
	Box  ReceivedBox   `json:"box"`
}

// EnrolmentReceipt says that a key is known.
type EnrolmentReceipt struct {
	KeyID string      `json:"key_id"`
	Box   ReceivedBox `json:"box"`
}

// ReceivedGPU is a kind of GPUs of a report, as the driver names it and as the catalogue
// does; null where it has no name for it.
type ReceivedGPU struct {
	Name   string  `json:"name"`
	GPU    *string `json:"gpu"`
	Counts bool    `json:"counts"` // long enough, and of whole GPUs
}

// ReceivedBox is what was typed of a box.
type ReceivedBox struct {
	Provider ReceivedName `json:"provider"`
	SKU      ReceivedName `json:"sku"`
}

// ReceivedName is what was typed, and the catalogue's name of it: null where it knows
// none, with those that are spelt like it.
type ReceivedName struct {
	Typed string   `json:"typed"`
	Name  *string  `json:"name"`
	Near  []string `json:"near,omitempty"`
}
