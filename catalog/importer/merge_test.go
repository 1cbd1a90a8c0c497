package importer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/importer"
)

// other is another feed about the same provider.
func other(day int8, direct bool, rows ...feed.Row) stub {
	s := says(day, rows...)
	s.name, s.batch.Source.Source, s.batch.Direct = "other/lambda", "made up otherwise", direct
	return s
}

func TestNewerWins(t *testing.T) {
	for name, tc := range map[string]struct {
		feeds []importer.Feed
		price string
	}{
		"a newer dearer price":                                    {[]importer.Feed{says(1, row("r1", "x1", "10")), says(2, row("r1", "x1", "12"))}, "12 2026-11-02"},
		"an older cheaper price":                                  {[]importer.Feed{says(2, row("r1", "x1", "12")), says(1, row("r1", "x1", "10"))}, "12 2026-11-02"},
		"another feed's newer price":                              {[]importer.Feed{says(1, row("r1", "x1", "10")), other(2, false, row("r1", "x1", "12"))}, "12 2026-11-02"},
		"another feed's price of the day":                         {[]importer.Feed{says(2, row("r1", "x1", "12")), other(2, false, row("r1", "x1", "10"))}, "12 2026-11-02"},
		"the provider's own price of the day":                     {[]importer.Feed{says(2, row("r1", "x1", "12")), other(2, true, row("r1", "x1", "13"))}, "13 2026-11-02"},
		"the provider's own older price":                          {[]importer.Feed{says(2, row("r1", "x1", "12")), other(1, true, row("r1", "x1", "13"))}, "12 2026-11-02"},
		"a row's own date":                                        {[]importer.Feed{says(2, with(row("r1", "x1", "12"), func(r *feed.Row) { r.AsOf = on(1) }))}, "12 2026-11-01"},
		"a second reading on the same day":                        {[]importer.Feed{says(2, row("r1", "x1", "12")), says(2, row("r1", "x1", "11"))}, "11 2026-11-02"},
		"the same price of a newer day":                           {[]importer.Feed{says(1, row("r1", "x1", "12")), says(3, row("r1", "x1", "12"))}, "12 2026-11-03"},
		"a list that lacks it":                                    {[]importer.Feed{says(1, row("r1", "x1", "12"), row("r1", "x2", "3")), says(3, row("r1", "x2", "3"))}, ""},
		"an older list that lacks it":                             {[]importer.Feed{says(2, row("r1", "x1", "12"), row("r1", "x2", "3")), says(1, row("r1", "x2", "3"))}, "12 2026-11-02"},
		"another feed's list that lacks it":                       {[]importer.Feed{says(1, row("r1", "x1", "12")), other(3, true, row("r1", "x2", "3"))}, "12 2026-11-01"},
		"a list that lacks what another feed gives":               {[]importer.Feed{says(1, row("r1", "x1", "12"), row("r1", "x2", "3")), other(2, false, row("r1", "x1", "12")), says(3, row("r1", "x2", "3"))}, "12 2026-11-02"},
		"a list that lacks it and has a row that nobody can read": {[]importer.Feed{says(1, row("r1", "x1", "12"), row("r1", "x2", "3")), illegible(says(3, row("r1", "x2", "3")))}, "12 2026-11-01"},
		"a list of boxes that lacks it and has such a row":        {[]importer.Feed{says(1, boxes("x1", "x2")...), illegible(says(3, boxes("x2")...))}, "12 2026-11-01"},
		"a list of boxes that lacks more than it has such rows":   {[]importer.Feed{says(1, boxes("x1", "x2", "x3")...), illegible(says(3, boxes("x2")...))}, ""},
		"without a date":                                          {[]importer.Feed{says(2, row("r1", "x1", "12")), undated(says(2, row("r1", "x1", "11")))}, "12 2026-11-02"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			for _, f := range tc.feeds {
				b.imports(importer.Options{}, f)
			}
			if got := b.price("lambda.r1.x1.on_demand"); got != tc.price {
				t.Errorf("got %q, want %q", got, tc.price)
			}
			together := newBench(t)
			together.imports(importer.Options{}, tc.feeds...)
			if got := together.price("lambda.r1.x1.on_demand"); got != tc.price && !strings.HasPrefix(name, "a list") {
				t.Errorf("in one import: got %q, want %q", got, tc.price)
			}
		})
	}
}

