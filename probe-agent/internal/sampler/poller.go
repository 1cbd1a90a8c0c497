package sampler

import (
	"sync"
	"time"
)

// fast are read at every tick: what changes within a second.
var fast = []Quantity{UtilizationGPU, ClockSM, PowerUsage, Temperature, Energy, EventReasons, PCIeGeneration, PCIeWidth}

// fields are read at every tick too, in one call.
var fields = []Quantity{MemoryTemperature, ThrottlePowerCap, ThrottleSyncBoost, ThrottleSWThermal, ThrottleHWThermal,
	ThrottlePowerBrake, PCIeBytesSent, PCIeBytesReceived, NVLinkSent, NVLinkReceived}

// Readings are the quantities of one device, read at about the same time.
type Readings [quantities]Value[float64]

// Get returns a quantity, and whether it was read.
func (r *Readings) Get(q Quantity) (float64, bool) { return r[q].Get() }

// Sample is one device at one tick.
type Sample struct {
	Device   int
	At       time.Duration // since the agent's own start, by its monotonic clock
	Readings Readings
	GPM      Value[GPM]
}

// Lost reports whether the device answered that it is gone or needs a reset.
func (s *Sample) Lost() bool {
	state := s.Readings[UtilizationGPU].State()
	return state == StateGPULost || state == StateResetRequired
}

// Fatal is the code that ends all reading, if one of the readings has it.
func (s *Sample) Fatal() (Code, bool) {
	code := s.Readings[UtilizationGPU].Code()
	return code, code.Fatal()
}

// Poller reads every device once per tick. Make one with NewPoller; one goroutine
// calls it.
type Poller struct {
	source  Source
	devices int
	gpm     func() bool // whether GPM may be read now
	limits  []Readings  // what a device's readings are held against
	last    []Readings  // counters as they were
	samples []Sample    // reused
}

// NewPoller is a poller of the devices of an inventory. GPM is read where the
// hardware has it, one device per tick, and only while gpm says so: profilers need
// the same counters.
func NewPoller(source Source, inventory *Inventory, gpm func() bool) *Poller {
	p := &Poller{source: source, devices: len(inventory.Devices), gpm: gpm}
	p.limits = make([]Readings, p.devices)
	for i := range inventory.Devices {
		p.limits[i] = inventory.Devices[i].Readings
	}
	p.last = make([]Readings, p.devices)
	p.samples = make([]Sample, p.devices)
	return p
}

// Poll reads all devices at once. What it returns is valid until the next call.
func (p *Poller) Poll(tick int, at time.Duration) []Sample {
	gpm := p.gpm()
	var all sync.WaitGroup
	for i := range p.samples {
		p.samples[i] = Sample{Device: i, At: at}
		all.Go(func() {
			p.poll(&p.samples[i])
			if gpm && tick%p.devices == i && p.supportsGPM(i) && !p.samples[i].Lost() {
				p.samples[i].GPM = p.source.GPM(i)
			}
		})
	}
	all.Wait()
	return p.samples
}

func (p *Poller) supportsGPM(device int) bool {
	supported, ok := p.limits[device].Get(GPMSupported)
	return ok && supported > 0
}

// poll reads one device. A device that is lost, or the end of all reading, is asked
// for one thing only.
func (p *Poller) poll(s *Sample) {
	for _, q := range fast {
		s.Readings[q] = p.source.Read(s.Device, q)
		if _, fatal := s.Fatal(); fatal || s.Lost() {
			return
		}
	}
	for i, v := range p.source.ReadFields(s.Device, fields) {
		s.Readings[fields[i]] = v
	}
	plausible(&s.Readings, &p.limits[s.Device])
	monotone(&s.Readings, &p.last[s.Device])
}

// Refresh reads again what changes rarely, and returns it.
func (p *Poller) Refresh(device int) *Readings {
	r := slow(p.source, device)
	p.limits[device] = r
	return &r
}
