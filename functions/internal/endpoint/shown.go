package endpoint

import (
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// Shown are the routes that pages are made from: Answers, and what was measured. How
// many reports were refused is not among it, which only a store knows.
func Shown(s *catalog.Snapshot, now func() time.Time, charts Charts) []apigw.Route {
	return slices.Concat(Answers(s, now, charts), NewCoefficients(s, nil, now).Routes())
}
