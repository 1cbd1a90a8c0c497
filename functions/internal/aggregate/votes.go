package aggregate

import (
	"math"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Window is how far back reports count, and halfLife the age at which one counts half.
const (
	Window   = 30 * 24 * time.Hour
	halfLife = 30 * 24 * time.Hour
)

// benchmarkSeconds is the time at work that a benchmark stands for.
const benchmarkSeconds = 15 * 60

// ballot is one box's word on a kind of GPU.
type ballot struct {
	box    catalog.BoxID
	tenant catalog.TenantID
	sku    catalog.SKU
	host   bool

	reports  int
	newest   time.Time
	observed float64 // seconds, weighted by age
	lost     float64
	clock    quantity // MHz
	clockMax float64
	gemm     quantity // TFLOPS
	training quantity // TFLOPS
	copied   quantity // GB/s
	bus      quantity // GB/s
}

// quantity is a mean over time, weighted by age. No weight means that it was not
// measured.
type quantity struct{ sum, weight float64 }

// add adds a mean that was taken over some seconds.
func (q *quantity) add(m catalog.Mean, weight float64) {
	if mean, ok := m.Value(); ok {
		q.sum += mean * weight
		q.weight += weight
	}
}

// value is the mean; 0 if there is none.
func (q quantity) value() float64 {
	if q.weight == 0 {
		return 0
	}
	return q.sum / q.weight
}

// place is a kind of GPU at a provider.
type place struct {
	gpu      catalog.GPUID
	provider catalog.ProviderID
}

// ballots are all words of boxes, by place and box.
type ballots map[place]map[catalog.BoxID]*ballot

// count adds a reading to its box's ballot. Cost is linear in time, so figures are
// means over time: a median would hide the time in which a box was slow.
func (all ballots) count(r *catalog.Report, x *catalog.Reading, now time.Time) {
	at := place{x.GPU, r.Provider}
	if all[at] == nil {
		all[at] = make(map[catalog.BoxID]*ballot)
	}
	b := all[at][r.Box]
	if b == nil {
		b = &ballot{box: r.Box, tenant: r.Tenant}
		all[at][r.Box] = b
	}
	if !r.ReceivedAt.Before(b.newest) {
		b.newest, b.sku, b.host = r.ReceivedAt, r.SKU, r.Host
	}
	weight := math.Exp2(-now.Sub(r.ReceivedAt).Hours() / halfLife.Hours())
	b.reports++
	b.observed += weight * x.ObservedSeconds
	b.lost += weight * x.LostSeconds
	b.clock.add(x.Clock, weight*x.BusySeconds)
	b.clockMax = max(b.clockMax, x.ClockMax)
	b.gemm.add(x.GEMM, weight*benchmarkSeconds)
	b.training.add(x.Training, weight*x.BusySeconds)
	b.copied.add(x.Copy, weight*benchmarkSeconds)
	b.bus.add(x.Bus, weight*benchmarkSeconds)
}

// availability is the share of the time in which the GPUs were there.
func (b *ballot) availability() float64 {
	if b.observed <= 0 {
		return 1
	}
	return 1 - min(1, b.lost/b.observed)
}
