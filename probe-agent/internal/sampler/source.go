package sampler

import "time"

// Property is one text that NVML can give of a device.
type Property uint8

// The properties.
const (
	Name Property = iota
	UUID          // never leaves the machine: see package identity
	PCIBusID
	PCIDeviceID // "2330": the device's half of the id
	ComputeCapability
	properties
)

var propertyNames = [properties]string{"name", "uuid", "pci_bus_id", "pci_device_id", "compute_capability"}

// String is the property's name.
func (p Property) String() string { return propertyNames[p] }

// Versions are the versions of what stands between this program and the devices.
type Versions struct {
	Driver Value[string] `json:"driver"`
	NVML   Value[string] `json:"nvml"`
	CUDA   Value[string] `json:"cuda"` // the newest CUDA that the driver can run: "12.8"
}

// Link is one NVLink of a device.
type Link struct {
	Index     int    `json:"index"`
	Active    bool   `json:"active"`
	Version   int    `json:"version,omitempty"`    // generation, 0 if unknown
	RemoteBus string `json:"remote_bus,omitempty"` // PCI bus id of the other end, "" if unknown
	Switch    bool   `json:"switch,omitempty"`     // the other end is an NVSwitch
}

// Path is how two devices reach each other over PCIe.
type Path struct {
	Ancestor Value[int] `json:"ancestor"` // 0 internal, 10 PIX, 20 PXB, 30 PHB, 40 NODE, 50 SYS
	Read     Value[int] `json:"read"`     // peer-to-peer status, 0 is OK
	Write    Value[int] `json:"write"`
}

// The values of Path.Ancestor, from near to far.
const (
	AncestorInternal = 0
	AncestorPIX      = 10 // one PCIe switch
	AncestorPXB      = 20 // several PCIe switches
	AncestorPHB      = 30 // the host bridge
	AncestorNode     = 40 // one NUMA node
	AncestorSystem   = 50 // between NUMA nodes
)

// Event is something that the driver says happened to a device.
type Event struct {
	Device int    `json:"device"` // -1 if the driver does not say
	XID    uint64 `json:"xid"`
}

// GPM are means since the last call, of counters that the hardware has for profilers.
type GPM struct {
	SMUtilization float64 `json:"sm_utilization"` // ratios, 0 to 1
	TensorActive  float64 `json:"tensor_active"`
	DRAMBandwidth float64 `json:"dram_bandwidth"`
}

// Source is NVML as far as this program uses it. A device is named by its index,
// from 0. No method waits longer than its driver does: Guard adds the deadlines. A
// method may be called from several goroutines, but for one device from one at a time.
type Source interface {
	// Open loads and initialises the library. It may be called again after a failure.
	Open() Code
	// Close gives the library back.
	Close()
	// Versions are those of the driver and the library.
	Versions() Versions
	// DeviceCount is how many devices there are now.
	DeviceCount() Value[int]
	// Text is a property of a device.
	Text(device int, p Property) Value[string]
	// Read is a quantity of a device that is no field.
	Read(device int, q Quantity) Value[float64]
	// ReadFields are several fields of a device, in one call, in the order asked for.
	ReadFields(device int, fields []Quantity) []Value[float64]
	// Links are the NVLinks of a device; none if it has none.
	Links(device int) Value[[]Link]
	// Path is how two devices reach each other.
	Path(a, b int) Path
	// GPM are the means since the last call for this device; the first call fails as not found.
	GPM(device int) Value[GPM]
	// NextEvent waits for an event, up to a time. It fails as a timeout when there was none.
	NextEvent(timeout time.Duration) Value[Event]
}
