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
	counts  tally
	at      workload.Hardware // that was looked at last
	nodes   [mostCounts]int   // room for their numbers
}

// configuration is what a sizing depends on.
type configuration struct {
	card           *card // nil for CPUs
	perNode, nodes int
	spread         bool // the nodes of a pool at the edge are spread over the internet
	nvlink         bool
	fabricGBs      float64 // 0 for one node, or if unknown
	vcpus          float64
	slots          int  // of a pool: models that one node holds
	fraction       bool // a node is part of a GPU
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
	}
	for _, i := range m.byPrice {
		if reason, ok := f.offer(&m.quotes[i]); !ok {
			f.counts.add(reason, 1)
		}
	}
	f.found.Rejected = f.counts.sorted()
	return f.found
}

// offer adds an offer's candidates; ok is false with the reason if it has none
// for a reason of its own. Sizes that fail are counted by nodes.
func (f *finder) offer(q *Quote) (reason Reason, ok bool) {
	f.found.Considered++
	provider, _ := f.market.Snapshot.Provider(q.Offer.Provider)
	if reason, ok = f.demand.Constraints.refuse(f.market.Snapshot, &provider, q.Offer, f.demand.Now); !ok {
		return reason, false
	}
	if q.Unpriced != "" {
		return q.Unpriced, false
	}
	n := f.market.nodeOf(q)
	config, reason, ok := f.configure(&n)
	if !ok {
		return reason, false
	}
	if !f.affordable(q, config.perNode) {
		return TooDear, false
	}
	return f.numbers(q, &n, &config)
}

