//go:build linux && cgo

package sampler

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// NVML is the driver's own library. Make one with NewNVML. Only Open is ever called
// before Open has succeeded: any other call would end the process.
type NVML struct {
	lib nvml.Interface

	mu      sync.RWMutex // held for writing by Open and Close
	devices []nvml.Device
	symbols map[string]bool // of those used here, the ones that the library has

	gpm    gpmSamples
	events nvml.EventSet // nil until the first NextEvent
}

// NewNVML is the library at a path, or the one that the loader finds if that is "".
func NewNVML(path string) *NVML {
	if path == "" {
		return &NVML{lib: nvml.New()}
	}
	return &NVML{lib: nvml.New(nvml.WithLibraryPath(path))}
}

// Open loads the library, and looks up every symbol that may be called.
func (n *NVML) Open() Code {
	n.mu.Lock()
	defer n.mu.Unlock()
	if code := n.lib.Init(); code != nvml.SUCCESS {
		return Code(code)
	}
	n.symbols = make(map[string]bool)
	for _, symbol := range usedSymbols() {
		n.symbols[symbol] = n.lib.Extensions().LookupSymbol(symbol) == nil
	}
	return n.findDevices()
}

// findDevices keeps a handle of each device. One that can't be had is nil.
func (n *NVML) findDevices() Code {
	if !n.has("nvmlDeviceGetCount", "nvmlDeviceGetCount_v2") || !n.has("nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex_v2") {
		return CodeFunctionNotFound
	}
	count, code := n.lib.DeviceGetCount()
	if code != nvml.SUCCESS {
		return Code(code)
	}
	n.devices = make([]nvml.Device, count)
	for i := range n.devices {
		if device, code := n.lib.DeviceGetHandleByIndex(i); code == nvml.SUCCESS {
			n.devices[i] = device
		}
	}
	return CodeSuccess
}

// has reports whether the library has one of the symbols.
func (n *NVML) has(symbols ...string) bool {
	for _, symbol := range symbols {
		if n.symbols[symbol] {
			return true
		}
	}
	return false
}

// Close gives the library back.
func (n *NVML) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.symbols == nil {
		return
	}
	n.gpm.free(n)
	if n.events != nil && n.has("nvmlEventSetFree") {
		n.events.Free()
	}
	n.events, n.symbols, n.devices = nil, nil, nil
	n.lib.Shutdown()
}

// device returns a device if its calls may be made.
func (n *NVML) device(index int) (nvml.Device, Code) {
	switch {
	case n.symbols == nil:
		return nil, CodeUninitialized
	case index < 0 || index >= len(n.devices):
		return nil, CodeInvalidArgument
	case n.devices[index] == nil:
		return nil, CodeGPULost
	}
	return n.devices[index], CodeSuccess
}

// DeviceCount asks again how many devices there are; it may have become fewer.
func (n *NVML) DeviceCount() Value[int] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.symbols == nil {
		return Failed[int](CodeUninitialized)
	}
	count, code := n.lib.DeviceGetCount()
	return valueOf(count, code)
}

// Versions are those of the driver and the library.
func (n *NVML) Versions() Versions {
	n.mu.RLock()
	defer n.mu.RUnlock()
	missing := Failed[string](CodeFunctionNotFound)
	v := Versions{missing, missing, missing}
	if n.has("nvmlSystemGetDriverVersion") {
		v.Driver = valueOf(n.lib.SystemGetDriverVersion())
	}
	if n.has("nvmlSystemGetNVMLVersion") {
		v.NVML = valueOf(n.lib.SystemGetNVMLVersion())
	}
	if n.has("nvmlSystemGetCudaDriverVersion") {
		version, code := n.lib.SystemGetCudaDriverVersion()
		v.CUDA = valueOf(fmt.Sprintf("%d.%d", version/1000, version%1000/10), code)
	}
	return v
}

// Text is a property of a device.
func (n *NVML) Text(index int, p Property) Value[string] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	device, code := n.device(index)
	if code != CodeSuccess {
		return Failed[string](code)
	}
	if !n.has(textSymbols[p]...) {
		return Failed[string](CodeFunctionNotFound)
	}
	return texts[p](device)
}

