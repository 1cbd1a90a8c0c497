package revise

import (
	"context"
	"log/slog"
)

// Job is a revision that says in a log what it did.
type Job struct {
	Config
	Log *slog.Logger
}

// Run is Run with one line of the log, and one more for each coefficient that is frozen.
// What woke it does not matter: to run again changes nothing.
func (j Job) Run(ctx context.Context) (Result, error) {
	r, err := Run(ctx, j.Config)
	if err != nil {
		return r, err
	}
	j.Log.InfoContext(ctx, "aggregate", "version", r.Version, "published", r.Published, "coefficients", r.Coefficients, "reports", r.Reports,
		"counted", r.Counted, "frozen", len(r.Alerts))
	for _, a := range r.Alerts {
		j.Log.ErrorContext(ctx, "a coefficient jumped and is frozen: look, then release it", "gpu", a.GPU, "provider", a.Provider, "sku", a.SKU,
			"published", a.Published, "week", a.Week, "month", a.Month)
	}
	return r, nil
}
