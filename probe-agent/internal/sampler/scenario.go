package sampler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Scenario is a machine on file: how it is at the start, and what changes when. A
// quantity that is not mentioned is not supported; a failed one is written
// {"state": "gpu_lost"}.
type Scenario struct {
	Comment         string           `json:"comment,omitempty"`
	Versions        Versions         `json:"versions"`
	DurationSeconds float64          `json:"duration_seconds"`
	OpenFailures    []OpenFailure    `json:"open_failures,omitempty"`
	Devices         []ScenarioDevice `json:"devices"`
	Paths           []ScenarioPath   `json:"paths,omitempty"`
	Steps           []Step           `json:"steps,omitempty"`
	Events          []TimedEvent     `json:"events,omitempty"`
}

// OpenFailure says with which code the library fails to open until when.
type OpenFailure struct {
	UntilSeconds float64 `json:"until_seconds"`
	Code         Code    `json:"code"`
}

// ScenarioDevice is one GPU at the start.
type ScenarioDevice struct {
	Name              Value[string] `json:"name,omitzero"`
	UUID              Value[string] `json:"uuid,omitzero"`
	PCIBusID          Value[string] `json:"pci_bus_id,omitzero"`
	PCIDeviceID       Value[string] `json:"pci_device_id,omitzero"`
	ComputeCapability Value[string] `json:"compute_capability,omitzero"`
	Links             []Link        `json:"links,omitempty"`
	Values            Changes       `json:"values"`
	Rates             Rates         `json:"rates,omitempty"`
	GPM               Value[GPM]    `json:"gpm,omitzero"`
}

// Changes are quantities and their new values.
type Changes map[Quantity]Value[float64]

// Rates say how fast counters grow, per second.
type Rates map[Quantity]float64

// ScenarioPath is how two devices reach each other.
type ScenarioPath struct {
	A int `json:"a"`
	B int `json:"b"`
	Path
}

// Step is what changes at one time, for some devices or for all.
type Step struct {
	AtSeconds float64 `json:"at_seconds"`
	Devices   []int   `json:"devices,omitempty"` // none means all
	Values    Changes `json:"values,omitempty"`
	Rates     Rates   `json:"rates,omitempty"`
}

// TimedEvent is an event and when it happens.
type TimedEvent struct {
	AtSeconds float64 `json:"at_seconds"`
	Event
}

// What a scenario may hold at most.
const (
	maxScenarioBytes   = 64 << 20
	maxScenarioDevices = 64
	maxScenarioSeconds = 90 * 24 * 3600
)

// ParseScenario reads a scenario and tests that it makes sense.
func ParseScenario(r io.Reader) (*Scenario, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxScenarioBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	if len(text) > maxScenarioBytes {
		return nil, fmt.Errorf("read scenario: it is larger than %d bytes", maxScenarioBytes)
	}
	var s Scenario
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&s); err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return &s, nil
}

// Duration is how long the scenario lasts.
func (s *Scenario) Duration() time.Duration { return seconds(s.DurationSeconds) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (s *Scenario) check() error {
	if len(s.Devices) > maxScenarioDevices {
		return fmt.Errorf("%d devices, at most %d", len(s.Devices), maxScenarioDevices)
	}
	if !(s.DurationSeconds >= 0 && s.DurationSeconds <= maxScenarioSeconds) {
		return fmt.Errorf("duration_seconds is %g, want 0 to %d", s.DurationSeconds, maxScenarioSeconds)
	}
	for _, p := range s.Paths {
		if !s.has(p.A) || !s.has(p.B) {
			return fmt.Errorf("a path between %d and %d: there are %d devices", p.A, p.B, len(s.Devices))
		}
	}
	for _, e := range s.Events {
		if e.Device != -1 && !s.has(e.Device) {
			return fmt.Errorf("an event of device %d: there are %d devices", e.Device, len(s.Devices))
		}
	}
	return s.checkSteps()
}

func (s *Scenario) checkSteps() error {
	last := 0.0
	for i, step := range s.Steps {
		if !(step.AtSeconds >= last && step.AtSeconds <= maxScenarioSeconds) {
			return fmt.Errorf("step %d is at %g s, before the one ahead of it or too late", i, step.AtSeconds)
		}
		last = step.AtSeconds
		for _, d := range step.Devices {
			if !s.has(d) {
				return fmt.Errorf("step %d is for device %d: there are %d devices", i, d, len(s.Devices))
			}
		}
	}
	return nil
}

func (s *Scenario) has(device int) bool { return device >= 0 && device < len(s.Devices) }
