package endpoint

import (
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// Answers are the routes that need a catalogue and nothing else: whatever a page shows
// is what these answer. With a key they always link to pictures.
func Answers(s *catalog.Snapshot, now func() time.Time, charts Charts) []apigw.Route {
	answers := engine.New(s)
	charts.always = charts.keyed
	return slices.Concat(NewRecommend(answers, now).With(charts).Routes(), NewCatalogue(s, now).Routes(),
		NewTCO(answers, now).Routes(), NewForecast(answers, now).With(charts).Routes())
}
