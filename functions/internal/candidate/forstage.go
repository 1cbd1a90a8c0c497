package candidate

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Assumed timings of starting and of saving state, in seconds and GB/s. They are
// listed among an answer's assumptions.
const (
	// SetupSeconds is the time to start an instance, pull an image and get going.
	SetupSeconds = 300
	// FabricGBs is the speed between nodes, in GB/s per node and direction, where
	// no source says more: 10 Gbit/s Ethernet, which every provider has at least.
	FabricGBs = 1.25
	// DownloadGbits is the speed at which published weights arrive, in Gbit/s.
	DownloadGbits = 1
	// CheckpointGBs is the speed at which a checkpoint reaches or leaves storage.
	CheckpointGBs = 0.5
)

// limit is the largest cost that a candidate may have, in dollars: bounds hold
// sums of several.
const limit = tco.Nano(1_000_000_000 * 1_000_000_000)

// Demand is what a stage asks of offers besides the work itself.
type Demand struct {
	Constraints *Constraints
	Pin         Pin // the zero value pins nothing
	Now         time.Time
}

// Found is what can run a stage, what was looked at, and why the rest can't.
type Found struct {
	Candidates []Candidate
	Considered int
	Rejected   []Rejection // by reason, ascending
}

// Rejection counts what a reason ruled out: offers, or for reasons of size
// offers in a number of nodes.
type Rejection struct {
	Reason Reason
	Count  int
}

// finder collects the candidates of one stage.
type finder struct {
	market  *Market
	stage   *workload.Stage
	demand  Demand
	sizings map[configuration]sized
	found   Found
	counts  map[Reason]int
	at      workload.Hardware // that was looked at last
	known   [2]known          // efficiencies of one such GPU, and of several
	nodes   []int             // room for their numbers
}

// configuration is what a sizing depends on.
type configuration struct {
	gpu            catalog.GPUID
	perNode, nodes int
	spread         bool // the nodes of a pool at the edge are spread over the internet
	nvlink         bool
	fabricGBs      float64 // 0 for one node, or if unknown
	vcpus          float64
	slots          int  // of a pool: models that one node holds
	fraction       bool // a node is part of a GPU
	coefficient    *catalog.Coefficient
}

// sized is a remembered sizing, or the reason why there is none.
type sized struct {
	sizing *Sizing
	reason Reason
}

// ForStage finds every way to run a stage on the market under the demand, offer by
// offer: the plain scan that a Survey, which answers use, is held against. The
// candidates come in the order of the nodes' hourly prices.
func ForStage(m *Market, stage *workload.Stage, demand Demand) Found {
	f := finder{
		market: m, stage: stage, demand: demand,
		sizings: make(map[configuration]sized),
		counts:  make(map[Reason]int),
	}
	for _, i := range m.byPrice {
		if reason, ok := f.offer(&m.quotes[i]); !ok {
			f.counts[reason]++
		}
	}
	f.found.Rejected = f.rejections()
	return f.found
}

// offer adds an offer's candidates; ok is false with the reason if it has none
// for a reason of its own. Sizes that fail are counted by nodes.
func (f *finder) offer(q *Quote) (reason Reason, ok bool) {
	f.found.Considered++
	if reason, ok = f.demand.Constraints.refuse(f.market.Snapshot, q.Offer, f.demand.Now); !ok {
		return reason, false
	}
	if q.Unpriced != "" {
		return q.Unpriced, false
	}
	config, reason, ok := f.configure(q.Offer)
	if !ok {
		return reason, false
	}
	if !f.affordable(q, config.perNode) {
		return TooDear, false
	}
	return f.numbers(q, config)
}

// numbers adds a candidate for every number of nodes that can do the work.
func (f *finder) numbers(q *Quote, config configuration) (reason Reason, ok bool) {
	added := false
	for _, nodes := range f.nodeCounts(q.Offer, config) {
		s := f.size(config.of(nodes, q))
		if s.sizing == nil {
			reason = s.reason
			continue
		}
		if !f.collect(f.price(q, s.sizing)) {
			reason = BeyondLimits
			continue
		}
		added = true
	}
	if !added && reason == "" {
		reason = OtherHardware
	}
	return reason, added
}

