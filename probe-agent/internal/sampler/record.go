package sampler

import (
	"cmp"
	"slices"
	"time"
)

// Recorder writes down what a Poller reads, as a scenario.
type Recorder struct {
	scenario Scenario
	last     []Readings
	rename   func(uuid string) string
}

// NewRecorder starts a recording with an inventory. Rename replaces a device's UUID,
// which a recording must not hold.
func NewRecorder(inventory *Inventory, rename func(uuid string) string) *Recorder {
	r := &Recorder{rename: rename, last: make([]Readings, len(inventory.Devices))}
	r.scenario.Comment = "recorded on a machine"
	r.scenario.Versions = inventory.Versions
	for i, d := range inventory.Devices {
		r.scenario.Devices = append(r.scenario.Devices, r.device(&d))
		r.last[i] = d.Readings
	}
	for pair, path := range inventory.Paths {
		r.scenario.Paths = append(r.scenario.Paths, ScenarioPath{A: pair[0], B: pair[1], Path: path})
	}
	slices.SortFunc(r.scenario.Paths, func(a, b ScenarioPath) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return r
}

func (r *Recorder) device(d *Device) ScenarioDevice {
	recorded := ScenarioDevice{
		Name: d.Name, PCIBusID: d.PCIBusID, PCIDeviceID: d.PCIDeviceID, ComputeCapability: d.ComputeCapability,
		Values: make(Changes),
	}
	recorded.Links, _ = d.Links.Get()
	if uuid, ok := d.UUID.Get(); ok {
		recorded.UUID = Of(r.rename(uuid))
	}
	for _, q := range Quantities() {
		if d.Readings[q].State() != StateNotSupported {
			recorded.Values[q] = d.Readings[q]
		}
	}
	return recorded
}

// Add writes down what has changed since the last sample of the same device.
func (r *Recorder) Add(s *Sample) {
	changes := make(Changes)
	for _, q := range slices.Concat(fast, fields) {
		if now := s.Readings[q]; now != r.last[s.Device][q] {
			changes[q] = now
			r.last[s.Device][q] = now
		}
	}
	if len(changes) > 0 {
		r.scenario.Steps = append(r.scenario.Steps, Step{AtSeconds: s.At.Seconds(), Devices: []int{s.Device}, Values: changes})
	}
	if gpm, ok := s.GPM.Get(); ok {
		r.scenario.Devices[s.Device].GPM = Of(gpm)
	}
}

// AddEvent writes down an event.
func (r *Recorder) AddEvent(e Event, at time.Duration) {
	r.scenario.Events = append(r.scenario.Events, TimedEvent{AtSeconds: at.Seconds(), Event: e})
}

// Finish returns the scenario, which lasts until the given time.
func (r *Recorder) Finish(at time.Duration) *Scenario {
	r.scenario.DurationSeconds = at.Seconds()
	return &r.scenario
}
