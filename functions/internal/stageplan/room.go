package stageplan

import (
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// Room is memory that one search after another may use, never two at once: most of what a
// search makes is of no use after it. The zero value is empty room.
type Room struct {
	nanos     slab[tco.Nano]
	numbers   slab[int32]
	times     slab[int64]
	keys      slab[uint64]
	leasts    slab[least]
	picks     slab[pick]
	points    slab[point]
	choices   slab[choice]
	labels    slab[label]
	moves     slab[moved]
	passages  slab[passage]
	rivals    slab[rivalry]
	kept      slab[kept]
	outlines  slab[Outline]
	ranks     slab[rank]
	costs     slab[priced]
	companies slab[company]
	drawn     drawn // stays
}

// Leave ends a problem, which is of no use any longer, and gives back its room for another;
// nil if it has none. Results are no part of it.
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
	r.nanos.clear()
	r.numbers.clear()
	r.times.clear()
	r.keys.clear()
	r.leasts.clear()
	r.picks.clear()
	r.points.clear()
	r.choices.clear()
	r.labels.clear()
	r.moves.clear()
	r.passages.clear()
	r.rivals.clear()
	r.kept.clear()
	r.outlines.clear()
	r.ranks.clear()
	r.costs.clear()
	r.companies.clear()
}

// drawn is the scenarios that were drawn last.
type drawn struct {
	seed      uint64
	stages    int
	scenarios *spot.Scenarios
}

// slab is room for values of one type.
type slab[T any] struct {
	all  []T
	used int // of all, from the first
}

// least that a slab has room for, once it has any.
const leastSlab = 256

// take is n zero values.
func (s *slab[T]) take(n int) []T {
	if s.used+n > len(s.all) { // what was taken before keeps what it has
		s.all, s.used = make([]T, max(leastSlab, 2*len(s.all), 2*n)), 0
	}
	values := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	return values
}

// empty is an empty list that has room for n.
func (s *slab[T]) empty(n int) []T { return s.take(n)[:0] }

// clone is a copy of a list.
func (s *slab[T]) clone(list []T) []T {
	values := s.take(len(list))
	copy(values, list)
	return values
}

// clear makes all of it free.
func (s *slab[T]) clear() {
	clear(s.all[:s.used])
	s.used = 0
}