// collect adds a candidate; ok is false if it costs more than can be handled.
func (f *finder) collect(c Candidate) (ok bool) {
	if c.Bound.High > limit {
		return false
	}
	f.found.Candidates = append(f.found.Candidates, c)
	return true
}

// configure says what hardware one node of an offer is for this stage.
func (f *finder) configure(o *catalog.Offer) (config configuration, reason Reason, ok bool) {
	if !f.stage.GPU() {
		config.vcpus = nodeVCPUs(o)
		if config.vcpus == 0 {
			return config, NoCPU, false
		}
		return config, "", true
	}
	if !o.HasGPU() {
		return config, NoGPU, false
	}
	gpu, known := f.market.Snapshot.GPU(o.GPU)
	if f.stage.RentedSeconds == 0 && (!known || !gpu.Sizable()) {
		return config, GPUNotSized, false
	}
	if reason, ok = f.demand.Constraints.refuseGPU(o, gpu); !ok {
		return config, reason, false
	}
	config.gpu = o.GPU
	config.spread = f.stage.Workers > 0 && f.market.spread(o)
	if f.stage.Pool != nil {
		return f.share(config, o, gpu)
	}
	if config.perNode, ok = o.WholeGPUs(); !ok {
		return config, FractionalGPU, false
	}
	config.nvlink, reason, ok = f.link(gpu, config.perNode)
	return config, reason, ok
}

// link says whether NVLink joins the GPUs of a node; ok is false with the reason if
// the demand is for another link.
func (f *finder) link(g catalog.GPUModel, perNode int) (nvlink bool, reason Reason, ok bool) {
	nvlink = perNode > 1 && g.NVLink == catalog.Yes
	passes := g.NVLink == catalog.Unknown && f.demand.Constraints.allows(UnknownInterconnect)
	if f.demand.Constraints.NVLink && f.stage.Name == workload.Train && !nvlink && !passes {
		return false, NoNVLink, false
	}
	switch pin := f.demand.Pin; {
	case pin.Link == PCIe && nvlink:
		return false, OtherHardware, false
	case pin.Link == NVLink && passes && perNode > 1:
		nvlink = true // as the tenant says
	case pin.Link == NVLink && !nvlink && !pin.oneGPU():
		return false, NoNVLink, false
	}
	return nvlink, "", true
}

// nodeVCPUs is the number of vCPUs of one rentable node; 0 if unknown.
func nodeVCPUs(o *catalog.Offer) float64 {
	n, ok := o.WholeGPUs()
	if !ok || o.Price.Basis != catalog.PerGPUHour {
		return o.VCPUs
	}
	return o.VCPUs * float64(n) / o.GPUs.Decimal.InexactFloat64()
}

// nodeCounts are the numbers of nodes to try: powers of two, up to 64 for work
// that runs together or is counted in time on a reference GPU, and up to 8 for a stage
// of independent pieces and for boxes of a marketplace, or what the pin asks for. Work
// that must run together does so on one host of a marketplace, whose boxes share no
// network.
func (f *finder) nodeCounts(o *catalog.Offer, config configuration) []int {
	pin := f.demand.Pin
	counts := append(f.nodes[:0], 1, 2, 4, 8, 16, 32, 64)
	f.nodes = counts
	if f.stage.Parallel && (!f.stage.Relative() || o.Service == catalog.Marketplace) {
		counts = counts[:4]
	}
	switch {
	case f.stage.Workers > 0:
		counts = append(counts[:0], (f.stage.Workers+config.perNode-1)/config.perNode)
	case f.stage.Pool != nil:
		counts = append(counts[:0], (f.stage.Pool.Models+config.slots-1)/config.slots)
	case pin.Nodes > 0:
		counts = append(counts[:0], pin.Nodes)
	case pin.GPUCount > 0 && config.perNode > 0:
		counts = append(counts[:0], max(1, pin.GPUCount/config.perNode))
	}
	return slices.DeleteFunc(counts, func(nodes int) bool {
		alone := o.Service == catalog.Marketplace && !f.stage.Parallel
		return nodes > 1 && alone || !pin.admits(config.gpu, config.perNode, nodes)
	})
}