// undated is a feed without a date.
func undated(s stub) stub {
	s.batch.AsOf = catalog.Date{}
	return s
}

// illegible is a feed with a row that nobody can read.
func illegible(s stub) stub {
	s.batch.Faults, s.batch.Read = []*feed.Fault{{Row: 9, Column: "Price", Got: "N/A", Want: "a decimal"}}, s.batch.Read+1
	return s
}

// boxes are rows of a marketplace.
func boxes(skus ...string) []feed.Row {
	var rows []feed.Row
	for _, sku := range skus {
		rows = append(rows, with(row("r1", sku, "12"), market))
	}
	return rows
}

func TestSupersedes(t *testing.T) {
	b := newBench(t)
	count := func() (atLarge, l4 int) {
		for _, o := range b.current().Offers() {
			if o.Provider == "lambda" && o.Region == feed.Anywhere && o.GPU == "A10-24GB" {
				atLarge++
			}
			if o.Provider == "lambda" && o.GPU == "V100-16GB" {
				l4++
			}
		}
		return atLarge, l4
	}
	b.imports(importer.Options{}, says(1, gpus(row("us-east-1", "gpu_8x_h100", "24"), "8", "H100", 80)))
	before, others := count()
	r := b.imports(importer.Options{}, other(2, false, gpus(row("us-east-1", "gpu_1x_a10", "0.75"), "1", "A10", 24))).Reports[0]
	after, othersAfter := count()
	if before == 0 || after != 0 || r.Superseded != before || others != othersAfter {
		t.Errorf("%d offers of A10 at large, then %d; %d superseded; of others %d, then %d", before, after, r.Superseded, others, othersAfter)
	}
}

func TestSoldOut(t *testing.T) {
	b := newBench(t)
	capacity := func(day int8, rows ...feed.Row) stub {
		s := says(day, rows...)
		s.batch.OnePrice = true
		for i := range s.batch.Rows {
			if r := &s.batch.Rows[i]; r.Region != feed.Anywhere {
				r.Availability = catalog.Available
			} else {
				r.Availability = catalog.NoneAvailable
			}
		}
		return s
	}
	state := func(id catalog.OfferID) string {
		o, ok := b.current().Offer(id)
		if !ok {
			return ""
		}
		return o.Availability.String() + " " + b.price(id)
	}
	check := func(want ...string) {
		t.Helper()
		got := []string{state("lambda.r1.x1.on_demand"), state("lambda.r2.x1.on_demand"), state("lambda.global.x1.on_demand")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("r1, r2, anywhere (-want +got):\n%s", diff)
		}
	}
	b.imports(importer.Options{}, capacity(1, row("r1", "x1", "2"), row("r2", "x1", "2")))
	check("available 2 2026-11-01", "available 2 2026-11-01", "")
	b.imports(importer.Options{}, capacity(2, row("r2", "x1", "3")))
	check("none 3 2026-11-02", "available 3 2026-11-02", "")
	b.imports(importer.Options{}, capacity(3, row("global", "x1", "3")))
	check("none 3 2026-11-03", "none 3 2026-11-03", "none 3 2026-11-03")
	b.imports(importer.Options{}, capacity(4, row("r1", "x1", "3")))
	check("available 3 2026-11-04", "none 3 2026-11-04", "")
	if again := b.imports(importer.Options{}, capacity(4, row("r1", "x1", "3"))); again.Published {
		t.Errorf("once more: %+v", again.Reports[0])
	}
}

func TestHistory(t *testing.T) {
	b := newBench(t)
	days := []string{"10", "10", "12", "11", "9"}
	for i, price := range days {
		b.imports(importer.Options{}, says(int8(i+1), row("r1", "x1", price), row("r1", "x2", "1")))
	}
	b.imports(importer.Options{}, says(6, row("r1", "x2", "1")))
	var all []string
	for p, err := range b.store.History(t.Context(), "lambda.r1.x1.on_demand") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pointText(p))
	}
	want := []string{"10 of 2026-11-02", "12 of 2026-11-03", "11 of 2026-11-04", "9 of 2026-11-05", "gone on 2026-11-06"}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("the store's history (-want +got):\n%s", diff)
	}
	var carried []string
	for _, p := range b.current().History("lambda.r1.x1.on_demand") {
		carried = append(carried, pointText(p))
	}
	if diff := cmp.Diff([]string{"gone on 2026-11-06"}, carried); diff != "" {
		t.Errorf("the catalogue's history, a point a month (-want +got):\n%s", diff)
	}
}

