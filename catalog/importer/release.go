package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Release takes rows out of quarantine for good: their offers are published, unless
// newer prices are known meanwhile, and rows that say just the same are taken by
// later imports. It fails with catalog.ErrNotFound if the feed has no such row.
func (i *Importer) Release(ctx context.Context, of catalog.FeedName, ids ...catalog.HeldID) (Result, error) {
	rows, err := i.config.Store.Held(ctx, of)
	if err != nil {
		return Result{}, fmt.Errorf("release: %w", err)
	}
	report := Report{Feed: of}
	for _, id := range ids {
		at := slices.IndexFunc(rows, func(h catalog.Held) bool { return h.ID == id })
		if at < 0 {
			return Result{}, fmt.Errorf("release row %s of %s: %w", id, of, catalog.ErrNotFound)
		}
		report.Held = append(report.Held, rows[at])
	}
	for _, id := range ids {
		if err := i.config.Store.ReleaseHeld(ctx, of, id, i.config.Now()); err != nil {
			return Result{}, err
		}
	}
	return i.take(ctx, report)
}

// take publishes the offers of held rows.
func (i *Importer) take(ctx context.Context, report Report) (Result, error) {
	from, err := i.base(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("release: %w", err)
	}
	result := Result{Version: from.current, Offers: len(from.snapshot.Offers())}
	err = i.onCurrent(ctx, from, func(from base) error {
		d, done := newDraft(from.snapshot), report
		a := applier{draft: d, batch: &feed.Batch{}, report: &done}
		for _, h := range report.Held {
			if h.Offer != nil && !h.Noted {
				o := released(d, h)
				a.take(&o)
				done.Offers++
			}
		}
		result.Reports = []Report{done}
		if d.unchanged() {
			return nil
		}
		p, err := i.publish(ctx, from, d)
		result.Version, result.Offers, result.Published = p.Version, p.Offers, err == nil
		return err
	})
	if err != nil {
		return result, fmt.Errorf("release: %w", err)
	}
	return result, nil
}

// released is the offer of a held row, marked as an import would mark it.
func released(d *draft, h catalog.Held) catalog.Offer {
	c := candidate{Offer: *h.Offer}
	if !c.Price.Known() {
		c.flag(flagPriceUnknown)
	}
	if c.Market == catalog.Spot {
		c.Interruption = d.bands[bandAt{c.Place, c.SKU}]
	}
	return c.Offer
}
