//go:build linux && cgo

package sampler

import (
	"encoding/binary"
	"math"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// reading is one way to read a quantity.
type reading struct {
	symbols []string // any of which must be there
	read    func(nvml.Device) (float64, nvml.Return)
}

// way is a reading of one symbol.
func way[T uint32 | uint64 | int | nvml.EnableState | nvml.GpuVirtualizationMode](symbol string, read func(nvml.Device) (T, nvml.Return)) reading {
	return reading{[]string{symbol}, func(d nvml.Device) (float64, nvml.Return) {
		value, code := read(d)
		return float64(value), code
	}}
}

// readings are the ways to read each quantity that is no field, the best first. The
// next one is tried where the library or the driver does not know the one before.
var readings = [firstField][]reading{
	UtilizationGPU: {way("nvmlDeviceGetUtilizationRates", func(d nvml.Device) (uint32, nvml.Return) {
		u, code := d.GetUtilizationRates()
		return u.Gpu, code
	})},
	UtilizationMemory: {way("nvmlDeviceGetUtilizationRates", func(d nvml.Device) (uint32, nvml.Return) {
		u, code := d.GetUtilizationRates()
		return u.Memory, code
	})},
	ClockSM:            {clock("nvmlDeviceGetClockInfo", nvml.Device.GetClockInfo, nvml.CLOCK_SM)},
	ClockMemory:        {clock("nvmlDeviceGetClockInfo", nvml.Device.GetClockInfo, nvml.CLOCK_MEM)},
	ClockSMMax:         {clock("nvmlDeviceGetMaxClockInfo", nvml.Device.GetMaxClockInfo, nvml.CLOCK_SM)},
	ClockMemoryMax:     {clock("nvmlDeviceGetMaxClockInfo", nvml.Device.GetMaxClockInfo, nvml.CLOCK_MEM)},
	ClockSMApplication: {clock("nvmlDeviceGetApplicationsClock", nvml.Device.GetApplicationsClock, nvml.CLOCK_SM)},
	EventReasons: {
		way("nvmlDeviceGetCurrentClocksEventReasons", nvml.Device.GetCurrentClocksEventReasons),
		way("nvmlDeviceGetCurrentClocksThrottleReasons", nvml.Device.GetCurrentClocksThrottleReasons),
	},
	PowerUsage:         {way("nvmlDeviceGetPowerUsage", nvml.Device.GetPowerUsage)},
	PowerLimitEnforced: {way("nvmlDeviceGetEnforcedPowerLimit", nvml.Device.GetEnforcedPowerLimit)},
	PowerLimitDefault:  {way("nvmlDeviceGetPowerManagementDefaultLimit", nvml.Device.GetPowerManagementDefaultLimit)},
	Energy:             {way("nvmlDeviceGetTotalEnergyConsumption", nvml.Device.GetTotalEnergyConsumption)},
	Temperature: {
		{[]string{"nvmlDeviceGetTemperatureV"}, func(d nvml.Device) (float64, nvml.Return) {
			t, code := d.GetTemperatureV().V1()
			return float64(t.Temperature), code
		}},
		way("nvmlDeviceGetTemperature", func(d nvml.Device) (uint32, nvml.Return) { return d.GetTemperature(nvml.TEMPERATURE_GPU) }),
	},
	TemperatureSlowdown: {way("nvmlDeviceGetTemperatureThreshold", func(d nvml.Device) (uint32, nvml.Return) {
		return d.GetTemperatureThreshold(nvml.TEMPERATURE_THRESHOLD_SLOWDOWN)
	})},
	TemperatureMargin: {{[]string{"nvmlDeviceGetMarginTemperature"}, func(d nvml.Device) (float64, nvml.Return) {
		margin, code := d.GetMarginTemperature()
		return float64(margin.MarginTemperature), code
	}}},
	MemoryTotal: memory(func(m nvml.Memory) uint64 { return m.Total }, func(m nvml.Memory_v2) uint64 { return m.Total }),
	MemoryUsed:  memory(func(m nvml.Memory) uint64 { return m.Used }, func(m nvml.Memory_v2) uint64 { return m.Used }),
	ECCMode: {way("nvmlDeviceGetEccMode", func(d nvml.Device) (nvml.EnableState, nvml.Return) {
		current, _, code := d.GetEccMode()
		return current, code
	})},
	ECCModePending: {way("nvmlDeviceGetEccMode", func(d nvml.Device) (nvml.EnableState, nvml.Return) {
		_, pending, code := d.GetEccMode()
		return pending, code
	})},
	ECCCorrectedVolatile:    {ecc(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.VOLATILE_ECC)},
	ECCUncorrectedVolatile:  {ecc(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)},
	ECCCorrectedAggregate:   {ecc(nvml.MEMORY_ERROR_TYPE_CORRECTED, nvml.AGGREGATE_ECC)},
	ECCUncorrectedAggregate: {ecc(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.AGGREGATE_ECC)},
	RemappedCorrectable:     remapped(func(r rows) uint32 { return r.correctable }),
	RemappedUncorrectable:   remapped(func(r rows) uint32 { return r.uncorrectable }),
	RemapPending:            remapped(func(r rows) uint32 { return r.pending }),
	RemapFailure:            remapped(func(r rows) uint32 { return r.failure }),
	RetirementPending:       {way("nvmlDeviceGetRetiredPagesPendingStatus", nvml.Device.GetRetiredPagesPendingStatus)},
	PCIeGeneration:          {way("nvmlDeviceGetCurrPcieLinkGeneration", nvml.Device.GetCurrPcieLinkGeneration)},
	PCIeWidth:               {way("nvmlDeviceGetCurrPcieLinkWidth", nvml.Device.GetCurrPcieLinkWidth)},
	PCIeGenerationMax:       {way("nvmlDeviceGetMaxPcieLinkGeneration", nvml.Device.GetMaxPcieLinkGeneration)},
	PCIeGenerationMaxDevice: {way("nvmlDeviceGetGpuMaxPcieLinkGeneration", nvml.Device.GetGpuMaxPcieLinkGeneration)},
	PCIeWidthMax:            {way("nvmlDeviceGetMaxPcieLinkWidth", nvml.Device.GetMaxPcieLinkWidth)},
	PCIeReplays:             {way("nvmlDeviceGetPcieReplayCounter", nvml.Device.GetPcieReplayCounter)},
	MIGMode: {way("nvmlDeviceGetMigMode", func(d nvml.Device) (int, nvml.Return) {
		current, _, code := d.GetMigMode()
		return current, code
	})},
	VirtualizationMode: {way("nvmlDeviceGetVirtualizationMode", nvml.Device.GetVirtualizationMode)},
	PersistenceMode:    {way("nvmlDeviceGetPersistenceMode", nvml.Device.GetPersistenceMode)},
	ComputeProcesses: {{processSymbols, func(d nvml.Device) (float64, nvml.Return) {
		processes, code := d.GetComputeRunningProcesses()
		return float64(len(processes)), code
	}}},
	FabricState: {{[]string{"nvmlDeviceGetGpuFabricInfoV"}, func(d nvml.Device) (float64, nvml.Return) {
		info, code := d.GetGpuFabricInfoV().V2()
		return float64(info.State), code
	}}},
	AddressingMode: {{[]string{"nvmlDeviceGetAddressingMode"}, func(d nvml.Device) (float64, nvml.Return) {
		mode, code := d.GetAddressingMode()
		return float64(mode.Value), code
	}}},
	GPMSupported: {{[]string{"nvmlGpmQueryDeviceSupport"}, func(d nvml.Device) (float64, nvml.Return) {
		support, code := d.GpmQueryDeviceSupport()
		return float64(support.IsSupportedDevice), code
	}}},
}

var processSymbols = []string{"nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetComputeRunningProcesses_v2",
	"nvmlDeviceGetComputeRunningProcesses_v3"}

// clock is a clock in MHz.
func clock(symbol string, get func(nvml.Device, nvml.ClockType) (uint32, nvml.Return), kind nvml.ClockType) reading {
	return way(symbol, func(d nvml.Device) (uint32, nvml.Return) { return get(d, kind) })
}

// memory reads a part of the memory. Version 2 does not count what the driver keeps as used.
func memory(v1 func(nvml.Memory) uint64, v2 func(nvml.Memory_v2) uint64) []reading {
	return []reading{
		way("nvmlDeviceGetMemoryInfo_v2", func(d nvml.Device) (uint64, nvml.Return) {
			m, code := d.GetMemoryInfo_v2()
			return v2(m), code
		}),
		way("nvmlDeviceGetMemoryInfo", func(d nvml.Device) (uint64, nvml.Return) {
			m, code := d.GetMemoryInfo()
			return v1(m), code
		}),
	}
}

func ecc(kind nvml.MemoryErrorType, since nvml.EccCounterType) reading {
	return way("nvmlDeviceGetTotalEccErrors", func(d nvml.Device) (uint64, nvml.Return) { return d.GetTotalEccErrors(kind, since) })
}

// rows are the memory rows that the hardware has replaced.
type rows struct{ correctable, uncorrectable, pending, failure uint32 }

// remapped reads a part of the remapped rows. Some drivers have only the first
// version of the call, so the second is not used at all.
func remapped(part func(rows) uint32) []reading {
	return []reading{way("nvmlDeviceGetRemappedRows", func(d nvml.Device) (uint32, nvml.Return) {
		correctable, uncorrectable, pending, failure, code := d.GetRemappedRows()
		return part(rows{uint32(correctable), uint32(uncorrectable), bit(pending), bit(failure)}), code
	})}
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// usedSymbols are all symbols that may be called.
func usedSymbols() []string {
	used := []string{"nvmlDeviceGetCount", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex", "nvmlDeviceGetHandleByIndex_v2",
		"nvmlSystemGetDriverVersion", "nvmlSystemGetNVMLVersion", "nvmlSystemGetCudaDriverVersion", "nvmlDeviceGetFieldValues",
		"nvmlDeviceGetTopologyCommonAncestor", "nvmlDeviceGetP2PStatus", "nvmlEventSetCreate", "nvmlEventSetFree",
		"nvmlEventSetWait", "nvmlEventSetWait_v2", "nvmlDeviceRegisterEvents", "nvmlDeviceGetNvLinkState",
		"nvmlDeviceGetNvLinkVersion", "nvmlDeviceGetNvLinkRemoteDeviceType", "nvmlDeviceGetNvLinkRemotePciInfo",
		"nvmlDeviceGetNvLinkRemotePciInfo_v2", "nvmlGpmSampleAlloc", "nvmlGpmSampleFree", "nvmlGpmSampleGet", "nvmlGpmMetricsGet"}
	for _, symbols := range textSymbols {
		used = append(used, symbols...)
	}
	for _, ways := range readings {
		for _, w := range ways {
			used = append(used, w.symbols...)
		}
	}
	return used
}

// Read is a quantity of a device, read in the first way that the library knows.
func (n *NVML) Read(index int, q Quantity) Value[float64] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	device, code := n.device(index)
	if code != CodeSuccess {
		return Failed[float64](code)
	}
	result := Failed[float64](CodeFunctionNotFound)
	if q.IsField() {
		return Failed[float64](CodeInvalidArgument)
	}
	for _, w := range readings[q] {
		if !n.has(w.symbols...) {
			continue
		}
		value, code := w.read(device)
		result = valueOf(value, code)
		if code != nvml.ERROR_FUNCTION_NOT_FOUND && code != nvml.ERROR_ARGUMENT_VERSION_MISMATCH && code != nvml.ERROR_DEPRECATED {
			break
		}
	}
	return result
}

// fieldIDs are NVML's numbers of the fields.
var fieldIDs = map[Quantity]uint32{
	MemoryTemperature: nvml.FI_DEV_MEMORY_TEMP, ThrottlePowerCap: nvml.FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP,
	ThrottleSyncBoost: nvml.FI_DEV_CLOCKS_EVENT_REASON_SYNC_BOOST, ThrottleSWThermal: nvml.FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN,
	ThrottleHWThermal:  nvml.FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN,
	ThrottlePowerBrake: nvml.FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN,
	PCIeBytesSent:      nvml.FI_DEV_PCIE_COUNT_TX_BYTES, PCIeBytesReceived: nvml.FI_DEV_PCIE_COUNT_RX_BYTES,
	NVLinkSent: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_TX, NVLinkReceived: nvml.FI_DEV_NVLINK_THROUGHPUT_DATA_RX,
}

// everyLink is the scope of a field that counts over all links.
const everyLink = math.MaxUint32

// ReadFields reads fields in one call. Its success says nothing of one field: each
// has a code of its own.
func (n *NVML) ReadFields(index int, fields []Quantity) []Value[float64] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	device, code := n.device(index)
	if code == CodeSuccess && !n.has("nvmlDeviceGetFieldValues") {
		code = CodeFunctionNotFound
	}
	if code != CodeSuccess {
		return failedFields(len(fields), code)
	}
	values := make([]nvml.FieldValue, len(fields))
	for i, q := range fields {
		values[i].FieldId = fieldIDs[q]
		if q == NVLinkSent || q == NVLinkReceived {
			values[i].ScopeId = everyLink
		}
	}
	if code := device.GetFieldValues(values); code != nvml.SUCCESS {
		return failedFields(len(fields), Code(code))
	}
	all := make([]Value[float64], len(fields))
	for i, v := range values {
		all[i] = valueOf(fieldNumber(v), nvml.Return(v.NvmlReturn))
	}
	return all
}

// fieldNumber reads a field's value by its type.
func fieldNumber(v nvml.FieldValue) float64 {
	bits := binary.NativeEndian.Uint64(v.Value[:])
	switch nvml.ValueType(v.ValueType) {
	case nvml.VALUE_TYPE_DOUBLE:
		return math.Float64frombits(bits)
	case nvml.VALUE_TYPE_UNSIGNED_INT:
		return float64(binary.NativeEndian.Uint32(v.Value[:4]))
	case nvml.VALUE_TYPE_SIGNED_INT:
		return float64(int32(binary.NativeEndian.Uint32(v.Value[:4])))
	case nvml.VALUE_TYPE_UNSIGNED_SHORT:
		return float64(binary.NativeEndian.Uint16(v.Value[:2]))
	case nvml.VALUE_TYPE_SIGNED_LONG_LONG:
		return float64(int64(bits))
	}
	return float64(bits)
}
