package engine

import (
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// EstimateRequest is a job on named hardware, checked and with every default filled
// in.
type EstimateRequest struct {
	// Work or Relative is the job.
	Work     *workload.Spec
	Relative *workload.Relative
	// Hardware is what it runs on, unless Offer names that: Nodes of an offer.
	Hardware workload.Hardware
	Offer    catalog.OfferID
	Nodes    int
	// WithinSeconds is how long the requests of inference keep coming; 0 if that is not
	// stated. Hardware that takes longer does not keep up.
	WithinSeconds float64

	Currency   catalog.Currency
	ComputedAt time.Time
	Assumed    []Assumption
	// Language is what assumptions, warnings and notes are written in.
	Language wording.Language
}

// Estimated is the main stage of a job on hardware.
type Estimated struct {
	CatalogVersion catalog.Version
	ComputedAt     time.Time
	Currency       catalog.Currency
	Language       wording.Language

	Stage    workload.StageName
	Hardware workload.Hardware
	candidate.Sizing
	// Choice is the stage on the offer, priced; nil if no offer was named, the work does
	// not fit, or Unpriced says why there is no price.
	Choice   *candidate.Candidate
	Unpriced candidate.Reason
	// Smallest is the fewest GPUs of the kind that the work fits on; nil if not even
	// many nodes suffice, or the memory of the work is not known.
	Smallest *workload.Hardware

	Assumptions []Assumption
	Warnings    []Warning
}

// OfferError says that an offer can't be estimated on.
type OfferError struct {
	Offer  catalog.OfferID
	Reason candidate.Reason // "" if there is no such offer
}

// Error names the offer and the reason.
func (e OfferError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("unknown offer %q", e.Offer)
	}
	return fmt.Sprintf("the work can't be estimated on offer %q: %s", e.Offer, e.Reason)
}

// usualNode is the most GPUs of one machine in the search for the smallest hardware.
const usualNode = 8

// Estimate sizes a job's main stage on the hardware that a request names. The error is
// a workload.FieldError for work that can't be or that asks of the GPU what it lacks, a
// CurrencyError, or an OfferError.
func (e *Engine) Estimate(r EstimateRequest) (Estimated, error) {
	market, err := e.market(r.Currency)
	if err != nil {
		return Estimated{}, err
	}
	stages, err := stagesOf(r.Work, r.Relative, 0)
	if err != nil {
		return Estimated{}, err
	}
	stage := &stages[mainStage(stages)]
	h, quote, err := hardwareOf(market, stage, r)
	if err != nil {
		return Estimated{}, err
	}
	sizing, err := candidate.SizeOn(e.snapshot, stage, h, coefficientOf(quote))
	if err != nil {
		return Estimated{}, err
	}
	out := Estimated{
		CatalogVersion: e.snapshot.Version(), ComputedAt: r.ComputedAt, Currency: r.Currency, Language: r.Language,
		Stage: stage.Name, Hardware: h, Sizing: sizing,
	}
	like := h
	like.NVLink = h.NVLink || h.GPUsPerNode == 1 && h.GPU.NVLink == catalog.Yes
	if smallest, ok := stage.Smallest(like, max(h.GPUsPerNode, usualNode)); ok && !stage.Relative() {
		out.Smallest = &smallest
	}
	if quote != nil && sizing.Estimate.Fit != workload.DoesNotFit {
		c, reason, ok := candidate.OnOffer(market, stage, quote, &out.Sizing)
		if out.Unpriced = reason; ok {
			out.Choice = &c
		}
	}
	out.Assumptions = estimateAssumptions(r, &out)
	out.Warnings = e.estimateWarnings(r, &out)
	return out, nil
}

