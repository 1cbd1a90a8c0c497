package importer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/importer"
)

// fleet are n machines that cost a times their number.
func fleet(n int, a float64) []feed.Row {
	var rows []feed.Row
	for i := range n {
		rows = append(rows, row("r1", fmt.Sprintf("m%d", i), fmt.Sprint(a*float64(i+10))))
	}
	return rows
}

func TestGuards(t *testing.T) {
	for name, tc := range map[string]struct {
		batch  feed.Batch
		guard  importer.Guard // "" if it is taken
		accept bool           // a person can overrule it
	}{
		"as before":              {says(2, fleet(20, 1)...).batch, "", false},
		"half of it":             {says(2, fleet(10, 1)...).batch, "", false},
		"less than half":         {says(2, fleet(9, 1)...).batch, importer.Vanished, true},
		"a part of the source":   {partial(says(2, fleet(3, 1)...).batch), "", false},
		"an empty list":          {says(2).batch, importer.TooFew, false},
		"cents for dollars":      {says(2, fleet(20, 100)...).batch, importer.Moved, true},
		"half as dear":           {says(2, fleet(20, 1.5)...).batch, "", false},
		"most can't be read":     {faulty(says(2, fleet(20, 1)...).batch, 21), importer.Garbled, true},
		"half can't be read":     {faulty(says(2, fleet(20, 1)...).batch, 20), "", false},
		"a day to come":          {says(2, fleet(20, 1)...).batch, importer.Undated, false},
		"an unknown provider":    {says(2, fleet(20, 1)...).batch, importer.UnknownName, false},
		"all prices a hundredth": {says(2, fleet(20, 0.01)...).batch, importer.TooFew, false},
	} {
		t.Run(name, func(t *testing.T) {
			switch name {
			case "a day to come":
				tc.batch.AsOf = catalog.Date{Year: 2026, Month: 12, Day: 2}
			case "an unknown provider":
				tc.batch.Provider = "nobody"
			}
			b := newBench(t)
			b.imports(importer.Options{}, says(1, fleet(20, 1)...))
			before, was := b.current().Version(), b.price("lambda.r1.m3.on_demand")
			r := b.imports(importer.Options{}, stub{name: "test/lambda", batch: tc.batch}).Reports[0]
			if tc.guard == "" {
				if r.Failed() || b.price("lambda.r1.m3.on_demand") == was && name != "a part of the source" && !strings.HasPrefix(name, "half c") && r.Redated == 0 {
					t.Errorf("refused: %+v", r.Refused)
				}
				return
			}
			if len(r.Refused) != 1 || r.Refused[0].Guard != tc.guard || b.current().Version() != before {
				t.Errorf("got %+v, want %s", r.Refused, tc.guard)
			}
			if run := b.run("test/lambda"); run.AsOf != on(1) || run.Failures != 1 || run.Error == "" {
				t.Errorf("the run is %+v", run)
			}
			if !tc.accept {
				return
			}
			r = b.imports(importer.Options{Accept: []importer.Guard{tc.guard}}, stub{name: "test/lambda", batch: tc.batch}).Reports[0]
			if r.Failed() {
				t.Errorf("refused all the same: %+v", r.Refused)
			}
		})
	}
}

// partial is a batch whose source was not read to its end.
func partial(b feed.Batch) feed.Batch {
	b.Partial = true
	return b
}

// faulty is a batch with rows that can't be read.
func faulty(b feed.Batch, n int) feed.Batch {
	for i := range n {
		b.Faults = append(b.Faults, &feed.Fault{Row: i, Got: "?", Want: "a row"})
	}
	b.Read += n
	return b
}

// run is the run of a feed.
func (b bench) run(name catalog.FeedName) catalog.FeedRun {
	b.t.Helper()
	runs, err := b.store.FeedRuns(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range runs {
		if r.Name == name {
			return r
		}
	}
	return catalog.FeedRun{}
}

func TestOneFeedNeverBlocksAnother(t *testing.T) {
	b := newBench(t)
	b.imports(importer.Options{}, says(1, first()...))
	broken := stub{name: "test/broken", err: errors.New("no answer")}
	result := b.imports(importer.Options{}, broken, says(2, first()...), stub{name: "test/same", err: feed.ErrUnchanged})
	if !result.Published || b.price("lambda.r1.x1.on_demand") != "10 2026-11-02" {
		t.Errorf("got %+v", result)
	}
	if run := b.run("test/broken"); run.Error != "no answer" || run.Failures != 1 || !run.SucceededAt.IsZero() || run.AsOf.Known() {
		t.Errorf("the broken feed's run is %+v", run)
	}
	if run := b.run("test/lambda"); run.Error != "" || run.AsOf != on(2) || !run.SucceededAt.Equal(noon()) || run.Version != result.Version || run.Offers != 3 {
		t.Errorf("the good feed's run is %+v", run)
	}
	if run := b.run("test/same"); run.Error != "" || !run.SucceededAt.Equal(noon()) {
		t.Errorf("the unchanged feed's run is %+v", run)
	}
	b.imports(importer.Options{}, stub{name: "test/lambda", err: errors.New("no answer")})
	if run := b.run("test/lambda"); run.AsOf != on(2) || run.Offers != 3 || run.Failures != 1 || b.price("lambda.r1.x1.on_demand") != "10 2026-11-02" {
		t.Errorf("after a failure the run is %+v, the price %s", run, b.price("lambda.r1.x1.on_demand"))
	}
}

func TestTwoProvidersOfOneFeed(t *testing.T) {
	b := newBench(t)
	other := with(row("r1", "x1", "3"), func(r *feed.Row) { r.Provider = "nobody" })
	r := b.imports(importer.Options{}, says(1, append(first(), other)...)).Reports[0]
	if len(r.Refused) != 1 || r.Refused[0].Provider != "nobody" || r.Offers != 3 {
		t.Errorf("got %+v", r)
	}
}
