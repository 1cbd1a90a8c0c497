package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

// report is the command report.
func (p *program) report(_ context.Context, args []string) error {
	set, c := p.flags("report")
	seq := set.Uint64("seq", 0, "the `number` of a report; the newest if 0")
	list := set.Bool("list", false, "list all reports that are kept")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	b, err := p.openBox(c.state)
	if err != nil {
		return err
	}
	if *list {
		return p.listReports(c, b)
	}
	chosen := spool.Seq(*seq)
	if chosen == 0 {
		all, err := b.all()
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return errors.New("there is no report yet: run probe-agent run --for 30m --offline")
		}
		chosen = all[len(all)-1]
	}
	m, err := b.measurement(chosen)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no report %d", chosen)
	}
	if err != nil {
		return err
	}
	return p.print(c, m, func(out io.Writer) { printReport(out, m) })
}

// listed is one line of the list of reports.
type listed struct {
	Seq    spool.Seq `json:"seq"`
	State  string    `json:"state"`
	Reason string    `json:"reason,omitempty"`
}

func (p *program) listReports(c *common, b *box) error {
	var all []listed
	for _, kind := range []struct {
		state string
		list  func() ([]spool.Seq, error)
	}{{"sent", b.spool.Sent}, {"rejected", b.spool.Rejected}, {"pending", b.spool.Pending}} {
		seqs, err := kind.list()
		if err != nil {
			return err
		}
		for _, seq := range seqs {
			all = append(all, listed{seq, kind.state, b.spool.Reason(seq)})
		}
	}
	return p.print(c, all, func(out io.Writer) {
		for _, r := range all {
			fmt.Fprintf(out, "%8d  %-9s %s\n", r.Seq, r.State, r.Reason)
		}
	})
}

// printReport writes a report for people. All figures are provisional: the service
// divides them by references.
func printReport(out io.Writer, m *report.Measurement) {
	fmt.Fprintf(out, "Report %d, %s to %s (%s, evidence tier %s)\n", m.Seq, m.WallStart, m.WallEnd, m.Source, m.Tier)
	for i := range m.GPUs {
		printGPU(out, i, &m.GPUs[i])
	}
	for _, w := range m.Work {
		fmt.Fprintf(out, "%s: %.4g %s on average, of %d reported\n", w.Source, w.Rate.Sum/float64(w.Rate.N), w.Unit, w.Rate.N)
	}
	for _, c := range m.Checks {
		fmt.Fprintf(out, "check %s: %s\n", c.ID, c.Status)
	}
	for _, note := range m.Notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
	if !m.Enough {
		fmt.Fprintln(out, "This is too little to count: it takes 15 busy minutes on end, 10 of them steady, or a benchmark.")
	}
	fmt.Fprintln(out, "Figures are provisional: the service compares them with other GPUs of the same model.")
}

func printGPU(out io.Writer, i int, g *report.GPU) {
	fmt.Fprintf(out, "GPU %d: %s (%s)\n", i, g.Model, g.GPU)
	if g.ObservedSeconds > 0 {
		fmt.Fprintf(out, "  you used %.0f%% of what you paid for; it was there %.2f%% of the time\n",
			100*g.BusySeconds/g.ObservedSeconds, 100*(1-g.LostSeconds/g.ObservedSeconds))
	}
	w := g.Windows
	fmt.Fprintf(out, "  windows: %d steady, %d cold, %d below the utilisation of a busy one, %d below its power, %d unavailable\n",
		w.Steady, w.Cold, w.Unused, w.LowPower, w.Unavailable)
	sums := g.Steady
	if sums == nil {
		sums = g.Cold
	}
	if sums == nil {
		printNotes(out, g)
		return
	}
	if s := sums.ClockSM; s != nil && g.ClockSMMax != nil {
		mean := s.Sum / float64(s.N)
		fmt.Fprintf(out, "  SM clock under load: mean %.0f, p5 %.0f, p50 %.0f MHz: %.0f%% of the highest (provisional efficiency)\n",
			mean, s.P5, s.P50, 100*mean/(*g.ClockSMMax))
	}
	if sums.Power != nil {
		fmt.Fprintf(out, "  power: mean %.0f W, up to %.0f W\n", sums.Power.Sum/float64(sums.Power.N), sums.Power.Max)
	}
	if sums.Temperature != nil {
		fmt.Fprintf(out, "  temperature: up to %.0f C\n", sums.Temperature.Max)
	}
	if sums.SWThermal != nil || sums.HWThermal != nil || sums.PowerBrake != nil {
		fmt.Fprintf(out, "  held down by heat or the power supply: %.1f%% of the time\n", 100*throttled(sums))
	}
	printNotes(out, g)
}

