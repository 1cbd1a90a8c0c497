package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// base is what the next version is built on.
type base struct {
	current  catalog.Version // "" if nothing is published
	baseline catalog.Version
	snapshot *catalog.Snapshot
	rebased  bool // the baseline is another than that of the current version
	fed      bool // there are facts of feeds in it
}

// base is the current catalogue, moved to the baseline of this program if it was
// built on another; the baseline itself if nothing is published.
func (i *Importer) base(ctx context.Context) (base, error) {
	seed, err := i.config.Baseline()
	if err != nil {
		return base{}, fmt.Errorf("load the baseline: %w", err)
	}
	current, err := i.config.Store.Current(ctx)
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return base{baseline: seed.Version(), snapshot: seed, rebased: true}, nil
	case err != nil:
		return base{}, err
	}
	snapshot, err := i.config.Store.Load(ctx, current.Version)
	if err != nil {
		return base{}, err
	}
	b := base{current: current.Version, baseline: seed.Version(), snapshot: snapshot}
	if of := baselineOf(current.Version); of == seed.Version() || of == "" {
		return b, nil
	}
	b.rebased, b.snapshot = true, seed
	if b.fed = strings.Contains(string(current.Version), versionSeparator); b.fed {
		b.snapshot, err = rebased(snapshot, seed)
	}
	return b, err
}

// versionSeparator stands between the version of the baseline and what was built
// on it.
const versionSeparator = "+"

// seedPrefix begins the version of every baseline.
const seedPrefix = "seed-"

// baselineOf is the baseline that a version was built on, "" if it was on none.
func baselineOf(v catalog.Version) catalog.Version {
	if !strings.HasPrefix(string(v), seedPrefix) {
		return ""
	}
	of, _, _ := strings.Cut(string(v), versionSeparator)
	return catalog.Version(of)
}

// rebased is a baseline with all that feeds gave a catalogue: their offers, in place
// of older ones of the same id, and what is known of the past.
func rebased(was, seed *catalog.Snapshot) (*catalog.Snapshot, error) {
	d := newDraft(seed)
	for _, o := range was.Offers() {
		before, had := d.offers[o.ID]
		_, known := seed.Provider(o.Provider)
		_, mapped := seed.GPU(o.GPU)
		if !FromFeed(&o) || !known || had && o.AsOf.Before(before.AsOf) {
			continue
		}
		if o.HasGPU() && !mapped && o.GPU != catalog.UnmappedGPU {
			continue
		}
		d.offers[o.ID] = &o
	}
	parts := was.Parts()
	d.parts.Coefficients, d.parts.Checks = parts.Coefficients, parts.Checks
	d.parts.History = thinned(d.parts.History, parts.History)
	d.parts.FX = newerOf(d.parts.FX, parts.FX, func(r catalog.FXRate) string { return string(r.Currency) + r.Month.String() })
	d.parts.Bands = newerOf(d.parts.Bands, parts.Bands, func(b catalog.SKUBand) string { return b.String() + "\x00" + string(b.SKU) })
	return d.snapshot(seed.Version(), nil)
}

// newerOf are the values of a list with those of another whose keys it lacks.
func newerOf[T any](list, other []T, key func(T) string) []T {
	have := make(map[string]bool)
	for _, v := range list {
		have[key(v)] = true
	}
	return append(slices.Clip(list), slices.DeleteFunc(slices.Clone(other), func(v T) bool { return have[key(v)] })...)
}

// version names the catalogue that was made: the baseline, the date of the newest
// price, and a digest of what it was built on and what changed. Equal versions hold
// equal facts. The baseline alone keeps its own name.
func (d *draft) version(from base) catalog.Version {
	if d.unchanged() && from.snapshot.Version() == from.baseline && !from.fed {
		return from.baseline
	}
	var newest catalog.Date
	for _, o := range d.offers {
		if newest.Before(o.AsOf) {
			newest = o.AsOf
		}
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q\n", from.current, from.baseline)
	lines := slices.Clone(d.facts)
	for _, c := range d.changes {
		lines = append(lines, c.text())
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(digest, line)
	}
	return catalog.Version(fmt.Sprintf("%s%s%s-%s", from.baseline, versionSeparator, cmp.Or(newest.String(), "undated"), hex.EncodeToString(digest.Sum(nil))[:8]))
}
