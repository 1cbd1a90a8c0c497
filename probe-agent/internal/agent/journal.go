package agent

import (
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// begin begins a report.
func (a *Agent) begin() {
	header := a.Config.Header
	header.System = report.NewSystem(a.inventory.Versions, header.System.CPUs)
	header.Rules = report.NewRules(a.Config.Rules, a.Config.Interval)
	header.Topology = report.NewTopology(a.inventory)
	header.GPUs = make([]report.GPU, len(a.facts))
	for i := range a.facts {
		header.GPUs[i].Facts = a.facts[i]
	}
	first := a.stamp(report.Record{Header: &header})
	a.draft, _ = report.NewDraft(first) // it has a header
	a.write(&first)
	if !a.GPM() {
		a.record(report.Record{Note: report.NoteGPMOff})
	}
	at := a.elapsed()
	a.windowEnd, a.reportEnd = at+a.Config.Rules.Window, at+a.Config.ReportEvery
}

// recover seals the report that a crash has left unfinished. If the disk does not let
// it, that report is gone on with.
func (a *Agent) recover() {
	if a.draft = report.Recovered(a.Unfinished); a.draft == nil {
		return // the journal, if there is one, is taken over
	}
	a.Log.Info("report recovered", "seq", a.Writer.Seq(), "windows", a.draft.Windows())
	if a.seal() {
		a.draft = nil
	}
}

func (a *Agent) stamp(r report.Record) report.Record {
	now := a.Clock.Now()
	r.Wall, r.Mono = now, now.Sub(a.start)
	return r
}

// record writes down what happened, and adds it to the report.
func (a *Agent) record(r report.Record) {
	r = a.stamp(r)
	a.write(&r)
	a.draft.Apply(&r)
}

// write keeps a record on disk. Without a disk the agent goes on in memory, and says
// so once.
func (a *Agent) write(r *report.Record) {
	line, err := json.Marshal(r)
	if err == nil {
		err = a.Writer.Append(line)
	}
	a.noteDisk(err)
}

func (a *Agent) noteDisk(err error) {
	if err != nil && !a.diskFails {
		a.Log.Warn("the spool can't be written; measuring goes on in memory", "error", err)
		a.draft.AddNote(report.NoteSpoolFull)
	}
	a.diskFails = err != nil
}

// takeEvents counts what the driver says has happened since the last tick.
func (a *Agent) takeEvents() {
	const most = 64 // a GPU in trouble can report without end
	for range most {
		if a.noEvents {
			return
		}
		v := a.Source.NextEvent(0)
		event, ok := v.Get()
		if !ok {
			a.noEvents = v.State() != sampler.StateTimeout
			return
		}
		gpu := ""
		if event.Device >= 0 && event.Device < len(a.facts) {
			gpu = a.facts[event.Device].GPU
		}
		a.Log.Warn("GPU event", "device", event.Device, "gpu", gpu, "xid", event.XID)
		a.Board.AddEvent(event.Device, event.XID)
		a.record(report.Record{Event: &report.EventRecord{Device: event.Device, XID: event.XID}})
	}
}

// closeWindows ends the window of every GPU, with the newest facts.
func (a *Agent) closeWindows() {
	refreshed := make([]*sampler.Readings, len(a.collectors))
	var all sync.WaitGroup
	for i := range a.collectors {
		all.Go(func() { refreshed[i] = a.poller.Refresh(i) })
	}
	all.Wait()
	for i, c := range a.collectors {
		w, ok := c.Close()
		if !ok {
			continue
		}
		a.record(report.Record{Window: &report.WindowRecord{Window: w, Facts: a.newFacts(i, refreshed[i])}})
		c.SetLimits(*refreshed[i])
		a.showEfficiency(i)
		a.logSuspicion(i, &w)
	}
}

// newFacts are the facts of a GPU if they have changed. One that is lost keeps those
// that it had.
func (a *Agent) newFacts(i int, r *sampler.Readings) *report.Facts {
	if r[sampler.UtilizationGPU].State() == sampler.StateGPULost || r[sampler.UtilizationGPU].State() == sampler.StateTimeout {
		return nil
	}
	facts := report.NewFacts(&a.inventory.Devices[i], r)
	a.Board.SetSlow(i, r, facts)
	if reflect.DeepEqual(facts, a.facts[i]) {
		return nil
	}
	a.facts[i] = facts
	return &facts
}

// showEfficiency shows how far the clock was from its highest while the GPU worked.
func (a *Agent) showEfficiency(i int) {
	steady := &a.draft.Summary(i).Steady
	if highest := a.facts[i].ClockSMMax; highest != nil && steady.ClockSM.N > 0 {
		a.Board.SetEfficiency(i, min(1, steady.ClockSM.Mean()/(*highest)), string(window.TierPassive))
	}
}

func (a *Agent) logSuspicion(i int, w *window.Window) {
	if w.Sums.ThermalSuspects > 0 {
		a.Log.Warn(string(report.NoteThermalSuspected), "device", i, "core_celsius", w.Sums.Temperature.Max)
	}
}

// seal makes the report pending. If the disk fails it returns false: the report goes
// on and grows.
func (a *Agent) seal() bool {
	if a.draft.Windows() == 0 {
		return false
	}
	a.draft.SetOffset(a.Offset())
	payload, err := a.draft.Payload(uint64(a.Writer.Seq()))
	if err == nil {
		err = a.Writer.Seal(payload)
	}
	a.noteDisk(err)
	if err != nil {
		return false
	}
	a.Log.Info("report sealed", "seq", a.Writer.Seq()-1, "bytes", len(payload))
	a.prune(a.Clock.Now())
	if a.Sealed != nil {
		a.Sealed()
	}
	return true
}

func (a *Agent) prune(now time.Time) {
	dropped, err := a.Writer.Prune(now)
	if err != nil {
		a.Log.Warn("the spool can't be pruned", "error", err)
	}
	if len(dropped) > 0 {
		a.Log.Warn("reports dropped to hold the spool's caps", "reports", len(dropped), "first", dropped[0])
	}
	if usage, err := a.Spool.Usage(); err == nil {
		a.Board.SetUsage(usage)
	}
}