var textSymbols = [properties][]string{
	Name: {"nvmlDeviceGetName"}, UUID: {"nvmlDeviceGetUUID"},
	PCIBusID:          {"nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo_v3"},
	PCIDeviceID:       {"nvmlDeviceGetPciInfo", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo_v3"},
	ComputeCapability: {"nvmlDeviceGetCudaComputeCapability"},
}

var texts = [properties]func(nvml.Device) Value[string]{
	Name: func(d nvml.Device) Value[string] { return valueOf(d.GetName()) },
	UUID: func(d nvml.Device) Value[string] { return valueOf(d.GetUUID()) },
	PCIBusID: func(d nvml.Device) Value[string] {
		info, code := d.GetPciInfo()
		return valueOf(busID(info), code)
	},
	PCIDeviceID: func(d nvml.Device) Value[string] {
		info, code := d.GetPciInfo()
		return valueOf(fmt.Sprintf("%04x", info.PciDeviceId>>16), code) // the low half is the vendor
	},
	ComputeCapability: func(d nvml.Device) Value[string] {
		major, minor, code := d.GetCudaComputeCapability()
		return valueOf(fmt.Sprintf("%d.%d", major, minor), code)
	},
}

// busID is written in one way only, so that the two ends of a link compare equal.
func busID(info nvml.PciInfo) string {
	return strings.ToLower(fmt.Sprintf("%08x:%02x:%02x.0", info.Domain, info.Bus, info.Device))
}

// valueOf turns what a call returned into a reading.
func valueOf[T any](value T, code nvml.Return) Value[T] {
	if code != nvml.SUCCESS {
		return Failed[T](Code(code))
	}
	return Of(value)
}

// Path is how two devices reach each other.
func (n *NVML) Path(a, b int) Path {
	n.mu.RLock()
	defer n.mu.RUnlock()
	first, code := n.device(a)
	second, other := n.device(b)
	if code != CodeSuccess || other != CodeSuccess {
		failed := Failed[int](max(code, other))
		return Path{failed, failed, failed}
	}
	missing := Failed[int](CodeFunctionNotFound)
	p := Path{missing, missing, missing}
	if n.has("nvmlDeviceGetTopologyCommonAncestor") {
		level, code := first.GetTopologyCommonAncestor(second)
		p.Ancestor = valueOf(int(level), code)
	}
	if n.has("nvmlDeviceGetP2PStatus") {
		read, code := first.GetP2PStatus(second, nvml.P2P_CAPS_INDEX_READ)
		write, other := first.GetP2PStatus(second, nvml.P2P_CAPS_INDEX_WRITE)
		p.Read, p.Write = valueOf(int(read), code), valueOf(int(write), other)
	}
	return p
}

// NextEvent waits for an Xid error. The first call registers for those of every
// device: what happened before it is not known.
func (n *NVML) NextEvent(timeout time.Duration) Value[Event] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if !n.has("nvmlEventSetCreate") || !n.has("nvmlDeviceRegisterEvents") || !n.has("nvmlEventSetWait", "nvmlEventSetWait_v2") {
		return Failed[Event](CodeFunctionNotFound)
	}
	if n.events == nil {
		if code := n.register(); code != nvml.SUCCESS {
			return Failed[Event](Code(code))
		}
	}
	data, code := n.events.Wait(uint32(timeout.Milliseconds()))
	if code != nvml.SUCCESS {
		return Failed[Event](Code(code))
	}
	event := Event{Device: -1, XID: data.EventData}
	for i, device := range n.devices {
		if device == data.Device {
			event.Device = i
		}
	}
	return Of(event)
}

// register makes the event set. It succeeds if one device can report.
func (n *NVML) register() nvml.Return {
	set, code := n.lib.EventSetCreate()
	if code != nvml.SUCCESS {
		return code
	}
	result := nvml.Return(CodeNotSupported)
	for _, device := range n.devices {
		if device == nil {
			continue
		}
		if code := device.RegisterEvents(nvml.EventTypeXidCriticalError, set); code == nvml.SUCCESS {
			result = code
		}
	}
	if result == nvml.SUCCESS {
		n.events = set
	} else if n.has("nvmlEventSetFree") {
		set.Free()
	}
	return result
}