// numbers adds a candidate for every number of nodes that can do the work.
func (f *finder) numbers(q *Quote, n *node, config *configuration) (reason Reason, ok bool) {
	added := false
	for _, nodes := range f.nodeCounts(n, config) {
		s := f.size(config.of(nodes, n))
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

// configure says what hardware one node is for this stage.
func (f *finder) configure(n *node) (config configuration, reason Reason, ok bool) {
	if !f.stage.GPU() {
		config.vcpus = n.vcpus
		if config.vcpus == 0 {
			return config, NoCPU, false
		}
		return config, "", true
	}
	if n.card == nil {
		return config, NoGPU, false
	}
	if f.stage.RentedSeconds == 0 && !n.card.Sizable() {
		return config, GPUNotSized, false
	}
	if reason, ok = f.demand.Constraints.refuseGPU(&n.card.GPUModel); !ok {
		return config, reason, false
	}
	config.card = n.card
	config.spread = f.stage.Workers > 0 && n.spread
	if f.stage.Pool != nil {
		return f.share(config, n)
	}
	if n.gpus == 0 {
		return config, FractionalGPU, false
	}
	config.perNode = n.gpus
	config.nvlink, reason, ok = f.link(n.card.NVLink, n.gpus)
	return config, reason, ok
}

// link says whether NVLink, which GPUs are sold with or not, joins those of a node; ok is
// false with the reason if the demand is for another link.
func (f *finder) link(sold catalog.Tri, perNode int) (nvlink bool, reason Reason, ok bool) {
	nvlink = perNode > 1 && sold == catalog.Yes
	passes := sold == catalog.Unknown && f.demand.Constraints.allows(UnknownInterconnect)
	if f.demand.Constraints.NVLink && f.stage.Name == workload.Train && !nvlink && !passes {
		return false, NoNVLink, false
	}
	switch pin := &f.demand.Pin; {
	case pin.Link == PCIe && nvlink:
		return false, OtherHardware, false
	case pin.Link == NVLink && passes && perNode > 1:
		nvlink = true // as the tenant says
	case pin.Link == NVLink && !nvlink && !pin.oneGPU():
		return false, NoNVLink, false
	}
	return nvlink, "", true
}

// nodeCounts are the numbers of nodes to try: powers of two, up to 64 for work
// that runs together or is counted in time on a reference GPU, and up to 8 for a stage
// of independent pieces and for boxes of a marketplace, or what the pin asks for. Work
// that must run together does so on one host of a marketplace, whose boxes share no
// network.
func (f *finder) nodeCounts(n *node, config *configuration) []int {
	pin, stage := &f.demand.Pin, f.stage
	f.nodes = [...]int{1, 2, 4, 8, 16, 32, 64}
	counts := f.nodes[:]
	if only := f.onlyCount(config); only > 0 {
		counts = append(counts[:0], only)
	} else if stage.Parallel && (!stage.Relative() || n.alone) {
		counts = counts[:4]
	}
	if n.alone && !stage.Parallel {
		if counts = counts[:1]; counts[0] > 1 {
			return nil
		}
	}
	if pin.Open() {
		return counts
	}
	gpu := catalog.GPUID("")
	if config.card != nil {
		gpu = config.card.ID
	}
	return slices.DeleteFunc(counts, func(nodes int) bool { return !pin.admits(gpu, config.perNode, nodes) })
}

// onlyCount is the number of nodes that the stage or the pin asks for; 0 if neither does.
func (f *finder) onlyCount(config *configuration) int {
	pin, stage := &f.demand.Pin, f.stage
	switch {
	case stage.Workers > 0:
		return (stage.Workers + config.perNode - 1) / config.perNode
	case stage.Pool != nil:
		return (stage.Pool.Models + config.slots - 1) / config.slots
	case pin.Nodes > 0:
		return pin.Nodes
	case pin.GPUCount > 0 && config.perNode > 0:
		return max(1, pin.GPUCount/config.perNode)
	}
	return 0
}

// mostCounts is in how many numbers of nodes an offer is tried at most.
const mostCounts = 7

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
	*s = Sizing{GPUsPerNode: config.perNode, Nodes: config.nodes, HasGPU: f.stage.GPU()}
	if !f.timed() {
		s.Efficiency = unscaled()
		if config.slots > 0 {
			s.Slots, s.Efficiency = config.slots, sharedEfficiency(config.slots > max(1, config.perNode) || config.fraction)
		}
		s.Useful = exactly(f.untimed(config.vcpus, config.nodes))
		return ""
	}
	h := f.hardware(&config)
	err := f.stage.Estimate(h, &s.Estimate)
	if reason := misfit(s.Estimate.Fit, err); reason != "" {
		return reason
	}
	s.FabricGBs, s.FabricAssumed = h.FabricGBs, h.FabricAssumed
	s.Efficiency = *f.efficiency(&config, config.nodes)
	s.Useful = spanOf(&s.Estimate, &s.Efficiency)
	f.rounds(s, config)
	return ""
}

// timed reports whether the time that the stage takes depends on GPUs.
func (f *finder) timed() bool { return f.stage.GPU() && f.stage.RentedSeconds == 0 }

// untimed is the seconds that a stage takes whose time does not.
func (f *finder) untimed(vcpus float64, nodes int) float64 {
	if f.stage.GPU() {
		return f.stage.RentedSeconds
	}
	return f.stage.OnCPU(vcpus, nodes)
}

// efficiency is the coefficient of a number of nodes.
func (f *finder) efficiency(config *configuration, nodes int) *Efficiency {
	return &config.card.efficiency[mixOf(f.stage, config.perNode*nodes)]
}

// misfit is why a GPU stage can't run; "" if it can.
func misfit(fit workload.Fit, err error) Reason {
	switch {
	case err != nil && isField(err):
		return LacksFormat
	case err != nil:
		return GPUNotSized
	default:
		return unfit(fit)
	}
}

// unfit is misfit of a GPU that the stage can be sized on.
func unfit(fit workload.Fit) Reason {
	switch fit {
	case workload.DoesNotFit:
		return DoesNotFit
	case workload.MayNotFit:
		return MayNotFit
	default:
		return ""
	}
}

// hardware is a configuration as the stage sees it, until the next is asked for. The GPU
// that was looked up last is at hand.
func (f *finder) hardware(config *configuration) *workload.Hardware {
	h := &f.at
	if h.GPU.ID != config.card.ID {
		h.GPU = config.card.GPUModel
	}
	h.GPUsPerNode, h.Nodes, h.NVLink = config.perNode, config.nodes, config.nvlink
	h.FabricGBs, h.FabricAssumed = f.demand.Pin.fabricOf(&h.GPU, config.fabricGBs)
	return h
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
	c.Usage = f.usage(s.Nodes, s.Useful.Expected, diskGB)
	if q.interrupts.Central > 0 {
		c.InterruptRate = q.interrupts
		c.Job = f.interruptions(s.Nodes, s.Useful.Expected, s.taskSeconds())
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

// usage is what so many seconds of work take of an offer's nodes, interruptions apart.
func (f *finder) usage(nodes int, useful float64, diskGB int64) tco.Usage {
	return tco.Usage{
		Nodes:  int64(nodes),
		Useful: tco.WholeSeconds(useful),
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

// interruptions is so many seconds of work, in tasks of so many if it is divided, as spot
// instances see it.
func (f *finder) interruptions(nodes int, useful, task float64) spot.Job {
	write := f.stage.CheckpointGB / CheckpointGBs
	job := spot.Job{Useful: useful, CheckpointWrite: write, Restart: float64(f.setup()) + write, Instances: nodes}
	if f.stage.Parallel {
		job.CheckpointWrite, job.Instances = 0, 1
		job.TaskSeconds = task
	}
	return job
}

// taskSeconds is how long one of the independent pieces takes that work is divided into.
func (s *Sizing) taskSeconds() float64 { return s.Estimate.PieceSeconds / s.Efficiency.Value }

// lateBy is how far the 95th percentile of a stage's time lies beyond the expected
// time: the work's and the interruptions' are independent, so they add as squares.
func lateBy(s *Sizing, o spot.Outcome) int64 {
	return tco.WholeSeconds(math.Hypot(max(0, s.Useful.P95-s.Useful.Expected), max(0, o.P95-o.Expected)))
}