// throttled is the share of the time in which heat or the supply held the clock down.
func throttled(s *report.Sums) float64 {
	var total, seconds float64
	if s.SWThermal != nil {
		total, seconds = total+s.SWThermal.Total, max(seconds, s.SWThermal.Seconds)
	}
	if s.HWThermal != nil {
		total, seconds = total+s.HWThermal.Total, max(seconds, s.HWThermal.Seconds)
	}
	if s.PowerBrake != nil {
		total, seconds = total+s.PowerBrake.Total, max(seconds, s.PowerBrake.Seconds)
	}
	return min(1, total/max(seconds, 1))
}

func printNotes(out io.Writer, g *report.GPU) {
	for _, e := range g.Events {
		fmt.Fprintf(out, "  Xid %d, %d times\n", e.XID, e.Count)
	}
	for _, note := range g.Notes {
		fmt.Fprintf(out, "  note: %s\n", note)
	}
}

// inventory is the command inventory.
func (p *program) inventory(_ context.Context, args []string) error {
	var source sourceFlags
	set, c := p.flags("inventory")
	source.register(set)
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	m, err := p.open(&source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	inventory, err := m.survey()
	if err != nil {
		return err
	}
	shown := p.newInventory(inventory)
	return p.print(c, shown, func(out io.Writer) { printInventory(out, shown, inventory) })
}

// shownInventory is an inventory as it is shown: GPUs by their hashed ids.
type shownInventory struct {
	System   report.System `json:"system"`
	GPUs     []shownGPU    `json:"gpus"`
	Topology []report.Pair `json:"topology,omitempty"`
}

// shownGPU is a GPU's facts, and every reading or why there is none.
type shownGPU struct {
	report.Facts
	PCIBusID string                                      `json:"pci_bus_id,omitempty"`
	Readings map[sampler.Quantity]sampler.Value[float64] `json:"readings"`
}

func (p *program) newInventory(inventory *sampler.Inventory) *shownInventory {
	shown := &shownInventory{Topology: report.NewTopology(inventory)}
	shown.System = report.NewSystem(inventory.Versions, p.header("", "").System.CPUs)
	for i := range inventory.Devices {
		d := &inventory.Devices[i]
		gpu := shownGPU{Facts: report.NewFacts(d, &d.Readings), Readings: make(map[sampler.Quantity]sampler.Value[float64])}
		gpu.PCIBusID, _ = d.PCIBusID.Get()
		for _, q := range sampler.Quantities() {
			gpu.Readings[q] = d.Readings[q]
		}
		shown.GPUs = append(shown.GPUs, gpu)
	}
	return shown
}

func printInventory(out io.Writer, shown *shownInventory, inventory *sampler.Inventory) {
	fmt.Fprintf(out, "driver %s, CUDA up to %s, NVML %s\n", orUnknown(shown.System.Driver), orUnknown(shown.System.CUDA), orUnknown(shown.System.NVML))
	for i := range shown.GPUs {
		g := &shown.GPUs[i]
		fmt.Fprintf(out, "GPU %d: %s, compute capability %s, PCI id %s at %s\n", i, orUnknown(g.Model), orUnknown(g.ComputeCapability),
			orUnknown(g.PCIDeviceID), orUnknown(g.PCIBusID))
		fmt.Fprintf(out, "  id %s\n", orUnknown(g.GPU))
		for _, q := range sampler.Quantities() {
			if v, ok := inventory.Devices[i].Readings.Get(q); ok {
				fmt.Fprintf(out, "  %-34s %.10g\n", q, v)
			}
		}
		if g.NVLinks != nil {
			fmt.Fprintf(out, "  NVLinks: %d of %d active, %d to a switch\n", g.NVLinks.Active, g.NVLinks.Total, g.NVLinks.Switch)
		}
		for _, f := range g.Fields {
			fmt.Fprintf(out, "  %-34s %s\n", f.Field, f.State)
		}
	}
	for _, pair := range shown.Topology {
		fmt.Fprintf(out, "GPU %d - GPU %d: %s, %d NVLinks straight, peer-to-peer %s\n", pair.A, pair.B,
			strings.ToUpper(orUnknown(pair.Ancestor)), pair.NVLinks, orUnknown(pair.P2P))
	}
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}
