package engine

import (
	"fmt"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// assumptions are the request's filled-in defaults and what the plans rest on
// besides, each once.
func assumptions(r *Request, plans []Plan) []Assumption {
	all := newList(r.Assumed, r.Language)
	say := r.Language.Say
	if r.Work != nil || r.Relative != nil {
		all.add(Assumption{"setup", fmt.Sprintf("%d s", candidate.SetupSeconds), say("time to start an instance and pull an image, per stage")})
		all.add(Assumption{"transfer", fmt.Sprintf("%d Gbit/s", stageplan.TransferGbits), say("speed of moves between places and of downloads")})
	}
	if r.Work != nil {
		all.add(Assumption{"vcpu", say("half a core"), say("a vCPU is one of a core's two hardware threads")})
	}
	if r.VerifySeconds > 0 {
		all.add(Assumption{"verify", say("%d minutes on each node", r.VerifySeconds/60),
			say("three steps before the order: a benchmark, a cut of the network, a look for what the disk keeps")})
	}
	if r.DeadlineSeconds > 0 {
		all.add(Assumption{"deadline", say("%d scenarios of the whole plan", spot.Draws),
			say("independent draws of each stage's lateness around its expected time and 95th percentile")})
	}
	var told []*candidate.Candidate
	for i := range plans {
		for _, c := range plans[i].Choices {
			if !slices.ContainsFunc(told, func(t *candidate.Candidate) bool { return alike(t, c) }) {
				all.offer(c)
				told = append(told, c)
			}
		}
	}
	return all.items
}

// alike reports whether the same is assumed about two choices.
func alike(a, b *candidate.Candidate) bool {
	return a.Quote == b.Quote && a.Sizing == b.Sizing && (a.Usage.DiskGB > 0) == (b.Usage.DiskGB > 0)
}

// list is assumptions without repeats, in the order of first mention.
type list struct {
	items []Assumption
	seen  map[Assumption]bool
	say   func(message string, args ...any) string
}

// newList starts from given assumptions.
func newList(items []Assumption, in wording.Language) *list {
	room := len(items) + usualAssumptions
	l := &list{items: make([]Assumption, 0, room), seen: make(map[Assumption]bool, room), say: in.Say}
	for _, a := range items {
		l.add(a)
	}
	return l
}

// usualAssumptions is how many a few offers add, mostly no more.
const usualAssumptions = 24

// add appends an assumption that is not there yet.
func (l *list) add(a Assumption) {
	if !l.seen[a] {
		l.seen[a] = true
		l.items = append(l.items, a)
	}
}

// offer adds what is assumed about a choice.
func (l *list) offer(c *candidate.Candidate) {
	provider := string(c.Offer.Provider)
	if c.IncrementAssumed {
		l.add(Assumption{provider + ".billing_increment", fmt.Sprintf("%d s", c.Tariff.IncrementSeconds),
			l.say("no source states the metering step; an hour is the coarsest known")})
	}
	if c.StorageAssumed && c.Usage.DiskGB > 0 {
		l.add(Assumption{provider + ".storage", l.say("%s %s per %s and month",
			c.Tariff.Storage.Price, c.Tariff.StorageConversion.From.Currency, c.Tariff.Storage.Unit),
			l.say("no source states the price of block storage; the dearest known")})
	}
	l.ratio(c.Offer.GPU, &c.Estimate)
	l.efficiency(c.Offer.GPU, c.Efficiency)
	if c.Offer.Market == catalog.Spot {
		l.add(Assumption{"interruption_rate." + string(c.Offer.ID), l.say("%.5f per hour (%.5f to %.5f)",
			c.InterruptRate.Central, c.InterruptRate.Low, c.InterruptRate.High),
			l.interruptionReason(c.InterruptRate.Known)})
	}
	if conversion := c.Tariff.Conversion; !conversion.Identity() {
		l.add(Assumption{"exchange_rate", l.say("%s %s and %s %s per USD",
			conversion.From.UnitsPerUSD, conversion.From.Currency, conversion.To.UnitsPerUSD, conversion.To.Currency),
			l.say("monthly rates of %s and %s", l.month(conversion.From), l.month(conversion.To))})
	}
}

// ratio adds how a GPU compares with the one that the work was timed on.
func (l *list) ratio(gpu catalog.GPUID, e *workload.Estimate) {
	ratio := e.Ratio
	if ratio.Reference == "" || ratio.Basis == workload.SameGPU {
		return
	}
	l.add(Assumption{"speed." + string(gpu), fmt.Sprintf("%.3g x %s", ratio.Speed, ratio.Reference), l.basis(ratio.Basis)})
}

// basis says what a ratio of speeds rests on.
func (l *list) basis(b workload.Basis) string {
	switch b {
	case workload.Measured:
		return l.say("both were measured: the mean of five models, trained on one GPU each")
	case workload.Specification:
		return l.say("by specification, peak and memory bandwidth: not both of them were measured")
	case workload.FP32Rates:
		return l.say("by specification, FP32 rates: rendering was not measured")
	}
	return ""
}

// month is the month of an exchange rate, in words.
func (l *list) month(r catalog.FXRate) string {
	if r.Currency == catalog.USD {
		return l.say("USD itself")
	}
	return r.Month.String()
}

// interruptionReason says where an interruption rate comes from.
func (l *list) interruptionReason(known bool) string {
	if known {
		return l.say("geometric mean of the monthly band's rate and of published traces")
	}
	return l.say("no band is known: geometric mean of the worst published band's rate and of published traces")
}