// hardwareOf is the hardware that a request names, and the offer if it names one.
func hardwareOf(m *candidate.Market, stage *workload.Stage, r EstimateRequest) (workload.Hardware, *candidate.Quote, error) {
	if r.Offer == "" {
		return r.Hardware, nil, nil
	}
	quote, ok := m.Quote(r.Offer)
	if !ok {
		return workload.Hardware{}, nil, OfferError{Offer: r.Offer}
	}
	h, reason, ok := candidate.HardwareOf(m, stage, quote, max(r.Nodes, 1))
	if !ok {
		return workload.Hardware{}, nil, OfferError{r.Offer, reason}
	}
	return h, quote, nil
}

// estimateAssumptions are the request's defaults and what the hours and the price rest
// on besides.
func estimateAssumptions(r EstimateRequest, out *Estimated) []Assumption {
	all, say := newList(r.Assumed, r.Language), r.Language.Say
	if out.Hardware.Nodes > 1 && out.Hardware.FabricAssumed && r.Relative == nil {
		all.add(Assumption{"hardware.fabric", say("%g GB/s per node", out.Hardware.FabricGBs),
			say("no source gives the network between the nodes; ordinary Ethernet")})
	}
	if out.Choice != nil {
		all.add(Assumption{"setup", fmt.Sprintf("%d s", candidate.SetupSeconds), say("time to start an instance and pull an image")})
		all.offer(out.Choice)
		return all.items
	}
	all.ratio(out.Hardware.GPU.ID, &out.Estimate)
	all.efficiency(out.Hardware.GPU.ID, out.Efficiency)
	return all.items
}

// maxLatencySeconds is the longest that an answer may take; 0 if it may take any time.
func (r *EstimateRequest) maxLatencySeconds() float64 {
	if r.Work == nil {
		return 0
	}
	return r.Work.Evaluate.MaxLatencySeconds
}

// estimateWarnings are what the reader of an estimate should know.
func (e *Engine) estimateWarnings(r EstimateRequest, out *Estimated) []Warning {
	var all []Warning
	a, s := aboutStage(r.Language, out.Stage), &out.Estimate
	switch s.Fit {
	case workload.DoesNotFit:
		all = append(all, Warning{WarnDoesNotFit, a.say("%s: it lacks %.1f GB per GPU to fit; the hours are of a larger memory", s.LacksGB)})
	case workload.MayNotFit:
		all = append(all, Warning{WarnMayNotFit, a.say("%s: it lacks %.1f GB per GPU to fit for certain", s.LacksGB)})
	}
	all = append(all, a.utilisation(s)...)
	if limit := r.maxLatencySeconds(); limit > 0 && s.AnswerSeconds > limit {
		all = append(all, Warning{WarnTooSlow, a.say("%s: an answer takes %.2f s, more than the %.2f s asked for", s.AnswerSeconds, limit)})
	}
	if within := r.WithinSeconds; within > 0 && out.Useful.Expected > within {
		all = append(all, Warning{WarnTooSlow, a.say("%s: requests that come within %.4g hours take %.4g to answer: more copies are needed",
			within/3600, out.Useful.Expected/3600)})
	}
	if out.Choice == nil {
		return all
	}
	all = append(all, a.hardware(e, out.Choice, true)...)
	all = append(all, a.price(out.Choice, r.ComputedAt)...)
	return append(all, a.spot(out.Choice)...)
}

// utilisation are the warnings that hold a training's utilisation against that of published runs,
// and its time against what anyone calculates on paper.
func (a about) utilisation(s *workload.Estimate) []Warning {
	var all []Warning
	if s.OutOfRange {
		all = append(all, Warning{WarnUnusual, a.say("%s: its utilisation of %.0f%% of the peak is outside of what published runs of the kind reach", 100*s.MFU)})
	}
	if s.OnPaper > 0 && (s.Expected > 2*s.OnPaper || s.OnPaper > 2*s.Expected) {
		all = append(all, Warning{WarnCrossCheck, a.say(
			"%s: FLOPs over 40%% of the peak would give %.3g hours, %.2g times as many; short steps, slow links or offloading make the difference",
			s.OnPaper/3600, s.OnPaper/s.Expected)})
	}
	return all
}
