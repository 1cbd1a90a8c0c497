package sampler

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Replay is a Source that plays a scenario against a clock. Time runs from the first
// Open. Make one with NewReplay; it may be used from several goroutines.
type Replay struct {
	scenario *Scenario
	now      func() time.Time

	mu      sync.Mutex
	start   time.Time // zero until the first Open
	step    int       // the first step that has not happened
	event   int       // the first event that has not been told
	devices []replayed
}

// replayed is a device as it is.
type replayed struct {
	values Changes
	rates  Rates
	since  map[Quantity]time.Duration // when each rate began
	gpm    bool                       // whether GPM has been asked for before
}

// NewReplay plays a scenario by a clock.
func NewReplay(scenario *Scenario, now func() time.Time) *Replay {
	r := &Replay{scenario: scenario, now: now}
	for _, d := range scenario.Devices {
		values, rates := maps.Clone(d.Values), maps.Clone(d.Rates)
		if values == nil {
			values = make(Changes)
		}
		if rates == nil {
			rates = make(Rates)
		}
		r.devices = append(r.devices, replayed{values: values, rates: rates, since: make(map[Quantity]time.Duration)})
	}
	slices.SortStableFunc(scenario.Events, func(a, b TimedEvent) int {
		return int(seconds(a.AtSeconds) - seconds(b.AtSeconds))
	})
	return r
}

// Open fails for as long as the scenario says.
func (r *Replay) Open() Code {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start.IsZero() {
		r.start = r.now()
	}
	for _, f := range r.scenario.OpenFailures {
		if r.elapsed() < seconds(f.UntilSeconds) {
			return f.Code
		}
	}
	return CodeSuccess
}

// Close does nothing.
func (r *Replay) Close() {}

// Versions are the scenario's.
func (r *Replay) Versions() Versions { return r.scenario.Versions }

// DeviceCount is how many devices the scenario has.
func (r *Replay) DeviceCount() Value[int] { return Of(len(r.scenario.Devices)) }

// Text is a property of a device.
func (r *Replay) Text(device int, p Property) Value[string] {
	d := r.scenario.Devices[device]
	return [properties]Value[string]{d.Name, d.UUID, d.PCIBusID, d.PCIDeviceID, d.ComputeCapability}[p]
}

// Read is a quantity as it is by the clock.
func (r *Replay) Read(device int, q Quantity) Value[float64] {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.advance()
	return r.devices[device].read(q, r.elapsed())
}

// ReadFields are several quantities as they are by the clock.
func (r *Replay) ReadFields(device int, fields []Quantity) []Value[float64] {
	all := make([]Value[float64], len(fields))
	for i, q := range fields {
		all[i] = r.Read(device, q)
	}
	return all
}

// Links are the NVLinks of a device.
func (r *Replay) Links(device int) Value[[]Link] { return Of(r.scenario.Devices[device].Links) }

// Path is how two devices reach each other; not supported if the scenario is silent.
func (r *Replay) Path(a, b int) Path {
	for _, p := range r.scenario.Paths {
		if p.A == a && p.B == b || p.A == b && p.B == a {
			return p.Path
		}
	}
	return Path{}
}

// GPM are the scenario's means.
func (r *Replay) GPM(device int) Value[GPM] {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := !r.devices[device].gpm
	r.devices[device].gpm = true
	if first && r.scenario.Devices[device].GPM.OK() {
		return Failed[GPM](CodeNotFound)
	}
	return r.scenario.Devices[device].GPM
}

// NextEvent is the next event that has happened by the clock. It never waits.
func (r *Replay) NextEvent(time.Duration) Value[Event] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.event < len(r.scenario.Events) && seconds(r.scenario.Events[r.event].AtSeconds) <= r.elapsed() {
		r.event++
		return Of(r.scenario.Events[r.event-1].Event)
	}
	return Failed[Event](CodeTimeout)
}

func (r *Replay) elapsed() time.Duration { return r.now().Sub(r.start) }

// advance takes the steps that are due.
func (r *Replay) advance() {
	for r.step < len(r.scenario.Steps) {
		step := r.scenario.Steps[r.step]
		at := seconds(step.AtSeconds)
		if at > r.elapsed() {
			return
		}
		r.step++
		for i := range r.devices {
			if len(step.Devices) == 0 || slices.Contains(step.Devices, i) {
				r.devices[i].take(step, at)
			}
		}
	}
}

// take settles the counters whose rate changes, then applies a step.
func (d *replayed) take(step Step, at time.Duration) {
	for q, rate := range step.Rates {
		d.values[q] = d.read(q, at)
		d.rates[q], d.since[q] = rate, at
	}
	for q, v := range step.Values {
		d.values[q], d.since[q] = v, at
	}
}

// read is a quantity at a time: its value, and what its rate has added.
func (d *replayed) read(q Quantity, at time.Duration) Value[float64] {
	v, ok := d.values[q].Get()
	rate := d.rates[q]
	if rate == 0 || d.values[q].State() != StateOK && d.values[q].State() != StateNotSupported {
		return d.values[q]
	}
	if !ok {
		v = 0
	}
	return Of(v + rate*(at-d.since[q]).Seconds())
}
