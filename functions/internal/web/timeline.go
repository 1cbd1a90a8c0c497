package web

import (
	"math"
	"slices"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// timeline is the stages of a plan, and the moves between them, along an axis of hours.
type timeline struct {
	Bars   []bar
	Ticks  []tick
	Height int // in pixels
	Axis   int // where its figures are
}

// bar is a stage or a move. Places are in percent of the width, or pixels from the top.
type bar struct {
	Name, Hours   string
	Move          bool
	X, Width      string // what is expected
	Late, LateTo  string // from there to the 95th percentile
	Text, Top     int
	From, To      string // of a move
	Middle, Lower int
}

// The height of a bar with its text, and the bar's own, in pixels.
const (
	rowHeight  = 44
	barHeight  = 14
	axisHeight = 28
)

// shortestMove is how many hours a move must take to be shown.
const shortestMove = 0.005

// timelineOf places the stages of a plan one after the other.
func timelineOf(p *schemas.Plan) timeline {
	type span struct {
		bar
		from, expected, late float64
	}
	var spans []span
	at, moves := 0.0, p.Moves
	move := func() {
		hours := drawn(moves[0].Hours)
		if hours >= shortestMove {
			spans = append(spans, span{bar{Move: true, From: moves[0].From, To: moves[0].To, Hours: display.Short(moves[0].Hours)}, at, hours, 0})
		}
		at, moves = at+hours, moves[1:]
	}
	for i := range p.Stages {
		s := &p.Stages[i]
		for len(moves) > 0 && moves[0].To == s.Offer.Provider+"/"+s.Offer.Region {
			move()
		}
		hours := drawn(s.Hours.Expected)
		spans = append(spans, span{bar{Name: s.Name, Hours: display.Short(s.Hours.Expected)}, at, hours, max(0, drawn(s.Hours.P95)-hours)})
		at += hours
	}
	for len(moves) > 0 {
		move()
	}
	ends := []float64{at}
	for _, s := range spans {
		ends = append(ends, s.from+s.expected+s.late)
	}
	along := scaleOf(ends, true, 0, 99)
	t := timeline{Height: len(spans)*rowHeight + axisHeight, Axis: len(spans)*rowHeight + axisHeight - 8, Ticks: along.ticks(6)}
	for i, s := range spans {
		b, end := s.bar, s.from+s.expected
		b.X, b.Width = percent(along.at(s.from)), percent(math.Max(0.4, along.at(end)-along.at(s.from)))
		b.Late, b.LateTo = percent(along.at(end)), percent(along.at(end+s.late))
		b.Text, b.Top = i*rowHeight+16, i*rowHeight+22
		b.Middle = b.Top + barHeight/2
		t.Bars = append(t.Bars, b)
	}
	return t
}

// segment is a cost line's share of a plan, along a bar.
type segment struct {
	Line, Amount, Share string
	X, Width            string
}

// segmentsOf are the lines of a plan's cost that are no discount.
func segmentsOf(b *display.Bill) []segment {
	sum := 0.0
	for _, amount := range b.Sums {
		sum += max(0, drawn(amount))
	}
	var all []segment
	at := 0.0
	for i, line := range b.Lines {
		amount := drawn(b.Sums[i])
		s := segment{Line: line, Amount: b.Sums[i]}
		if sum > 0 && amount > 0 {
			share := 100 * amount / sum
			s.X, s.Width, s.Share = percent(at), percent(share), percent(share)
			at += share
		}
		all = append(all, s)
	}
	return all
}

// scatter is plans that no other beats, by hours and cost.
type scatter struct {
	Dots     []dot
	Across   []tick
	Up       []tick
	Points   int // on the frontier
	Currency string
}

// dot is a plan.
type dot struct {
	X, Y         string
	Total, Hours string
	Rank         int // 0 if it is not among the plans shown
}

// mostDots is how many plans a scatter has besides those shown.
const mostDots = 80

// scatterOf places the frontier of an answer. Fewer than two points make no picture.
func scatterOf(r *schemas.RecommendResponse) *scatter {
	if len(r.Frontier) < 2 {
		return nil
	}
	var hours, totals []float64
	for _, p := range r.Frontier {
		hours, totals = append(hours, drawn(p.Hours)), append(totals, drawn(p.Total))
	}
	for i := range r.Plans {
		hours, totals = append(hours, drawn(r.Plans[i].Hours)), append(totals, drawn(r.Plans[i].Total))
	}
	across, up := scaleOf(hours, false, 16, 96), scaleOf(totals, false, 86, 8)
	s := &scatter{Across: across.ticks(5), Up: up.ticks(5), Points: len(r.Frontier), Currency: r.Currency}
	every := (len(r.Frontier) + mostDots - 1) / mostDots
	for i, p := range r.Frontier {
		if p.Plan == nil && (i%every == 0 || i == len(r.Frontier)-1) {
			s.Dots = append(s.Dots, dot{percent(across.at(hours[i])), percent(up.at(totals[i])), display.Rounded(p.Total, r.Currency), display.Short(p.Hours), 0})
		}
	}
	for i := range slices.Backward(r.Plans) { // the best lies above the others
		p := &r.Plans[i]
		s.Dots = append(s.Dots, dot{percent(across.at(drawn(p.Hours))), percent(up.at(drawn(p.Total))), display.Rounded(p.Total, r.Currency), display.Short(p.Hours), p.Rank})
	}
	return s
}
