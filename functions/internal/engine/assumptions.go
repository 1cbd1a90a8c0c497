package engine

import (
	"fmt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// assumptions are the request's filled-in defaults and what the plans rest on
// besides, each once.
func assumptions(r Request, plans []Plan) []Assumption {
	all := newList(r.Assumed)
	if r.Work != nil || r.Relative != nil {
		all.add(Assumption{"setup", fmt.Sprintf("%d s", candidate.SetupSeconds), "time to start an instance and pull an image, per stage"})
		all.add(Assumption{"transfer", fmt.Sprintf("%d Gbit/s", stageplan.TransferGbits), "speed of moves between places and of downloads"})
	}
	if r.Work != nil {
		all.add(Assumption{"vcpu", "half a core", "a vCPU is one of a core's two hardware threads"})
	}
	for i := range plans {
		for _, c := range plans[i].Choices {
			all.offer(c)
		}
	}
	return all.items
}

// list is assumptions without repeats, in the order of first mention.
type list struct {
	items []Assumption
	seen  map[Assumption]bool
}

// newList starts from given assumptions.
func newList(items []Assumption) *list {
	l := &list{seen: make(map[Assumption]bool)}
	for _, a := range items {
		l.add(a)
	}
	return l
}

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
			"no source states the metering step; an hour is the coarsest known"})
	}
	if c.StorageAssumed && c.Usage.DiskGB > 0 {
		l.add(Assumption{provider + ".storage", fmt.Sprintf("%s %s per %s and month",
			c.Tariff.Storage.Price, c.Tariff.StorageConversion.From.Currency, c.Tariff.Storage.Unit),
			"no source states the price of block storage; the dearest known"})
	}
	l.ratio(c.Offer.GPU, &c.Estimate)
	if c.Efficiency.Source == "prior" {
		l.add(Assumption{"efficiency." + string(c.Offer.GPU), fmt.Sprintf("%.2f", c.Efficiency.Value),
			"prior of the GPU's class; nothing was measured"})
	}
	if c.Offer.Market == catalog.Spot {
		l.add(Assumption{"interruption_rate." + string(c.Offer.ID), fmt.Sprintf("%.5f per hour (%.5f to %.5f)",
			c.InterruptRate.Central, c.InterruptRate.Low, c.InterruptRate.High),
			interruptionReason(c.InterruptRate.Known)})
	}
	if conversion := c.Tariff.Conversion; !conversion.Identity() {
		l.add(Assumption{"exchange_rate", fmt.Sprintf("%s %s and %s %s per USD",
			conversion.From.UnitsPerUSD, conversion.From.Currency, conversion.To.UnitsPerUSD, conversion.To.Currency),
			fmt.Sprintf("monthly rates of %s and %s", month(conversion.From), month(conversion.To))})
	}
}

// ratio adds how a GPU compares with the one that the work was timed on.
func (l *list) ratio(gpu catalog.GPUID, e *workload.Estimate) {
	ratio := e.Ratio
	if ratio.Reference == "" || ratio.Basis == workload.SameGPU {
		return
	}
	why := map[workload.Basis]string{
		workload.Measured:      "both were measured: the mean of five models, trained on one GPU each",
		workload.Specification: "by specification, peak and memory bandwidth: not both of them were measured",
		workload.FP32Rates:     "by specification, FP32 rates: rendering was not measured",
	}
	l.add(Assumption{"speed." + string(gpu), fmt.Sprintf("%.3g x %s", ratio.Speed, ratio.Reference), why[ratio.Basis]})
}

// month is the month of an exchange rate, in words.
func month(r catalog.FXRate) string {
	if r.Currency == catalog.USD {
		return "USD itself"
	}
	return r.Month.String()
}

// interruptionReason says where an interruption rate comes from.
func interruptionReason(known bool) string {
	if known {
		return "geometric mean of the monthly band's rate and of published traces"
	}
	return "no band is known: geometric mean of the worst published band's rate and of published traces"
}