// affordable tests the ceilings on hourly prices, exactly.
func (f *finder) affordable(q *Quote, gpus int) bool {
	c := f.demand.Constraints
	rate := q.Tariff.Conversion.Convert(tco.Quotient{Num: q.Tariff.Node.Num, Den: q.Tariff.Node.Den})
	if c.MaxInstanceHour.Valid && rate.Num.GreaterThan(c.MaxInstanceHour.Decimal.Mul(rate.Den)) {
		return false
	}
	if !c.MaxGPUHour.Valid || gpus == 0 {
		return true
	}
	return !rate.Num.GreaterThan(c.MaxGPUHour.Decimal.Mul(rate.Den).Mul(tco.Count(gpus)))
}

// size estimates a configuration once and remembers it.
func (f *finder) size(config configuration) sized {
	s, seen := f.sizings[config]
	if !seen {
		sizing := new(Sizing)
		if s.reason = f.estimate(sizing, config); s.reason == "" {
			s.sizing = sizing
		}
		f.sizings[config] = s
	}
	return s
}

// estimate works out fit and time on a configuration, or says why there are none.
func (f *finder) estimate(s *Sizing, config configuration) Reason {
	if reason := f.expect(s, config); reason != "" {
		return reason
	}
	if s.HasGPU && f.stage.RentedSeconds == 0 {
		s.Useful = spanOf(&s.Estimate, &s.Efficiency)
		f.rounds(s, config)
	}
	return ""
}

// expect is estimate without more of the time of GPU work than its expected value, and
// as if it did not come in rounds, which take longer.
func (f *finder) expect(s *Sizing, config configuration) Reason {
	*s = Sizing{GPUsPerNode: config.perNode, Nodes: config.nodes}
	if !f.stage.GPU() {
		s.Efficiency = unscaled()
		s.Useful = exactly(f.stage.OnCPU(config.vcpus, config.nodes))
		return ""
	}
	s.HasGPU = true
	if f.stage.RentedSeconds > 0 {
		s.Efficiency = unscaled()
		if config.slots > 0 {
			s.Slots, s.Efficiency = config.slots, sharedEfficiency(config.slots > max(1, config.perNode) || config.fraction)
		}
		s.Useful = exactly(f.stage.RentedSeconds)
		return ""
	}
	h := f.hardware(&config)
	estimate, err := f.stage.On(*h)
	if reason := misfit(estimate.Fit, err); reason != "" {
		return reason
	}
	s.Estimate = estimate
	s.FabricGBs, s.FabricAssumed = h.FabricGBs, h.FabricAssumed
	s.Efficiency = f.efficiency(h.GPUsPerNode*h.Nodes, config.coefficient)
	s.Useful.Expected = s.Estimate.Expected / s.Efficiency.Value
	return ""
}

// atLeast is what a configuration takes at least, in seconds, or why it can't do the work.
func (f *finder) atLeast(config configuration) (useful float64, reason Reason) {
	if !f.stage.GPU() || f.stage.RentedSeconds > 0 {
		var s Sizing
		reason = f.expect(&s, config)
		return s.Useful.Expected, reason
	}
	h := f.hardware(&config)
	seconds, fit, err := f.stage.Outline(h)
	if reason = misfit(fit, err); reason != "" {
		return 0, reason
	}
	return seconds / f.efficiency(h.GPUsPerNode*h.Nodes, config.coefficient).Value, ""
}

// misfit is why a GPU stage can't run; "" if it can.
func misfit(fit workload.Fit, err error) Reason {
	switch {
	case isField(err):
		return LacksFormat
	case err != nil:
		return GPUNotSized
	case fit == workload.DoesNotFit:
		return DoesNotFit
	case fit == workload.MayNotFit:
		return MayNotFit
	}
	return ""
}

// hardware is a configuration as the stage sees it, until the next is asked for. The GPU
// that was looked up last is at hand.
func (f *finder) hardware(config *configuration) *workload.Hardware {
	h := &f.at
	if h.GPU.ID != config.gpu {
		h.GPU, _ = f.market.Snapshot.GPU(config.gpu)
		f.known = [2]known{}
	}
	h.GPUsPerNode, h.Nodes, h.NVLink = config.perNode, config.nodes, config.nvlink
	h.FabricGBs, h.FabricAssumed = f.demand.Pin.fabricOf(&h.GPU, config.fabricGBs)
	return h
}

