package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/functions/internal/observe"
)

// line is what of a line CloudWatch reads.
type line struct {
	Stack     string   `json:"stack"`
	TookMS    *float64 `json:"took_ms"`
	Took      *int64   `json:"took"`
	Failed    *int     `json:"failed"`
	Overload  *int     `json:"overload"`
	Embedding *struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

// logged is the line that a message with some facts becomes.
func logged(t *testing.T, message string, facts ...slog.Attr) line {
	t.Helper()
	var out bytes.Buffer
	log := slog.New(observe.Handler(slog.NewJSONHandler(&out, nil), "tierwise"))
	log.With("catalog_version", "v1").LogAttrs(context.Background(), slog.LevelInfo, message, facts...)
	var got line
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	return got
}

func TestMetricsOfARequest(t *testing.T) {
	for status, want := range map[int][2]int{200: {0, 0}, 404: {0, 0}, 429: {0, 1}, 500: {1, 0}, 503: {0, 1}} {
		got := logged(t, "request", slog.Int("status", status), slog.Duration("took", 1500*time.Microsecond), slog.Int("stale", 1))
		if got.Stack != "tierwise" || got.TookMS == nil || *got.TookMS != 1.5 || got.Took != nil || [2]int{*got.Failed, *got.Overload} != want {
			t.Errorf("status %d: got %+v, want failed and overload %v", status, got, want)
		}
		of := got.Embedding.CloudWatchMetrics[0]
		names := ""
		for _, m := range of.Metrics {
			names += m.Name + " " + m.Unit + ", "
		}
		if names != "took_ms Milliseconds, stale Count, failed Count, overload Count, " || of.Namespace != "Tierwise" ||
			!cmp.Equal(of.Dimensions, [][]string{{"stack"}}) || time.Since(time.UnixMilli(got.Embedding.Timestamp)).Abs() > time.Minute {
			t.Errorf("got %+v of %+v", of, got.Embedding)
		}
	}
}

func TestMetricsThatALineLacks(t *testing.T) {
	if got := logged(t, "refresh", slog.Int("offers", 1)); len(got.Embedding.CloudWatchMetrics[0].Metrics) != 1 {
		t.Errorf("got %+v, want the one metric that the line has", got.Embedding)
	}
	if got := logged(t, "refresh", slog.String("version", "v2")); got.Embedding != nil {
		t.Errorf("got %+v, want none", got.Embedding)
	}
	if got := logged(t, "anything else", slog.Int("failed", 1)); got.Embedding != nil {
		t.Errorf("got %+v of a line that is in no table", got.Embedding)
	}
}

func TestLevels(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(observe.Handler(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}), "tierwise"))
	log.Info("request", "status", 200)
	log.WithGroup("inner").Info("request", "status", 200)
	if out.Len() > 0 {
		t.Errorf("got %s below the level", &out)
	}
}
