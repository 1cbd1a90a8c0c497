package sampler

// Drivers have answered 9223372036854775794 MB and 644245923 degrees with a
// success. What can't be is an error, not a measurement.

// ranges bound what a quantity can be at all; both ends are possible.
var ranges = map[Quantity][2]float64{
	UtilizationGPU: {0, 100}, UtilizationMemory: {0, 100},
	ClockSM: {0, 10_000}, ClockMemory: {0, 100_000}, ClockSMMax: {1, 10_000}, ClockMemoryMax: {1, 100_000}, ClockSMApplication: {0, 10_000},
	PowerUsage: {0, 10_000_000}, PowerLimitEnforced: {1, 10_000_000}, PowerLimitDefault: {1, 10_000_000},
	Energy: {0, 1e18}, Temperature: {-20, 130}, TemperatureSlowdown: {1, 150}, TemperatureMargin: {-100, 150},
	MemoryTemperature: {-20, 130}, MemoryTotal: {1, 1 << 50}, MemoryUsed: {0, 1 << 50},
	PCIeGeneration: {1, 10}, PCIeWidth: {1, 32}, PCIeGenerationMax: {1, 10}, PCIeGenerationMaxDevice: {1, 10}, PCIeWidthMax: {1, 32},
	ThrottlePowerCap: {0, 1e19}, ThrottleSyncBoost: {0, 1e19}, ThrottleSWThermal: {0, 1e19}, ThrottleHWThermal: {0, 1e19}, ThrottlePowerBrake: {0, 1e19},
}

// counters only grow for as long as the driver is loaded.
var counters = []Quantity{Energy, ThrottlePowerCap, ThrottleSyncBoost, ThrottleSWThermal, ThrottleHWThermal, ThrottlePowerBrake,
	PCIeBytesSent, PCIeBytesReceived, NVLinkSent, NVLinkReceived}

// powerOverLimit is how far above its default limit a card can be read for a moment.
const powerOverLimit = 2

// plausible turns the readings that can't be into errors; limits holds the device's
// power limit and memory.
func plausible(r, limits *Readings) {
	for q, bounds := range ranges {
		if v, ok := r[q].Get(); ok && (v < bounds[0] || v > bounds[1]) {
			r[q] = Failed[float64](CodeUnknown)
		}
	}
	if above(r[PowerUsage], limits[PowerLimitDefault], powerOverLimit) {
		r[PowerUsage] = Failed[float64](CodeUnknown)
	}
	if above(r[MemoryUsed], limits[MemoryTotal], 1) {
		r[MemoryUsed] = Failed[float64](CodeUnknown)
	}
}

// above reports whether a value is known to be above factor times its limit.
func above(value, limit Value[float64], factor float64) bool {
	v, ok := value.Get()
	most, known := limit.Get()
	return ok && known && v > factor*most
}

// monotone makes an error of a counter that went back, once: the next reading is
// held against the new value.
func monotone(r, last *Readings) {
	for _, q := range counters {
		now, ok := r[q].Get()
		if !ok {
			continue
		}
		before, known := last[q].Get()
		last[q] = r[q]
		if known && now < before {
			r[q] = Failed[float64](CodeUnknown)
		}
	}
}
