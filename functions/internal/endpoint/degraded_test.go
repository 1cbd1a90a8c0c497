package endpoint

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// While the store can't be asked, every kind of answer says since when it is stale; the
// line in the log counts it.
func TestStaleAnswers(t *testing.T) {
	var log strings.Builder
	s := smallCatalogue(t)
	current := NewCurrent(held{s}, slog.New(slog.NewJSONHandler(&log, nil)), func(s *catalog.Snapshot) *apigw.Router {
		return apigw.NewRouter(slog.New(slog.NewJSONHandler(&log, nil)), noon, append(Answers(s, noon, Charts{}), Health(s))...)
	})
	for request, body := range map[string]string{
		"GET " + RecommendPath + "?q=8xH100+for+a+week": "",
		"POST " + RecommendPath:                         `{"rental": {"hours": "168"}, "hardware": {"gpu": "A100"}}`,
		"POST " + EstimatePath:                          `{"workload": {"kind": "finetune", "method": "lora", "model": {"name": "llama-2-7b"}}, "hardware": {"gpu": "A100"}}`,
		"POST " + TCOPath:                               `{"resources": [{"offer": {"gpu": "A100"}}]}`,
		"POST " + ForecastPath:                          `{"months": 1, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`,
		"GET " + HealthPath:                             "",
	} {
		log.Reset()
		method, path, _ := strings.Cut(request, " ")
		answer, err := current.Serve(t.Context(), event(method, path, body))
		var stale schemas.Staleness
		if err == nil {
			err = json.Unmarshal([]byte(answer.Body), &stale)
		}
		if err != nil || answer.StatusCode != 200 || !stale.Stale || stale.StaleSeconds == nil || *stale.StaleSeconds != 3600 {
			t.Errorf("%s: status %d, %v: %.200s", request, answer.StatusCode, err, answer.Body)
		}
		if !strings.Contains(log.String(), `"catalog_version":"`+string(s.Version())+`","stale":1`) {
			t.Errorf("%s: the log has no version, or does not count it as stale: %s", request, &log)
		}
	}
}

// reachable is a catalogue whose store answers.
type reachable struct{ held }

// Latest is the catalogue.
func (r reachable) Latest(context.Context) (mirror.View, error) {
	return mirror.View{Snapshot: r.Snapshot}, nil
}

// Reach succeeds.
func (reachable) Reach(context.Context) error { return nil }

func TestDeepHealth(t *testing.T) {
	s := smallCatalogue(t)
	for name, row := range map[string]struct {
		views         Views
		status        int
		health, store string
	}{
		"a store that answers":  {reachable{held{s}}, 200, "ok", "ok"},
		"a store that does not": {held{s}, 503, "degraded", "unreachable"},
	} {
		current := NewCurrent(row.views, slog.New(slog.DiscardHandler), routerOver)
		answer, err := current.Serve(t.Context(), event("GET", HealthPath+"?deep=true", ""))
		var got schemas.Health
		if err == nil {
			err = json.Unmarshal([]byte(answer.Body), &got)
		}
		if err != nil || answer.StatusCode != row.status || got.Store != row.store || got.Status != row.health {
			t.Errorf("%s: status %d, %v: %s", name, answer.StatusCode, err, answer.Body)
		}
		if (answer.Headers["retry-after"] != "") != (row.status == 503) {
			t.Errorf("%s: got %v, want Retry-After with status 503 only", name, answer.Headers)
		}
		if shallow, _ := current.Serve(t.Context(), event("GET", HealthPath, "")); shallow.StatusCode != 200 {
			t.Errorf("%s: without deep it is status %d", name, shallow.StatusCode)
		}
	}
}
