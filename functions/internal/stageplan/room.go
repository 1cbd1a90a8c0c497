package stageplan

import (
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/slab"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Room is memory that one search after another may use, never two at once: most of what a
// search makes is of no use after it. The zero value is empty room.
type Room struct {
	Candidates candidate.Room // for the surveys

	nanos     slab.Slab[tco.Nano]
	numbers   slab.Slab[int32]
	times     slab.Slab[int64]
	leasts    slab.Slab[least]
	picks     slab.Slab[pick]
	points    slab.Slab[point]
	skylines  slab.Slab[skyline]
	choices   slab.Slab[choice]
	options   slab.Slab[option]
	labels    slab.Slab[label]
	tables    slab.Slab[[]label]
	rests     slab.Slab[[]least]
	moves     slab.Slab[moved]
	passages  slab.Slab[passage]
	rivals    slab.Slab[rivalry]
	kept      slab.Slab[kept]
	outlines  slab.Slab[Outline]
	ranks     slab.Slab[rank]
	companies slab.Slab[company]
	edges     slab.Slab[edge]
	fares     slab.Slab[fares]
	values    slab.Slab[float64]
	wholes    slab.Slab[candidate.Candidate]
	chains    slab.Slab[*candidate.Candidate]
	stops     slab.Slab[stop]
	openings  slab.Slab[opening]
	drawn     drawn // stays
}

// Leave ends a problem, which is of no use any longer, and gives back its room for another;
// nil if it has none. Plans that its result gave stay as they are.
func (p *Problem) Leave() *Room {
	room := p.Room
	p.Room, p.found = nil, nil
	if room != nil {
		room.clear()
	}
	return room
}

// clear makes the room free.
func (r *Room) clear() {
	r.Candidates.Reset()
	r.nanos.Reset()
	r.numbers.Reset()
	r.times.Reset()
	r.leasts.Reset()
	r.picks.Reset()
	r.points.Reset()
	r.skylines.Reset()
	r.choices.Reset()
	r.options.Reset()
	r.labels.Reset()
	r.tables.Reset()
	r.rests.Reset()
	r.moves.Reset()
	r.passages.Reset()
	r.rivals.Reset()
	r.kept.Reset()
	r.outlines.Reset()
	r.ranks.Reset()
	r.companies.Reset()
	r.edges.Reset()
	r.fares.Reset()
	r.values.Reset()
	r.wholes.Reset()
	r.chains.Reset()
	r.stops.Reset()
	r.openings.Reset()
}

// filled is so many times a value.
func (r *Room) filled(value float64, n int) []float64 {
	values := r.values.Take(n)
	for i := range values {
		values[i] = value
	}
	return values
}

// usualDoublings is how many there are from the soonest plan to the latest usually, at most.
const usualDoublings = 12

// bar is memory for one.
func (r *Room) bar() []tco.Nano { return r.nanos.Empty(usualDoublings << fine) }

// drawn is the scenarios that were drawn last.
type drawn struct {
	seed      uint64
	stages    int
	scenarios *spot.Scenarios
}
