package endpoint

import (
	"time"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// instant is the instant to answer for: the one asked for in the query parameter
// computed_at, else now, in whole seconds so that what is written can be read back.
func instant(now func() time.Time, asked string) (time.Time, error) {
	if asked == "" {
		return now().UTC().Truncate(time.Second), nil
	}
	return parsed(asked)
}

// parsed reads an instant that is asked for.
func parsed(asked string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, asked)
	if err != nil || at.Year() < 1970 || at.Year() > 9000 {
		return time.Time{}, apigw.InvalidParameter("computed_at",
			"want an instant such as 2026-10-01T12:00:00Z (in a URL write + as %2B); got "+schemas.Quoted(asked))
	}
	return at.UTC(), nil
}

// instantIn is instant for parameters that no schema has tested.
func instantIn(parameters map[string]string, now func() time.Time) (time.Time, error) {
	asked, given := parameters["computed_at"]
	if !given {
		return instant(now, "")
	}
	return parsed(asked)
}
