package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// refuses puts a candidate in quarantine, and reports whether it stays there: not
// if a person released just this row.
func (a *applier) refuses(c *candidate, n note) bool {
	h := held(c, n)
	if a.released[h.ID] {
		return false
	}
	a.report.Held = append(a.report.Held, h)
	a.kept[c.ID] = n.reason != catalog.SpotNotCheaper
	return true
}

// notes lists a candidate that is taken for what a reader should know of it. A GPU
// name that the catalogue does not know is listed once.
func (a *applier) notes(c *candidate, n note) {
	if n.reason == catalog.GPUUnmapped {
		if a.report.Unmapped == nil {
			a.report.Unmapped = make(map[string]int)
		}
		a.report.Unmapped[c.GPUName]++
		if a.report.Unmapped[c.GPUName] > 1 {
			return
		}
	}
	h := held(c, n)
	h.Noted = true
	if !a.released[h.ID] {
		a.report.Held = append(a.report.Held, h)
	}
}

// held is a candidate in quarantine.
func held(c *candidate, n note) catalog.Held {
	offer := c.Offer
	offer.Interruption = nil
	return catalog.Held{
		ID:  heldID(string(n.reason), string(c.ID), shown(&c.Offer), instanceKey(c.Instance)),
		Row: c.row, Reason: n.reason, Detail: n.detail, Offer: &offer,
	}
}

// heldID is the same for rows that say the same.
func heldID(parts ...string) catalog.HeldID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return catalog.HeldID(hex.EncodeToString(sum[:6]))
}

// hold puts a row that can't be read in quarantine.
func (a *applier) hold(h catalog.Held) {
	h.ID = heldID(string(h.Reason), h.Column, fmt.Sprint(h.Row), h.Detail)
	a.report.Held = append(a.report.Held, h)
}

// shown is a price for people.
func shown(o *catalog.Offer) string {
	if !o.Price.Known() {
		return "no price"
	}
	unit := map[catalog.Basis]string{
		catalog.PerInstanceHour: "an hour", catalog.PerGPUHour: "a GPU and hour", catalog.PerInstanceMonth: "a month",
		catalog.PerInstanceYear: "a year", catalog.PerInstance3Years: "three years",
	}[o.Price.Basis]
	return fmt.Sprintf("%s %s %s", o.Price.Amount.Decimal, o.Price.Currency, unit)
}

// compareHeld orders rows by reason, then as they stand in the document.
func compareHeld(a, b catalog.Held) int {
	return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Row, b.Row), cmp.Compare(a.ID, b.ID))
}
