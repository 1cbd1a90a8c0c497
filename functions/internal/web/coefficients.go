package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// coefficientsPath is where the API answers what was measured.
const coefficientsPath = "/v1/coefficients"

// measured is the page of what was measured: a table of whatever the API says of each
// coefficient.
type measured struct {
	Columns []string
	Rows    [][]string
}

// coefficients is the page of what was measured.
func (x *Site) coefficients(ctx context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(); err != nil {
		return apigw.Response{}, err
	}
	var answer struct {
		Coefficients []map[string]json.RawMessage `json:"coefficients"`
	}
	if err := v.get(ctx, coefficientsPath, v.instant(), &answer); err != nil {
		return apigw.Response{}, err
	}
	columns := make(map[string]bool)
	for _, c := range answer.Coefficients {
		for name := range c {
			columns[name] = true
		}
	}
	shown := measured{Columns: slices.Sorted(maps.Keys(columns))}
	for _, c := range answer.Coefficients {
		var cells []string
		for _, name := range shown.Columns {
			cells = append(cells, strings.Trim(string(c[name]), `"`))
		}
		shown.Rows = append(shown.Rows, cells)
	}
	return x.render(http.StatusOK, "coefficients", v.page(v.say("Measured coefficients"), shown))
}
