package catalog

import "time"

// ReportID is the SHA-256 of a report's payload in hex.
type ReportID string

// ReportKind says what a report is about.
type ReportKind string

// The kinds: the GPUs were watched at work, or the box was checked.
const (
	WatchReport  ReportKind = "watch"
	VerifyReport ReportKind = "verify"
)

// Report is what a box measured, as it was received. Its figures are quantities:
// nothing that the server thinks of them is stored with it.
type Report struct {
	ID     ReportID
	Box    BoxID // the machine: see Box.Machine
	Tenant TenantID
	Kind   ReportKind
	Host   bool // the box is the provider's own
	// Sequence is the box's own count. It shows gaps and nothing else.
	Sequence   int64
	ReceivedAt time.Time // by the server's clock, UTC
	// ClockOffset is the server's clock less the box's.
	ClockOffset time.Duration
	// From and Until are when it was measured, by the server's clock, UTC.
	From, Until time.Time
	Boot        string // names a boot of the box
	Driver      string // version, "" if unknown

	// Provider and SKU are the catalogue's names of what was typed; "" where none matches.
	Typed    Typed
	Provider ProviderID
	SKU      SKU

	Readings []Reading
	Checks   []Check
	Payload  []byte // as signed; lists of reports come without
}

// GPUHash names a single GPU: a keyed hash of its UUID, "" if that is unknown.
type GPUHash string

// Reading is what a report holds of a box's GPUs of one kind, summed over them.
type Reading struct {
	GPU         GPUID  // the catalogue's name; "" where none matches
	Name        string // as the driver says
	PCIDevice   string // the device's half of its PCI id, "" if unknown
	MemoryBytes float64
	Devices     []Device
	Evidence    Evidence
	Partitioned bool // MIG is on: no whole GPU was seen
	Sufficient  bool // long enough to count

	ObservedSeconds float64
	BusySeconds     float64
	LostSeconds     float64 // the GPU had gone
	HeldSeconds     float64 // heat or power supply held the clock down

	Clock    Mean    // MHz of the SMs, at work and warm
	ClockMax float64 // MHz that the driver names as highest; 0 if unknown
	GEMM     Mean    // TFLOPS of one GPU multiplying matrices
	Copy     Mean    // GB/s of one GPU's memory
	Bus      Mean    // GB/s of an all-reduce between the GPUs
	Training Mean    // TFLOPS that training needed of each GPU, by the program's own account

	// Prints are digests of how the clock was distributed, of GPUs where that tells
	// one stretch of time from another.
	Prints []uint64
}

// Device is one GPU of a reading.
type Device struct {
	Hash GPUHash
	// Errors is how many memory errors it has met in its life, if Counted.
	Errors  float64
	Counted bool
}

// Mean is a mean in the making; N is 0 if nothing was seen.
type Mean struct {
	N   int
	Sum float64
}

// Value is the mean. ok is false if nothing was seen.
func (m Mean) Value() (mean float64, ok bool) {
	if m.N == 0 {
		return 0, false
	}
	return m.Sum / float64(m.N), true
}

// Add adds what another has seen.
func (m *Mean) Add(other Mean) { m.N, m.Sum = m.N+other.N, m.Sum+other.Sum }
