package record

import (
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// FeedRun is how the imports of a feed went so far.
type FeedRun struct {
	Name        string               `json:"name"`
	AttemptedAt string               `json:"attempted_at,omitempty"`
	SucceededAt string               `json:"succeeded_at,omitempty"`
	DueAt       string               `json:"due_at,omitempty"`
	Error       string               `json:"error,omitempty"`
	Failures    int                  `json:"failures,omitempty"`
	AsOf        string               `json:"as_of,omitempty"`
	Version     string               `json:"version,omitempty"`
	Offers      int                  `json:"offers,omitempty"`
	Changed     int                  `json:"changed,omitempty"`
	Held        int                  `json:"held,omitempty"`
	Documents   map[string]Validator `json:"documents,omitempty"`
}

// Validator is what a server gave with a document.
type Validator struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// FromFeedRun is the stored form of a run.
func FromFeedRun(r catalog.FeedRun) FeedRun {
	out := FeedRun{
		Name: string(r.Name), AttemptedAt: Instant(r.AttemptedAt), SucceededAt: Instant(r.SucceededAt), DueAt: Instant(r.DueAt),
		Error: r.Error, Failures: r.Failures, AsOf: r.AsOf.String(), Version: string(r.Version),
		Offers: r.Offers, Changed: r.Changed, Held: r.Held,
	}
	if len(r.Documents) > 0 {
		out.Documents = make(map[string]Validator, len(r.Documents))
	}
	for name, v := range r.Documents {
		out.Documents[name] = Validator(v)
	}
	return out
}

// Parse is the run.
func (r FeedRun) Parse() (catalog.FeedRun, error) {
	attempted, errAttempted := parseInstant(r.AttemptedAt)
	succeeded, errSucceeded := parseInstant(r.SucceededAt)
	due, errDue := parseInstant(r.DueAt)
	asOf, errAsOf := catalog.ParseDate(r.AsOf)
	if err := errors.Join(errAttempted, errSucceeded, errDue, errAsOf); err != nil {
		return catalog.FeedRun{}, fmt.Errorf("run of feed %s: %w: %w", r.Name, err, catalog.ErrCorrupt)
	}
	out := catalog.FeedRun{
		Name: catalog.FeedName(r.Name), AttemptedAt: attempted, SucceededAt: succeeded, DueAt: due,
		Error: r.Error, Failures: r.Failures, AsOf: asOf, Version: catalog.Version(r.Version),
		Offers: r.Offers, Changed: r.Changed, Held: r.Held,
	}
	if len(r.Documents) > 0 {
		out.Documents = make(map[string]catalog.Validators, len(r.Documents))
	}
	for name, v := range r.Documents {
		out.Documents[name] = catalog.Validators(v)
	}
	return out, nil
}
