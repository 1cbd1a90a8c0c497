package candidate

import "github.com/tierwise/tierwise/functions/internal/slab"

// Room is memory for what is admitted for a request and the surveys of it. Both, and the
// sizings of their candidates, are good until Clear. The zero value is empty room.
type Room struct {
	shelves slab.Slab[shelf]
	stocks  slab.Slab[stock]
	tags    slab.Slab[Tag]
	runs    slab.Slab[Run]
	works   slab.Slab[working]
}

// Clear makes the room free.
func (r *Room) Clear() {
	r.shelves.Reset()
	r.stocks.Clear()
	r.tags.Reset()
	r.runs.Reset() // what they point to is in the room
	r.works.Clear()
}
