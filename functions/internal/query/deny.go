package query

// deny gives every denial its reach. It replaces a denial and what it denies by
// one item: what a request can say of it ("no aws": exclude_providers), or
// something not understood ("no lora", "at least $200").
func deny(r *reader, items []item) {
	d := denier{r.tokens, items}
	for i := range items {
		switch items[i].class {
		case denies, spares, blocks:
			d.reach(i)
		case deniesBack, blocksBack:
			d.reachBack(i)
		}
	}
}

// denier works on the items of one text.
type denier struct {
	tokens []token
	items  []item
}

// reach applies the denial at i to what follows it, or, where the language allows
// that and nothing fitting follows, to what stands before: 竞价不要.
func (d denier) reach(i int) {
	it := d.items[i]
	t, clear := d.target(i)
	before := d.before(i)
	deniable := t >= 0 && d.canDeny(t)
	switch {
	case it.value == "back" && !deniable && before >= 0 && (it.class == blocks || d.canDeny(before)):
		d.reachBack(i)
	case t < 0 && before >= 0 && it.class != blocks && d.canDeny(before):
		merge(d.items, before, i, unknown) // "spot no"
	case t < 0:
		d.items[i].class = unknown
	default:
		clear = clear && (it.class == denies || it.class == spares && d.items[t].onOff())
		d.spread(i, t, clear)
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

// before is the said item directly before i, -1 if there is none.
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

// spread denies items i to t as one, and then everything that is listed with t.
func (d denier) spread(i, t int, clear bool) {
	list := d.kindOf(t)
	d.strike(i, t, clear)
	for from, step := i, 1; ; {
		next, link, ok := d.linked(from, step)
		if !ok {
			return
		}
		same := d.kindOf(next) == list
		switch {
		case link.class == joinsOr, link.class == joinsAnd && same && !link.marked:
			d.strike(next, next, clear)
		case link.class == joinsAnd && (same || d.canDeny(next) && !link.marked), link.class == parts && same && !link.marked:
			d.strike(next, next, false) // both readings are possible
		default:
			return
		}
		from = next
	}
}
