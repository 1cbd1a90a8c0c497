package engine

import (
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// Notes are what bills rest on and what their readers should know.
type Notes struct {
	assumed  *list
	in       wording.Language
	warnings []Warning
	warned   map[Warning]bool
	now      time.Time
	dates    []catalog.Date
}

// NewNotes starts from given assumptions, as of an instant, in a language.
func NewNotes(assumed []Assumption, now time.Time, in wording.Language) *Notes {
	return &Notes{assumed: newList(assumed, in), in: in, warned: make(map[Warning]bool), now: now}
}

// Dated takes the date of a price into account.
func (n *Notes) Dated(d catalog.Date) { n.dates = append(n.dates, d) }

// Assume adds an assumption.
func (n *Notes) Assume(a Assumption) { n.assumed.add(a) }

// Assumptions are all of them, each once.
func (n *Notes) Assumptions() []Assumption { return n.assumed.items }

// Warnings are all of them, each once.
func (n *Notes) Warnings() []Warning { return n.warnings }

// AsOf is the oldest date; unknown if one is, or if there is none.
func (n *Notes) AsOf() catalog.Date {
	var oldest catalog.Date
	for i, d := range n.dates {
		if i == 0 || d.Before(oldest) {
			oldest = d
		}
	}
	return oldest
}

// warn adds warnings that are not there yet.
func (n *Notes) warn(all ...Warning) {
	for _, w := range all {
		if !n.warned[w] {
			n.warned[w] = true
			n.warnings = append(n.warnings, w)
		}
	}
}

// Bill notes what a bill rests on.
func (n *Notes) Bill(b *Bill) {
	say := n.in.Say
	for i := range b.Resources {
		n.resource(&b.Resources[i])
	}
	for i := range b.Jobs {
		for _, c := range b.Jobs[i].Plan.Choices {
			n.dates = append(n.dates, c.Offer.AsOf)
			n.assumed.offer(c)
		}
		n.warn(b.Jobs[i].Plan.Warnings...)
	}
	for i := range b.Disks {
		if d := &b.Disks[i]; d.Assumed {
			n.Assume(Assumption{d.Name + ".storage", say("%s %s per %s and month", d.Tariff.Price, d.Conversion.From.Currency, d.Tariff.Unit),
				say("no source states the price of block storage; the dearest known")})
		}
	}
	for i := range b.Transfers {
		if t := &b.Transfers[i]; t.Assumed {
			n.Assume(Assumption{t.Name + ".egress", say("the dearest sourced rate"), say("no source states the price of traffic out of %s", t.Provider)})
			n.warn(egressUnknown(n.in, t.Provider))
		}
	}
}

// resource notes what a resource rests on.
func (n *Notes) resource(c *Charged) {
	o, say := c.Quote.Offer, n.in.Say
	n.dates = append(n.dates, o.AsOf)
	choice := candidate.Candidate{Quote: c.Quote, Sizing: &candidate.Sizing{Efficiency: c.Efficiency}, InterruptRate: c.Rate}
	choice.Usage.DiskGB = c.DiskGB
	if c.Asked.Efficiency.Valid {
		choice.Efficiency.Source = "request"
	}
	n.assumed.offer(&choice)
	if c.Rate.Central > 0 && !c.Asked.Lost.Valid {
		n.Assume(Assumption{c.Name + ".lost_work_pct", c.Lost.Shift(2).RoundBank(2).String(),
			say("each interruption costs %d s to start again and half of the hour between two checkpoints", candidate.SetupSeconds)})
		n.warn(Warning{WarnSpot, say("%s: spot instances can be taken away; the interruption rate is assumed", c.Name)})
	}
	if months := o.Market.TermMonths(); months > 0 {
		n.Assume(Assumption{c.Name + ".term", say("%d months", months), say("every hour of the term is paid, and the commitment is renewed at the same price")})
	}
	n.warn(about{n.in, c.Name}.price(&choice, n.now)...)
}
