package candidate

import "github.com/tierwise/tierwise/functions/internal/slab"

// Room is memory for what is admitted for a request and the surveys of it. Both, and the
// sizings of their candidates, are good until Reset. The zero value is empty room.
type Room struct {
	shelves slab.Slab[shelf]
	stocks  slab.Slab[stock]
	tags    slab.Slab[Tag]
	runs    slab.Slab[Run]
	works   slab.Slab[working]

	outlines slab.Slab[outline]
	known    slab.Slab[outlines]
}

// Reset makes the room free.
func (r *Room) Reset() {
	r.shelves.Reset()
	r.stocks.Reset()
	r.tags.Reset()
	r.runs.Reset()
	r.works.Reset()
	r.outlines.Reset()
	r.known.Reset()
}
