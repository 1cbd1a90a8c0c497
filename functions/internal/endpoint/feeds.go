package endpoint

import (
	"context"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// Runs is a catalogue that feeds keep fresh.
type Runs interface {
	// FeedRuns are the runs of the feeds by name, as of an instant.
	FeedRuns(ctx context.Context) ([]catalog.FeedRun, time.Time, error)
}

// late is how far a feed may be overdue before it is called late: as long as the
// schedule's step.
const late = time.Hour

// feeds is how the readings of the sources of prices went, for what an event is
// answered from. broken says that they can't be read.
func feeds(ctx context.Context) (all []schemas.FeedHealth, broken bool) {
	s, _ := ctx.Value(servedKey{}).(served)
	from, ok := s.from.(Runs)
	if !ok {
		return nil, false
	}
	runs, at, err := from.FeedRuns(ctx)
	for _, r := range runs {
		all = append(all, feedHealth(r, at))
	}
	return all, err != nil
}

// feedHealth is a run as the health check says it.
func feedHealth(r catalog.FeedRun, at time.Time) schemas.FeedHealth {
	h := schemas.FeedHealth{
		Name: string(r.Name), Status: "ok", AttemptedAt: moment(r.AttemptedAt), SucceededAt: moment(r.SucceededAt), DueAt: moment(r.DueAt),
		Failures: r.Failures, Error: r.Error, Offers: r.Offers, Changed: r.Changed, Held: r.Held,
	}
	if asOf := r.AsOf.String(); asOf != "" {
		h.AsOf = &asOf
	}
	switch {
	case r.Error != "":
		h.Status = "failing"
	case !r.DueAt.IsZero() && at.Sub(r.DueAt) > late:
		h.Status = "late"
	}
	return h
}

// moment is a time as answers give it; nil if there is none.
func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.UTC().Format(time.RFC3339)
	return &text
}