// known is an efficiency that was looked up.
type known struct {
	of  Efficiency
	by  *catalog.Coefficient
	set bool
}

// efficiency is the coefficient of a number of the GPUs that are at hand.
func (f *finder) efficiency(gpus int, c *catalog.Coefficient) Efficiency {
	k := &f.known[min(gpus, 2)-1] // work is shared alike among any number but one
	if !k.set || k.by != c {
		*k = known{measured(f.market.Snapshot, f.at.GPU, c, sharesOf(f.stage, gpus)), c, true}
	}
	return k.of
}

// isField reports whether a GPU stage was refused for what the job asks of the GPU.
func isField(err error) bool {
	_, ok := errors.AsType[workload.FieldError](err)
	return ok
}

// price turns a sizing on an offer into a candidate.
func (f *finder) price(q *Quote, s *Sizing) (c Candidate) {
	f.fill(&c, q, s, f.diskGB(q.Offer))
	return c
}

// fill makes a candidate of a sizing on an offer, whose nodes rent so much storage.
func (f *finder) fill(c *Candidate, q *Quote, s *Sizing, diskGB int64) {
	*c = Candidate{Quote: q, Sizing: s}
	c.Usage = f.usage(s, diskGB)
	if q.interrupts.Central > 0 {
		c.InterruptRate = q.interrupts
		c.Job = f.interruptions(s)
		c.Interruptions = c.Job.Of(c.InterruptRate.Central)
		c.Usage.Interruption = tco.WholeSeconds(c.Interruptions.Expected)
	}
	c.Seconds = c.Usage.Occupied()
	c.P95 = c.Seconds + lateBy(s, c.Interruptions)
	c.Bound = q.Rates.Enclose(&q.Tariff, c.Usage)
	if f.stage.ExchangeGB > 0 {
		f.exchange(c)
	}
}

// usage is what a sizing takes of an offer's nodes, interruptions apart.
func (f *finder) usage(s *Sizing, diskGB int64) tco.Usage {
	return tco.Usage{
		Nodes:  int64(s.Nodes),
		Useful: tco.WholeSeconds(s.Useful.Expected),
		Setup:  f.setup(),
		DiskGB: diskGB,

		Verification: f.stage.VerifySeconds,
		Stopped:      tco.WholeSeconds(f.stage.StoppedSeconds),
	}
}

// setup is the time until a node works: starting it, and fetching published
// weights at DownloadGbits. A rental is paid from its first second.
func (f *finder) setup() int64 {
	if f.stage.RentedSeconds > 0 {
		return 0
	}
	return SetupSeconds + tco.WholeSeconds(f.stage.DownloadGB*8/DownloadGbits)
}

// diskGB is the block storage that a node rents: none where its own disk suffices.
func (f *finder) diskGB(o *catalog.Offer) int64 {
	if o.DiskGB >= math.Ceil(f.stage.DiskGB) {
		return 0
	}
	return f.needGB()
}

// needGB is the disk space that a node needs.
func (f *finder) needGB() int64 { return int64(math.Ceil(f.stage.DiskGB)) }

// interruptions is the stage as spot instances see it.
func (f *finder) interruptions(s *Sizing) spot.Job {
	write := f.stage.CheckpointGB / CheckpointGBs
	job := spot.Job{Useful: s.Useful.Expected, CheckpointWrite: write, Restart: float64(f.setup()) + write, Instances: s.Nodes}
	if f.stage.Parallel {
		job.CheckpointWrite, job.Instances = 0, 1
		job.TaskSeconds = s.Estimate.PieceSeconds / s.Efficiency.Value
	}
	return job
}

// lateBy is how far the 95th percentile of a stage's time lies beyond the expected
// time: the work's and the interruptions' are independent, so they add as squares.
func lateBy(s *Sizing, o spot.Outcome) int64 {
	return tco.WholeSeconds(math.Hypot(max(0, s.Useful.P95-s.Useful.Expected), max(0, o.P95-o.Expected)))
}
