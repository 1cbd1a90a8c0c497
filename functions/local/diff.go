package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// differing is what the command line says of a comparison of versions.
type differing struct {
	provider string
	limit    int
}

// move is an offer that two versions tell differently.
type move struct {
	id            catalog.OfferID
	before, after *catalog.Offer // nil where a version lacks it
	percent       decimal.NullDecimal
}

// movement is the differences between two versions.
type movement struct {
	priced, appeared, vanished, other []move
	redated, same                     int
}

// diff shows what moved from one version to another.
func (p *program) diff(ctx context.Context, args []string) error {
	flags, where := storageFlags("diff")
	var o differing
	flags.StringVar(&o.provider, "provider", "", "")
	flags.IntVar(&o.limit, "limit", mostRows, "")
	words, err := parsed(flags, args, "VERSION", "VERSION")
	if err != nil {
		return err
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	var both [2]*catalog.Snapshot
	for i, word := range words {
		if both[i], err = p.versionOf(ctx, s, word); err != nil {
			return err
		}
	}
	for _, of := range both {
		if _, ok := of.Provider(catalog.ProviderID(o.provider)); o.provider != "" && !ok {
			return usageError{fmt.Sprintf("diff: version %s has no provider %q", of.Version(), o.provider)}
		}
	}
	m := differences(both[0], both[1], catalog.ProviderID(o.provider))
	head := fmt.Sprintf("From %s to %s\n", both[0].Version(), both[1].Version())
	return p.writing(where.json).print(m.result(both[0].Version(), both[1].Version()), head+m.text(o.limit))
}

// versionOf is a version by its name, "current" or "embedded".
func (p *program) versionOf(ctx context.Context, s store, name string) (*catalog.Snapshot, error) {
	switch name {
	case "embedded":
		return p.load()
	case "current":
		current, err := s.Current(ctx)
		if err != nil {
			return nil, err
		}
		name = string(current.Version)
	}
	snapshot, err := s.Load(ctx, catalog.Version(name))
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, fmt.Errorf("%w: \"tierwise catalog versions\" lists what there is", err)
	}
	return snapshot, err
}

// differences compares the offers of two versions, of one provider if it is given.
func differences(from, to *catalog.Snapshot, of catalog.ProviderID) movement {
	var m movement
	skip := func(o *catalog.Offer) bool { return of != "" && o.Provider != of }
	for i := range from.Offers() {
		o := &from.Offers()[i]
		if _, still := to.Offer(o.ID); !still && !skip(o) {
			m.vanished = append(m.vanished, move{id: o.ID, before: o})
		}
	}
	for i := range to.Offers() {
		o := &to.Offers()[i]
		before, had := from.Offer(o.ID)
		switch {
		case skip(o):
		case !had:
			m.appeared = append(m.appeared, move{id: o.ID, after: o})
		default:
			m.add(&before, o)
		}
	}
	slices.SortStableFunc(m.priced, func(a, b move) int {
		if a.percent.Valid != b.percent.Valid {
			return map[bool]int{true: 1, false: -1}[a.percent.Valid]
		}
		return cmp.Or(b.percent.Decimal.Abs().Cmp(a.percent.Decimal.Abs()), cmp.Compare(a.id, b.id))
	})
	return m
}

// add compares an offer that both versions have.
func (m *movement) add(before, after *catalog.Offer) {
	x := move{id: after.ID, before: before, after: after}
	switch {
	case before.Price.Known() != after.Price.Known() || before.Price.Known() && (before.Price.Basis != after.Price.Basis ||
		before.Price.Currency != after.Price.Currency || !before.Price.Amount.Decimal.Equal(after.Price.Amount.Decimal)):
		x.percent = changed(before, after)
		m.priced = append(m.priced, x)
	case before.Availability != after.Availability || *before.Instance != *after.Instance && !alike(before.Instance, after.Instance) || !slices.Equal(before.Flags, after.Flags):
		m.other = append(m.other, x)
	case before.AsOf != after.AsOf:
		m.redated++
	default:
		m.same++
	}
}

// alike compares instances by all that they say, however their decimals are kept.
func alike(a, b *catalog.Instance) bool {
	x, y := *a, *b
	same := x.GPUs.Valid == y.GPUs.Valid && x.GPUs.Decimal.Equal(y.GPUs.Decimal)
	x.GPUs, y.GPUs = decimal.NullDecimal{}, decimal.NullDecimal{}
	return same && x == y
}

// changed is the change of an hourly price in percent, to one decimal place; not
// valid if the two can't be compared.
func changed(before, after *catalog.Offer) decimal.NullDecimal {
	was, okWas := before.NodeRate()
	now, okNow := after.NodeRate()
	if !okWas || !okNow || was.Currency != now.Currency {
		return decimal.NullDecimal{}
	}
	const places = 1
	ratio := now.Num.Mul(was.Den).Mul(decimal.NewFromInt(100)).DivRound(now.Den.Mul(was.Num), places)
	return decimal.NewNullDecimal(ratio.Sub(decimal.NewFromInt(100)))
}

// text is the differences for people: a table of each kind, as long as the limit.
func (m *movement) text(limit int) string {
	out := wrap(" ", "  ", fmt.Sprintf("%d prices changed, %d offers are new, %d are gone, %d changed otherwise, %d have a newer date, %d are as before.",
		len(m.priced), len(m.appeared), len(m.vanished), len(m.other), m.redated, m.same))
	for _, part := range []struct {
		title string
		moves []move
	}{{"Prices", m.priced}, {"New", m.appeared}, {"Gone", m.vanished}, {"Changed otherwise", m.other}} {
		if len(part.moves) == 0 {
			continue
		}
		columns := []column{{title: "offer", most: 56}, {title: "before", right: true}, {title: "after", right: true}, {title: "%", right: true}, {title: "as of"}}
		var rows [][]string
		for _, x := range part.moves[:min(len(part.moves), max(0, limit))] {
			rows = append(rows, x.cells())
		}
		out += "\n" + part.title + "\n" + table(columns, rows)
		if more := len(part.moves) - len(rows); more > 0 {
			out += "  and " + strconv.Itoa(more) + " more (--limit)\n"
		}
	}
	return out
}

// cells is a difference as a row of a table.
func (x *move) cells() []string {
	cells := []string{string(x.id), priceCell(x.before), priceCell(x.after), "", ""}
	if x.percent.Valid {
		cells[3] = x.percent.Decimal.StringFixed(1)
		if x.percent.Decimal.IsPositive() {
			cells[3] = "+" + cells[3]
		}
	}
	if x.after != nil {
		cells[4] = x.after.AsOf.String()
	}
	return cells
}

// priceCell is a price in its own unit.
func priceCell(o *catalog.Offer) string {
	switch {
	case o == nil:
		return ""
	case !o.Price.Known():
		return "no price"
	}
	unit := map[catalog.Basis]string{
		catalog.PerInstanceHour: "/h", catalog.PerGPUHour: "/GPU-h", catalog.PerInstanceMonth: "/month", catalog.PerInstanceYear: "/year", catalog.PerInstance3Years: "/3 years",
	}[o.Price.Basis]
	return fmt.Sprintf("%s %s%s", o.Price.Amount.Decimal, o.Price.Currency, unit)
}