// pointText is a price point in words.
func pointText(p catalog.PricePoint) string {
	if !p.Price.Known() {
		return "gone on " + p.AsOf.String()
	}
	return p.Price.Amount.Decimal.String() + " of " + p.AsOf.String()
}

func TestNewBaseline(t *testing.T) {
	b := newBench(t)
	b.imports(importer.Options{}, says(1, first()...))
	old := b.current()
	later := importer.New(importer.Config{Store: b.store, Now: noon, Baseline: func() (*catalog.Snapshot, error) {
		parts := old.Parts()
		parts.Version = "seed-2027-01-01-ffffffff"
		parts.Offers = slices.DeleteFunc(slices.Clone(parts.Offers), func(o catalog.Offer) bool { return importer.FromFeed(&o) || o.Provider == "aws" })
		parts.GPUs = append(slices.Clip(parts.GPUs), catalog.GPUModel{ID: "X1-80GB", Family: "X1", MemoryGB: 80})
		return catalog.NewSnapshot(parts)
	}})
	if none, err := later.Import(t.Context(), importer.Options{}); err != nil || none.Published {
		t.Errorf("an import of nothing: %+v, %v", none, err)
	}
	result, err := later.Import(t.Context(), importer.Options{Rebase: true})
	if err != nil || !result.Published || !strings.HasPrefix(string(result.Version), "seed-2027-01-01-ffffffff+") {
		t.Fatalf("got %+v, %v", result, err)
	}
	if _, known := b.current().GPU("X1-80GB"); !known || b.price("lambda.r1.x1.on_demand") != "10 2026-11-01" || len(b.current().Offers()) >= len(old.Offers()) {
		t.Errorf("the new baseline is not there, or the feed's prices are not")
	}
	if again, err := later.Import(t.Context(), importer.Options{Rebase: true}); err != nil || again.Published {
		t.Errorf("once more: %+v, %v", again, err)
	}
}

func TestBaselineAlone(t *testing.T) {
	b := newBench(t)
	baseline, err := small()
	if err != nil {
		t.Fatal(err)
	}
	for _, published := range []bool{true, false} {
		if r := b.imports(importer.Options{Rebase: true}); r.Published != published || published && r.Version != baseline.Version() {
			t.Errorf("got %+v", r)
		}
	}
}

// racing is a store in which another publishes first, a few times.
type racing struct {
	*bolt.Store
	races int
}

func (r *racing) Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error) {
	if r.races > 0 {
		r.races--
		parts := next.Parts()
		parts.Version = catalog.Version(fmt.Sprintf("race-%d", r.races))
		parts.Offers = slices.DeleteFunc(slices.Clone(parts.Offers), func(o catalog.Offer) bool { return importer.FromFeed(&o) })
		winner, err := catalog.NewSnapshot(parts)
		if err != nil {
			return catalog.Publication{}, err
		}
		if _, err := r.Store.Publish(ctx, base, winner); err != nil {
			return catalog.Publication{}, err
		}
	}
	return r.Store.Publish(ctx, base, next)
}

func TestBuildsAnewAfterARace(t *testing.T) {
	b := newBench(t)
	i := importer.New(importer.Config{Store: &racing{b.store, 3}, Baseline: small, Now: noon})
	result, err := i.Import(t.Context(), importer.Options{}, says(1, first()...))
	if err != nil || !result.Published || result.Reports[0].New != 3 || b.price("lambda.r1.x1.on_demand") != "10 2026-11-01" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestConcurrentImports(t *testing.T) {
	b := newBench(t)
	done := make(chan error)
	for n := range 4 {
		go func() {
			s := says(1, row("r1", fmt.Sprintf("x%d", n), "10"))
			s.name, s.batch.Source.Source = catalog.FeedName(fmt.Sprintf("test/%d", n)), fmt.Sprint(n)
			_, err := b.Import(context.Background(), importer.Options{}, s)
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for n := range 4 {
		if got := b.price(catalog.OfferID(fmt.Sprintf("lambda.r1.x%d.on_demand", n))); got != "10 2026-11-01" {
			t.Errorf("x%d costs %q", n, got)
		}
	}
}
