package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// Record is one thing that happened. Exactly one of the pointers is set.
type Record struct {
	Wall   time.Time     `json:"wall"`
	Mono   time.Duration `json:"mono"`
	Header *Measurement  `json:"header,omitempty"` // of the report; the first record
	Window *WindowRecord `json:"window,omitempty"`
	Event  *EventRecord  `json:"event,omitempty"`
	Work   *WorkRecord   `json:"work,omitempty"`
	Note   Note          `json:"note,omitempty"`
}

// WindowRecord is a window of a GPU, and its facts if they have changed.
type WindowRecord struct {
	Window window.Window `json:"window"`
	Facts  *Facts        `json:"facts,omitempty"`
}

// EventRecord is an event of a GPU.
type EventRecord struct {
	Device int    `json:"device"`
	XID    uint64 `json:"xid"`
}

// WorkRecord is a rate that a program reported.
type WorkRecord struct {
	Source string     `json:"source"`
	Unit   string     `json:"unit"`
	Rate   float64    `json:"rate"`
	Model  *WorkModel `json:"model,omitempty"`
}

// Draft is a report that is being made. Make one with NewDraft.
type Draft struct {
	m         Measurement
	rules     window.Rules
	summaries []window.Summary
	events    []map[uint64]int
	work      []work
}

// work is what one source said in one unit of one model.
type work struct {
	record WorkRecord
	rate   window.Stat
}

// NewDraft begins a report with its header record.
func NewDraft(header Record) (*Draft, error) {
	if header.Header == nil {
		return nil, fmt.Errorf("begin report: the first record is no header")
	}
	d := &Draft{m: *header.Header, rules: header.Header.Rules.rules()}
	d.m.MonoStart, d.m.WallStart = header.Mono.Seconds(), wall(header.Wall)
	d.touch(&header)
	d.summaries = make([]window.Summary, len(d.m.GPUs))
	d.events = make([]map[uint64]int, len(d.m.GPUs))
	return d, nil
}

func wall(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ReadDraft makes a draft of a journal's lines. What can't be read is passed over.
func ReadDraft(lines [][]byte) (*Draft, error) {
	var d *Draft
	for _, line := range lines {
		var r Record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		// A header that follows another one without a window between them is that of a
		// later start.
		if d != nil && (r.Header == nil || d.Windows() > 0) {
			d.Apply(&r)
			continue
		}
		var err error
		if d, err = NewDraft(r); err != nil {
			return nil, err
		}
	}
	if d == nil {
		return nil, fmt.Errorf("read report: the journal is empty")
	}
	return d, nil
}

// Recovered is the report that a crash has left unfinished; nil if it came before the
// first window.
func Recovered(lines [][]byte) *Draft {
	d, err := ReadDraft(lines)
	if err != nil || d.Windows() == 0 {
		return nil
	}
	d.AddNote(NoteRecovered)
	return d
}

// Apply adds a record. One of a device that the header does not know is passed over.
func (d *Draft) Apply(r *Record) {
	d.touch(r)
	switch {
	case r.Window != nil && d.has(r.Window.Window.Device):
		device := r.Window.Window.Device
		d.summaries[device].Add(&r.Window.Window)
		if r.Window.Facts != nil {
			d.m.GPUs[device].Facts = *r.Window.Facts
		}
	case r.Event != nil && d.has(r.Event.Device):
		if d.events[r.Event.Device] == nil {
			d.events[r.Event.Device] = make(map[uint64]int)
		}
		d.events[r.Event.Device][r.Event.XID]++
	case r.Work != nil:
		d.addWork(r.Work)
	case r.Note != "":
		d.AddNote(r.Note)
	}
}

// AddNote adds a note, once.
func (d *Draft) AddNote(n Note) {
	if !slices.Contains(d.m.Notes, n) {
		d.m.Notes = append(d.m.Notes, n)
	}
}

func (d *Draft) has(device int) bool { return device >= 0 && device < len(d.summaries) }

func (d *Draft) touch(r *Record) { d.m.MonoEnd, d.m.WallEnd = r.Mono.Seconds(), wall(r.Wall) }

func (d *Draft) addWork(r *WorkRecord) {
	for i := range d.work {
		known := &d.work[i].record
		if known.Source == r.Source && known.Unit == r.Unit && equalModels(known.Model, r.Model) {
			d.work[i].rate.Add(r.Rate)
			return
		}
	}
	d.work = append(d.work, work{record: *r})
	d.work[len(d.work)-1].rate.Add(r.Rate)
}

func equalModels(a, b *WorkModel) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Windows is how many windows the draft has.
func (d *Draft) Windows() int {
	n := 0
	for i := range d.summaries {
		n += d.summaries[i].Windows.Total()
	}
	return n
}

// Summary is what has been added of a device.
func (d *Draft) Summary(device int) *window.Summary { return &d.summaries[device] }

// SetOffset notes how far the server's clock is ahead of the box's.
func (d *Draft) SetOffset(offset *float64) { d.m.ClockOffsetSeconds = offset }

// AddChecks adds the outcomes of checks.
func (d *Draft) AddChecks(checks []Check) { d.m.Checks = append(d.m.Checks, checks...) }

// Measurement is the report as it stands, under a number.
func (d *Draft) Measurement(seq uint64) *Measurement {
	m := d.m
	m.Seq = seq
	m.GPUs = slices.Clone(d.m.GPUs)
	for i := range m.GPUs {
		d.finish(&m.GPUs[i], i)
		m.Enough = m.Enough || m.GPUs[i].Enough
	}
	benchmarks := 0
	for _, w := range d.work {
		m.Work = append(m.Work, Work{Source: w.record.Source, Unit: w.record.Unit, Rate: *NewStat(w.rate), Model: w.record.Model})
		if w.record.Source == "benchmark" {
			benchmarks++
		}
	}
	m.Enough = m.Enough || benchmarks > 0
	m.Tier = string(window.TierOf(benchmarks, len(d.work)))
	return &m
}

// finish fills in what a GPU did.
func (d *Draft) finish(g *GPU, i int) {
	s := &d.summaries[i]
	g.ObservedSeconds, g.BusySeconds, g.LostSeconds, g.UnobservedSeconds = s.Seconds, s.BusySeconds, s.LostSeconds, s.UnobservedSeconds
	c := s.Windows
	g.Windows = Windows{c.Total(), c.Steady, c.Cold, c.Unused, c.LowPower, c.Unavailable}
	g.Steady, g.Cold = newSums(&s.Steady), newSums(&s.Cold)
	g.Enough = s.Sufficient(d.rules)
	for xid, count := range d.events[i] {
		g.Events = append(g.Events, Event{xid, count})
	}
	slices.SortFunc(g.Events, func(a, b Event) int { return cmp.Compare(a.XID, b.XID) })
	if s.ThermalSuspects > 0 {
		g.Notes = append(g.Notes, NoteThermalSuspected)
	}
	if g.Processes == "hidden" {
		g.Notes = append(g.Notes, NoteProcessesHidden)
	}
	if g.PowerLimited() {
		g.Notes = append(g.Notes, NotePowerLimited)
	}
}

// Payload is the report's bytes, which never change again.
func (d *Draft) Payload(seq uint64) ([]byte, error) {
	payload, err := json.Marshal(d.Measurement(seq))
	if err != nil {
		return nil, fmt.Errorf("write report %d: %w", seq, err)
	}
	return payload, nil
}
