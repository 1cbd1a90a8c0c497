package observe

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Namespace is where CloudWatch has the metrics.
const Namespace = "Tierwise"

// metric is a number in a line of the log.
type metric struct {
	Name, Unit string
}

// lines are the messages whose lines are metrics too: the numbers that CloudWatch is to
// read, if a line has them. There are few, and their one dimension is the stack, since
// each combination is paid for by the month; by route, they are in the lines.
func lines() map[string][]metric {
	return map[string][]metric{
		"request":   {{"took_ms", "Milliseconds"}, {"failed", "Count"}, {"overload", "Count"}, {"stale", "Count"}},
		"refresh":   {{"offers", "Count"}, {"failed_feeds", "Count"}, {"quarantined", "Count"}},
		"aggregate": {{"counted", "Count"}, {"frozen", "Count"}},
	}
}

// StackVariable names the variable that names the stack.
const StackVariable = "STACK"

// Log is the log of a function, to standard output as Lambda's settings say: JSON, and
// from which level.
func Log(getenv func(string) string) *slog.Logger {
	return slog.New(Handler(lambdacontext.NewLogHandler(), getenv(StackVariable)))
}

// Handler writes lines to another handler, those of the table with their metrics. Any
// number of goroutines may use it.
func Handler(to slog.Handler, stack string) slog.Handler {
	return &handler{to: to, stack: stack, lines: lines()}
}

// handler is a slog.Handler.
type handler struct {
	to    slog.Handler
	stack string
	lines map[string][]metric
}

// Enabled is what slog.Handler says.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.to.Enabled(ctx, level)
}

// WithAttrs is what slog.Handler says.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{to: h.to.WithAttrs(attrs), stack: h.stack, lines: h.lines}
}

// WithGroup is what slog.Handler says. Lines in a group have no metrics: CloudWatch
// finds them at the top of a line only.
func (h *handler) WithGroup(name string) slog.Handler { return h.to.WithGroup(name) }

// Handle is what slog.Handler says.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	metrics, ok := h.lines[r.Message]
	if !ok {
		return h.to.Handle(ctx, r)
	}
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	var present []metric
	add := func(a slog.Attr) {
		out.AddAttrs(a)
		if i := slices.IndexFunc(metrics, func(m metric) bool { return m.Name == a.Key }); i >= 0 {
			present = append(present, metrics[i])
		}
	}
	for a := range r.Attrs {
		add(inMilliseconds(a))
	}
	for _, a := range counts(r) {
		add(a)
	}
	out.AddAttrs(slog.String("stack", h.stack))
	if len(present) > 0 {
		out.AddAttrs(slog.Any("_aws", embedded{Timestamp: r.Time.UnixMilli(), CloudWatchMetrics: []instructions{
			{Namespace: Namespace, Dimensions: [][]string{{"stack"}}, Metrics: present},
		}}))
	}
	return h.to.Handle(ctx, out)
}

// inMilliseconds is a duration as a number with its unit in its name; anything else as it
// is.
func inMilliseconds(a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_ms", float64(a.Value.Duration().Microseconds())/1000)
}

// counts are what a status counts as, one or nothing.
func counts(r slog.Record) []slog.Attr {
	for a := range r.Attrs {
		if a.Key == "status" && a.Value.Kind() == slog.KindInt64 {
			status := a.Value.Int64()
			overload := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
			return []slog.Attr{slog.Int("failed", one(status >= http.StatusInternalServerError && !overload)), slog.Int("overload", one(overload))}
		}
	}
	return nil
}

// one counts.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// embedded is the member _aws of a line.
type embedded struct {
	Timestamp         int64 // in milliseconds
	CloudWatchMetrics []instructions
}

// instructions say what CloudWatch is to make of a line.
type instructions struct {
	Namespace  string
	Dimensions [][]string
	Metrics    []metric
}
