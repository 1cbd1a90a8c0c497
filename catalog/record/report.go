package record

import (
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Report is what a box sent, less its payload.
type Report struct {
	ID            string    `json:"id"`
	Box           string    `json:"box"`
	Tenant        string    `json:"tenant"`
	Kind          string    `json:"kind,omitempty"`
	Host          bool      `json:"host,omitempty"`
	Sequence      int64     `json:"sequence"`
	ReceivedAt    string    `json:"received_at"`
	ClockOffsetNS int64     `json:"clock_offset_ns"`
	From          string    `json:"from,omitempty"`
	Until         string    `json:"until,omitempty"`
	Boot          string    `json:"boot,omitempty"`
	Driver        string    `json:"driver,omitempty"`
	Typed         Typed     `json:"typed,omitzero"`
	Provider      string    `json:"provider,omitempty"`
	SKU           string    `json:"sku,omitempty"`
	Readings      []Reading `json:"readings,omitempty"`
	Checks        []Check   `json:"checks,omitempty"`
}

// Check is one check of a box.
type Check struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// Reading is what a report holds of the GPUs of one kind.
type Reading struct {
	GPU         string   `json:"gpu,omitempty"`
	Name        string   `json:"name,omitempty"`
	PCIDevice   string   `json:"pci_device,omitempty"`
	MemoryBytes float64  `json:"memory_bytes,omitempty"`
	Devices     []Device `json:"devices,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	Partitioned bool     `json:"partitioned,omitempty"`
	Sufficient  bool     `json:"sufficient,omitempty"`
	Observed    float64  `json:"observed_s,omitempty"`
	Busy        float64  `json:"busy_s,omitempty"`
	Lost        float64  `json:"lost_s,omitempty"`
	Held        float64  `json:"held_s,omitempty"`
	Clock       Mean     `json:"clock_mhz,omitzero"`
	ClockMax    float64  `json:"clock_max_mhz,omitempty"`
	GEMM        Mean     `json:"gemm_tflops,omitzero"`
	Copy        Mean     `json:"copy_gb_s,omitzero"`
	Bus         Mean     `json:"bus_gb_s,omitzero"`
	Training    Mean     `json:"training_tflops,omitzero"`
	Prints      []uint64 `json:"prints,omitempty"`
}

// Device is one GPU of a reading.
type Device struct {
	Hash    string  `json:"hash,omitempty"`
	Errors  float64 `json:"errors,omitempty"`
	Counted bool    `json:"counted,omitempty"`
}

// Mean is a mean in the making.
type Mean struct {
	N   int     `json:"n"`
	Sum float64 `json:"sum"`
}

// FromReport is the stored form of a report, less its payload.
func FromReport(r catalog.Report) Report {
	out := Report{
		ID: string(r.ID), Box: string(r.Box), Tenant: string(r.Tenant), Kind: string(r.Kind), Host: r.Host, Sequence: r.Sequence,
		ReceivedAt: Instant(r.ReceivedAt), ClockOffsetNS: int64(r.ClockOffset), From: Instant(r.From), Until: Instant(r.Until),
		Boot: r.Boot, Driver: r.Driver, Typed: Typed(r.Typed), Provider: string(r.Provider), SKU: string(r.SKU),
	}
	for _, x := range r.Readings {
		out.Readings = append(out.Readings, fromReading(x))
	}
	for _, c := range r.Checks {
		out.Checks = append(out.Checks, Check{string(c.ID), string(c.Status)})
	}
	return out
}

func fromReading(x catalog.Reading) Reading {
	out := Reading{
		GPU: string(x.GPU), Name: x.Name, PCIDevice: x.PCIDevice, MemoryBytes: x.MemoryBytes, Evidence: string(x.Evidence),
		Partitioned: x.Partitioned, Sufficient: x.Sufficient,
		Observed: x.ObservedSeconds, Busy: x.BusySeconds, Lost: x.LostSeconds, Held: x.HeldSeconds,
		Clock: Mean(x.Clock), ClockMax: x.ClockMax, GEMM: Mean(x.GEMM), Copy: Mean(x.Copy), Bus: Mean(x.Bus), Training: Mean(x.Training),
		Prints: x.Prints,
	}
	for _, d := range x.Devices {
		out.Devices = append(out.Devices, Device{string(d.Hash), d.Errors, d.Counted})
	}
	return out
}

// Day is the date in UTC on which a report that came at an instant is kept.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Parse is the report, without its payload.
func (r Report) Parse() (catalog.Report, error) {
	received, err := parseInstant(r.ReceivedAt)
	from, errFrom := parseInstant(r.From)
	until, errUntil := parseInstant(r.Until)
	if err := errors.Join(err, errFrom, errUntil); err != nil {
		return catalog.Report{}, fmt.Errorf("report %s: %w", r.ID, err)
	}
	out := catalog.Report{
		ID: catalog.ReportID(r.ID), Box: catalog.BoxID(r.Box), Tenant: catalog.TenantID(r.Tenant), Kind: catalog.ReportKind(r.Kind), Host: r.Host,
		Sequence: r.Sequence, ReceivedAt: received, ClockOffset: time.Duration(r.ClockOffsetNS), From: from, Until: until,
		Boot: r.Boot, Driver: r.Driver, Typed: catalog.Typed(r.Typed), Provider: catalog.ProviderID(r.Provider), SKU: catalog.SKU(r.SKU),
	}
	for _, x := range r.Readings {
		out.Readings = append(out.Readings, x.parse())
	}
	for _, c := range r.Checks {
		out.Checks = append(out.Checks, catalog.Check{ID: catalog.CheckID(c.ID), Status: catalog.CheckStatus(c.Status)})
	}
	return out, nil
}

func (x Reading) parse() catalog.Reading {
	out := catalog.Reading{
		GPU: catalog.GPUID(x.GPU), Name: x.Name, PCIDevice: x.PCIDevice, MemoryBytes: x.MemoryBytes, Evidence: catalog.Evidence(x.Evidence),
		Partitioned: x.Partitioned, Sufficient: x.Sufficient,
		ObservedSeconds: x.Observed, BusySeconds: x.Busy, LostSeconds: x.Lost, HeldSeconds: x.Held,
		Clock: catalog.Mean(x.Clock), ClockMax: x.ClockMax, GEMM: catalog.Mean(x.GEMM), Copy: catalog.Mean(x.Copy),
		Bus: catalog.Mean(x.Bus), Training: catalog.Mean(x.Training), Prints: x.Prints,
	}
	for _, d := range x.Devices {
		out.Devices = append(out.Devices, catalog.Device{Hash: catalog.GPUHash(d.Hash), Errors: d.Errors, Counted: d.Counted})
	}
	return out
}

// Sighting is where a GPU was last measured.
type Sighting struct {
	GPU     string  `json:"gpu"`
	Tenant  string  `json:"tenant"`
	Box     string  `json:"box"`
	From    string  `json:"from"`
	Until   string  `json:"until"`
	Boot    string  `json:"boot,omitempty"`
	Errors  float64 `json:"errors,omitempty"`
	Counted bool    `json:"counted,omitempty"`
}

// FromSighting is the stored form of a sighting.
func FromSighting(s catalog.Sighting) Sighting {
	return Sighting{GPU: string(s.GPU), Tenant: string(s.Tenant), Box: string(s.Box), From: Instant(s.From), Until: Instant(s.Until),
		Boot: s.Boot, Errors: s.Errors, Counted: s.Counted}
}

// Parse is the sighting.
func (s Sighting) Parse() (catalog.Sighting, error) {
	from, err := parseInstant(s.From)
	until, errUntil := parseInstant(s.Until)
	if err := errors.Join(err, errUntil); err != nil {
		return catalog.Sighting{}, fmt.Errorf("sighting of %s: %w", s.GPU, err)
	}
	return catalog.Sighting{GPU: catalog.GPUHash(s.GPU), Tenant: catalog.TenantID(s.Tenant), Box: catalog.BoxID(s.Box), From: from, Until: until,
		Boot: s.Boot, Errors: s.Errors, Counted: s.Counted}, nil
}
