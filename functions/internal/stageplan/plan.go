package stageplan

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Problem is a chain of stages with everything that could run each, and the data
// that moves along it. The last volume leaves the last stage.
type Problem struct {
	Market *candidate.Market
	Stages [][]candidate.Candidate
	// VolumesGB are what moves: into the first stage, from each stage to the next,
	// and out of the last one. There is one more than stages.
	VolumesGB []decimal.Decimal
	// From is where the data lies and To where results belong. Nil means wherever
	// the first or last stage runs, so that nothing moves.
	From, To *candidate.Site

	Main            int                 // the stage that alternatives differ in
	Budget          decimal.NullDecimal // in the market's currency
	DeadlineSeconds int64               // tested on the 95th percentile; 0 = none
	Seed            uint64              // of the simulation that the deadline is tested by
	Objective       Objective
	Alternatives    int // how many plans to return at most, at least 1

	// Room is memory for the search, until Leave; if there is none the search makes it.
	Room *Room

	found *found // by gathering, instead of Stages
}

// stages is how many stages there are.
func (p *Problem) stages() int { return len(p.VolumesGB) - 1 }

// Missing reports whether some stage has nothing that could run it.
func (p *Problem) Missing() bool {
	return p.found == nil && slices.ContainsFunc(p.Stages, func(s []candidate.Candidate) bool { return len(s) == 0 })
}

// Move is data on its way between two sites. It costs egress at its source.
type Move struct {
	From, To candidate.Site
	GB       decimal.Decimal
	Seconds  int64
	Cost     decimal.Decimal // in the market's currency
	Assumed  bool            // the source's egress rate is unknown: the dearest stands in
}

// Outline is a choice for every stage, priced exactly.
type Outline struct {
	Choices []*candidate.Candidate
	Units   tco.Units // the exact total
	Seconds int64     // expected wall time, moves included
	P95     int64     // 95th percentile of that by simulation; in a frontier that or the sum of the stages'
}

// Plan is an outline with everything that its total is made of.
type Plan struct {
	Outline
	Moves []Move // as Problem.VolumesGB; moves within a site cost nothing
	Lines []tco.Lines
	Total decimal.Decimal // the exact sum of all lines
}

// Result is the answer to a Problem. It lies in the problem's room: it is good until that is
// left.
type Result struct {
	// Best are the best plan and alternatives to it, in the objective's order.
	// They differ in the main stage's provider, GPU or purchase model.
	Best []Outline
	// Frontier are the plans that no other beats in both cost and time, by
	// ascending cost. Of plans equal in both it holds the first in order.
	Frontier []Outline
	// Partial says that not all plans near the deadline were tested: a better one may
	// be missed.
	Partial bool

	s *searcher // that found them
}

// Scenarios are the draws that the deadline was tested by, until the problem is left; nil if
// there are no plans. No two may use them at once.
func (r *Result) Scenarios() *spot.Scenarios {
	if r.s == nil {
		return nil
	}
	return r.s.scenarios()
}

// Plans are the best ones in detail. They are to be asked for before the problem is left, and
// stay as they are after it.
func (r *Result) Plans() []Plan {
	if len(r.Best) == 0 {
		return nil
	}
	return r.s.detailed(r.Best)
}

// Compare orders plans: by total, then time, then stage by stage.
func Compare(a, b *Outline) int {
	if by := a.Units.Cmp(b.Units); by != 0 {
		return by
	}
	if a.Seconds != b.Seconds {
		return sign(a.Seconds - b.Seconds)
	}
	return compareChoices(a, b)
}

// compareChoices orders plans stage by stage.
func compareChoices(a, b *Outline) int {
	for i, c := range a.Choices {
		if c == b.Choices[i] {
			continue // as mostly
		}
		if by := candidate.Compare(c, b.Choices[i]); by != 0 {
			return by
		}
	}
	return 0
}

// sign is -1, 0 or 1.
func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
