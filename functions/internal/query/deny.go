package query

// The values of phrases that deny: on which side the denied thing stands.
const (
	ahead  = ""     // "no spot"
	behind = "back" // "spot excluded"; ahead if nothing fits behind it
	either = "both" // 不要竞价, 竞价不要
)

// deny gives every denial its reach. It replaces the denial and what it denies by
// one item: what a request can say of it ("no aws": exclude_providers), or
// something not understood ("no lora", "at least $200").
func deny(items []item) {
	d := denier{items}
	for i := range items {
		switch items[i].class {
		case denies, spares:
			d.deny(i)
		case blocks:
			d.block(i)
		}
	}
}

// denier works on the items of one text.
type denier struct {
	items []item
}

// deny applies the denial at i.
func (d denier) deny(i int) {
	side := d.items[i].value
	t, clear := d.target(i)
	b := d.before(i)
	canAhead, canBehind := t >= 0 && d.canDeny(t), b >= 0 && d.canDeny(b)
	switch {
	case side == behind && b >= 0 && d.items[b].denied:
		d.items[i].class = skips // 除了美国以外
	case canBehind && (side == behind || side == either && t < 0):
		d.spread(i, b, true)
	case canBehind && side == either && !canAhead:
		merge(d.items, b, t, unknown) // 竞价不要7B: either of them
	case b >= 0 && side == behind, b >= 0 && side == either && t < 0, b >= 0 && t < 0 && d.items[b].wish():
		merge(d.items, b, i, unknown) // "lora excluded", "a100 no"
	case t >= 0:
		d.spread(i, t, clear)
	default:
		d.items[i].class = unknown
	}
}

// block drops the amount or the wish that the words at i turn around.
func (d denier) block(i int) {
	t, _ := d.target(i)
	b := d.before(i)
	switch side := d.items[i].value; {
	case t >= 0 && side != behind:
		d.spread(i, t, false)
	case side != ahead && b >= 0 && d.items[b].amount():
		merge(d.items, b, i, unknown)
	default:
		d.items[i].class = unknown
	}
}

// target is the next thing that is said behind the denial at i, -1 if the clause
// holds none. clear is false if something stands between that may change what is
// denied: "not necessarily spot".
func (d denier) target(i int) (t int, clear bool) {
	clear = true
	for j := i + 1; j < len(d.items); j++ {
		switch d.items[j].class {
		case said:
			return j, clear
		case parts:
			return -1, clear
		case joinsOr, joinsAnd:
			if !clear {
				return -1, clear
			}
			clear = false
		case skips, marks, gone, between:
		default:
			clear = false
		}
	}
	return -1, clear
}

// before is the thing said directly before i, -1 if there is none.
func (d denier) before(i int) int {
	for j := i - 1; j >= 0; j-- {
		switch d.items[j].class {
		case said:
			return j
		case skips, gone:
		default:
			return -1
		}
	}
	return -1
}

// canDeny reports whether a request can say the opposite of item i.
func (d denier) canDeny(i int) bool {
	_, ok := d.items[i].denial()
	return ok
}

// spread joins the denial at i with the item at t and denies that, and then
// everything that is listed with it, on the far side of it.
func (d denier) spread(i, t int, clear bool) {
	by, step, kind := d.items[i].class, 1, d.kind(t)
	if t < i {
		step = -1
	}
	d.strike(min(i, t), max(i, t), t, clear && d.allows(by, t))
	for next, link := d.linked(t, step); next >= 0; next, link = d.linked(next, step) {
		same := d.kind(next) == kind
		switch {
		case link.class == joinsOr, link.class == joinsAnd && same && !link.marked:
			d.strike(next, next, next, clear && d.allows(by, next))
		case link.class == joinsAnd && (same || d.canDeny(next) && !link.marked), link.class == parts && same && !link.marked:
			clear = false // "no aws, gcp": both readings are possible
			d.strike(next, next, next, clear)
		default:
			return
		}
	}
}

// allows reports whether a denial of the class makes sense for item i. "No need for
// spot" leaves it open.
func (d denier) allows(by class, i int) bool {
	return by == denies && d.canDeny(i) || by == spares && d.items[i].onOff()
}

// kind is what items of one list have in common.
func (d denier) kind(i int) slot {
	facts := d.items[i].facts
	return facts[len(facts)-1].slot
}

// strike makes items a to b the denial of item t, or something not understood.
func (d denier) strike(a, b, t int, clear bool) {
	f, ok := d.items[t].denial()
	if !clear || !ok {
		merge(d.items, a, b, unknown)
		return
	}
	merge(d.items, a, b, said)
	d.items[a].facts, d.items[a].denied = []fact{f}, true
}

// link is what stands between two items of a list.
type link struct {
	class  class // joinsOr, joinsAnd, or parts for a comma
	marked bool  // a preposition introduces the second one
}

// linked is the next item of the list that item i stands in, -1 if the list ends.
// "Only" ends it: what is wanted alone is not denied.
func (d denier) linked(i, step int) (next int, l link) {
	for j := i + step; j >= 0 && j < len(d.items); j += step {
		switch it := d.items[j]; it.class {
		case gone, skips:
		case marks:
			l.marked = true
		case parts:
			if it.value != "," || l.class != unknown {
				return -1, l
			}
			l.class = parts
		case joinsOr, joinsAnd:
			l.class = it.class
		case said:
			if l.class == unknown || it.denied || d.onlyBehind(j) {
				return -1, l
			}
			return j, l
		default:
			return -1, l
		}
	}
	return -1, l
}

// onlyBehind reports whether "only" follows item i.
func (d denier) onlyBehind(i int) bool {
	for j := i + 1; j < len(d.items); j++ {
		switch d.items[j].class {
		case only:
			return true
		case skips, gone:
		default:
			return false
		}
	}
	return false
}
