package catalogtest

import (
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

func testFeedRuns(t *testing.T, s Store) {
	ctx := t.Context()
	if all, err := s.FeedRuns(ctx); len(all) != 0 || err != nil {
		t.Errorf("runs of nothing are %v, %v", all, err)
	}
	failed := catalog.FeedRun{Name: "vast", AttemptedAt: noon(), Error: "no answer", Failures: 3, DueAt: noon().Add(time.Hour)}
	good := catalog.FeedRun{
		Name: "skypilot/lambda", AttemptedAt: noon(), SucceededAt: noon(), AsOf: day(), Version: "v1", Offers: 7, Changed: 2, Held: 1,
		Documents: map[string]catalog.Validators{"https://host/a.csv?b=c": {ETag: `"1"`, LastModified: "Mon"}},
	}
	must(t, s.PutFeedRun(ctx, failed))
	must(t, s.PutFeedRun(ctx, catalog.FeedRun{Name: good.Name, Error: "before"}))
	must(t, s.PutFeedRun(ctx, good))
	got, err := s.FeedRuns(ctx)
	must(t, err)
	same(t, "runs", []catalog.FeedRun{good, failed}, got)
}

// heldRow is a row in quarantine.
func heldRow(id catalog.HeldID) catalog.Held {
	o := offer(1, 1)
	o.Interruption = nil
	return catalog.Held{ID: id, Row: 12, Reason: catalog.PriceDrop, Column: "Price", Detail: "0.01 for 3.45", Offer: &o, HeldAt: noon()}
}

func testHeld(t *testing.T, s Store) {
	ctx := t.Context()
	fails(t, "release of nothing", s.ReleaseHeld(ctx, "f", "a", noon()), catalog.ErrNotFound)
	unreadable := catalog.Held{ID: "c", Row: 3, Reason: catalog.Unreadable, Noted: true, HeldAt: noon()}
	must(t, s.PutHeld(ctx, "f", []catalog.Held{heldRow("b"), unreadable, heldRow("a")}))
	must(t, s.PutHeld(ctx, "f2", []catalog.Held{heldRow("a")})) // a name that begins like the other
	got, err := s.Held(ctx, "f")
	must(t, err)
	same(t, "held", []catalog.Held{heldRow("a"), heldRow("b"), unreadable}, got)
	must(t, s.ReleaseHeld(ctx, "f", "b", noon().Add(time.Hour)))
	must(t, s.ReleaseHeld(ctx, "f", "b", noon().Add(2*time.Hour)))
	must(t, s.PutHeld(ctx, "f", []catalog.Held{heldRow("b"), heldRow("d")}))
	released := heldRow("b")
	released.ReleasedAt = noon().Add(time.Hour)
	got, err = s.Held(ctx, "f")
	must(t, err)
	same(t, "held later", []catalog.Held{released, heldRow("d")}, got)
	must(t, s.PutHeld(ctx, "f", nil))
	got, err = s.Held(ctx, "f")
	must(t, err)
	same(t, "held last", []catalog.Held{released}, got)
	other, err := s.Held(ctx, "f2")
	must(t, err)
	same(t, "held of the other", []catalog.Held{heldRow("a")}, other)
}
