package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// measuredBy are the pages where the API answers coefficients with a document.
func measuredBy(t *testing.T, document []byte) *apigw.Router {
	t.Helper()
	site, err := NewSite(func(*catalog.Snapshot) []apigw.Route {
		return []apigw.Route{{Method: http.MethodGet, Path: endpoint.CoefficientsPath, Handler: func(context.Context, *apigw.Request) (apigw.Response, error) {
			return apigw.Response{Status: http.StatusOK, Body: string(document)}, nil
		}}}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return apigw.NewRouter(slog.New(slog.DiscardHandler), noon, site.Routes(smallCatalogue(t))...)
}

// Whatever the API says of a coefficient is on its page, in both languages.
func TestMeasuredCoefficients(t *testing.T) {
	document, err := os.ReadFile("../../../schemas/testdata/coefficients.response/valid_two.json")
	if err != nil {
		t.Fatal(err)
	}
	var response schemas.CoefficientsResponse
	if err := json.Unmarshal(document, &response); err != nil {
		t.Fatal(err)
	}
	router := measuredBy(t, document)
	for _, lang := range languages {
		answer := get(t, router, "/coefficients?lang="+string(lang))
		checkPage(t, answer)
		rows := 0
		for _, c := range response.Coefficients {
			_, row, _ := strings.Cut(answer.Body, ">"+c.GPU+"</a>")
			row, _, _ = strings.Cut(row, "</tr>")
			want := []string{"<td role=\"cell\">" + c.Provider, "<b>" + display.Short(c.Value) + "</b>", display.Short(c.Interval[0]) + " – " + display.Short(c.Interval[1]), ">" + display.Short(c.Prior) + "</td>", ">" + c.Tier + " <"}
			if c.Source == "measured" {
				rows++
				want = append(want, fmt.Sprintf(">%d</td>", c.Tenants), fmt.Sprintf(">%d</td>", c.Boxes), fmt.Sprintf(">%d</td>", c.Reports))
			}
			for _, text := range want {
				if !strings.Contains(row, text) {
					t.Errorf("%s: the row of %s has no %q: %s", lang, c.GPU, text, row)
				}
			}
		}
		if rows == 0 {
			t.Error("nothing of the document was measured")
		}
	}
}

// What was measured comes first, and not all that was not is shown.
func TestAssumedCoefficients(t *testing.T) {
	var response schemas.CoefficientsResponse
	for i := range mostAssumed + 3 {
		response.Coefficients = append(response.Coefficients, schemas.Coefficient{GPU: fmt.Sprint("gpu-", i), Source: "prior", Tier: "P", Value: "0.9", Prior: "0.9", Interval: [2]string{"0.8", "1"}})
	}
	last := schemas.Coefficient{GPU: "seen", Source: "measured", Tier: "A", Value: "0.7", Prior: "0.9", Interval: [2]string{"0.6", "0.8"}, Tenants: 3, Frozen: true}
	response.Coefficients = append(response.Coefficients, last)
	response.Checks = []schemas.CheckRate{{GPU: "seen", Provider: "acme", Check: "pcie_link", Boxes: 5, Passed: 3, Tenants: 3}, {GPU: "seen", Provider: "acme", Check: "gpu_model", Boxes: 5, Passed: 5, Tenants: 3}}
	document, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	body := get(t, measuredBy(t, document), "/coefficients?lang=en").Body
	if strings.Count(body, "<tr role=\"row\"><th scope=\"row\"") != mostAssumed+1 || !strings.Contains(body, "3 more were not measured") {
		t.Error("not as many rows are shown as should be")
	}
	if first, other := strings.Index(body, ">seen</a>"), strings.Index(body, ">gpu-0</a>"); first < 0 || first > other {
		t.Error("what was measured does not come first")
	}
	if !strings.Contains(body, "frozen</span>") || !strings.Contains(body, "2 of 5 boxes") || strings.Contains(body, "gpu_model") {
		t.Error("what is frozen or failed is not said, or what passed is")
	}
}
