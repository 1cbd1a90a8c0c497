package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// unpublished is a store in which nothing is published.
type unpublished struct{}

func (unpublished) Current(context.Context) (catalog.Publication, error) {
	return catalog.Publication{}, catalog.ErrNotFound
}

func (unpublished) Load(context.Context, catalog.Version) (*catalog.Snapshot, error) {
	return nil, catalog.ErrNotFound
}

func TestFeedsInHealth(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	asked, now := 0, at
	var broken error
	source := mirror.New(mirror.Config{
		Source: unpublished{}, Now: func() time.Time { return now },
		Baseline: func() (*catalog.Snapshot, error) { return catalogtest.Snapshot(t, "v1", 1), nil },
		Runs: func(context.Context) ([]catalog.FeedRun, error) {
			asked++
			return []catalog.FeedRun{
				{Name: "azure", AttemptedAt: at, SucceededAt: at.Add(-48 * time.Hour), AsOf: catalog.Date{Year: 2026, Month: 11, Day: 28}, Failures: 2, Error: "status 503", DueAt: at.Add(time.Hour)},
				{Name: "ecb", AttemptedAt: at, SucceededAt: at, AsOf: catalog.Date{Year: 2026, Month: 11, Day: 30}, DueAt: at.Add(time.Hour), Offers: 31},
				{Name: "vast", AttemptedAt: at.Add(-9 * time.Hour), SucceededAt: at.Add(-9 * time.Hour), DueAt: at.Add(-8 * time.Hour)},
				{Name: "skypilot/lambda", AttemptedAt: at, SucceededAt: at},
			}, broken
		},
	})
	current := endpoint.NewCurrent(source, slog.New(slog.DiscardHandler), func(s *catalog.Snapshot) *apigw.Router {
		return apigw.NewRouter(slog.New(slog.DiscardHandler), time.Now, endpoint.Health(s))
	})
	ask := func() (schemas.Health, string) {
		t.Helper()
		event := events.APIGatewayV2HTTPRequest{RawPath: endpoint.HealthPath}
		event.RequestContext.HTTP.Method = http.MethodGet
		answer, err := current.Serve(t.Context(), event)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("status %d, %v: %s", answer.StatusCode, err, answer.Body)
		}
		if err := schemas.Validate(schemas.HealthSchema, []byte(answer.Body)); err != nil {
			t.Error(err)
		}
		var h schemas.Health
		if err := json.Unmarshal([]byte(answer.Body), &h); err != nil {
			t.Fatal(err)
		}
		return h, answer.Body
	}
	h, body := ask()
	var got []string
	for _, f := range h.Feeds {
		got = append(got, f.Name+" "+f.Status)
	}
	if want := "azure failing, ecb ok, vast late, skypilot/lambda ok"; strings.Join(got, ", ") != want || h.FeedsError {
		t.Errorf("feeds are %q, want %q", got, want)
	}
	if f := h.Feeds[0]; *f.AsOf != "2026-11-28" || *f.SucceededAt != "2026-11-28T12:00:00Z" || f.Error != "status 503" || h.Feeds[3].DueAt != nil {
		t.Errorf("a feed is %s", body)
	}
	ask()
	if asked != 1 {
		t.Errorf("the store was asked %d times within a minute", asked)
	}
	now, broken = at.Add(2*time.Minute), errors.New("no such table")
	if h, body := ask(); !h.FeedsError || strings.Contains(body, "no such table") {
		t.Errorf("a store that fails: %s", body)
	}
}
