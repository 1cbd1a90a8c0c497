package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/functions/internal/revise"
)

// boxes is what the routes of boxes need.
type boxes struct {
	store   store
	replays bool
	stored  func() // told of each report
}

// routes are those of coefficients and, where something is kept, those of boxes.
func (b *boxes) routes(log *slog.Logger, s *catalog.Snapshot, now func() time.Time) []apigw.Route {
	if b == nil {
		return endpoint.NewCoefficients(s, nil, now).Routes()
	}
	service := ingest.New(b.store, s, now, ingest.Options{Replays: b.replays})
	return append(endpoint.NewCoefficients(s, b.store, now).Routes(), endpoint.NewMeasurements(service, log, b.stored).Routes()...)
}

// mostReports is how many reports are taken at a time: they wait for the disk together.
const mostReports = 256

// byPath answers reports apart from all else: what waits for the disk need not wait for
// what computes.
type byPath struct{ others, reports lambdaHandler }

// Serve answers an event.
func (h byPath) Serve(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if event.RawPath == endpoint.MeasurementsPath {
		return h.reports.Serve(ctx, event)
	}
	return h.others.Serve(ctx, event)
}

// When a revision is made: once reports have not come for a while, or have come for
// long, and now and then in any case, since what is old counts less.
const (
	quiet    = 2 * time.Second
	longest  = 30 * time.Second
	nowOften = time.Hour
)

// reviser makes revisions while the server runs.
type reviser struct {
	job   revise.Job
	done  func() // called when another version is current
	woken chan struct{}
}

func newReviser(job revise.Job, done func()) *reviser {
	return &reviser{job: job, done: done, woken: make(chan struct{}, 1)}
}

// wake says that there is a new report.
func (r *reviser) wake() {
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

// run makes revisions until the context ends.
func (r *reviser) run(ctx context.Context) {
	regular := time.NewTicker(nowOften)
	defer regular.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-regular.C:
		case <-r.woken:
			r.settle(ctx)
		}
		result, err := r.job.Run(ctx)
		if err != nil && ctx.Err() == nil {
			r.job.Log.Error("aggregate", "error", err)
		}
		if result.Published {
			r.done()
		}
	}
}

// settle waits until no report has come for a while.
func (r *reviser) settle(ctx context.Context) {
	end := time.NewTimer(longest)
	defer end.Stop()
	for {
		calm := time.NewTimer(quiet)
		select {
		case <-r.woken:
			calm.Stop()
			continue
		case <-calm.C:
		case <-end.C:
		case <-ctx.Done():
		}
		calm.Stop()
		return
	}
}

// enrollCode makes an enrolment code and shows it.
func (p *program) enrollCode(ctx context.Context, args []string) error {
	flags, where := storageFlags("enroll-code")
	words, err := parsed(flags, args, "TENANT")
	if err != nil {
		return err
	}
	tenant, err := catalog.ParseTenantID(words[0])
	if err != nil {
		return usageError{err.Error()}
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	text, code, err := ingest.IssueCode(p.random, tenant, p.now())
	if err != nil {
		return err
	}
	if err := s.PutCode(ctx, code); err != nil {
		return err
	}
	p = p.writing(where.json)
	err = p.print(map[string]any{"code": text, "tenant": tenant, "expires_at": code.ExpiresAt.Truncate(time.Second)}, text+"\n")
	fmt.Fprintf(p.stderr, "Good once, until %s: probe-agent enroll --server URL --code %s\n", code.ExpiresAt.Format(time.TimeOnly), text)
	return err
}

// revokeBox ends a box's key.
func (p *program) revokeBox(ctx context.Context, args []string) error {
	flags, where := storageFlags("revoke-box")
	words, err := parsed(flags, args, "BOX")
	if err != nil {
		return err
	}
	s, err := p.open(ctx, *where)
	if err != nil {
		return err
	}
	if err := s.RevokeBox(ctx, catalog.BoxID(words[0]), p.now()); errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("no box has the id %s: probe-agent shows it when it enrolls", words[0])
	} else if err != nil {
		return err
	}
	p = p.writing(where.json)
	return p.print(map[string]string{"revoked": words[0]}, fmt.Sprintf("Box %s is revoked: nothing more is taken from it.\n", words[0]))
}
