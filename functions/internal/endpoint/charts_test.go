package endpoint

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// signing signs pictures with a key of tests.
func signing() Charts {
	charts, err := NewCharts(strings.Repeat("secret", 6))
	if err != nil { // it is long enough
		panic(err)
	}
	return charts
}

// pictured answers a request for pictures, which must be fine, and returns them.
func pictured(t *testing.T, router *apigw.Router, e events.APIGatewayV2HTTPRequest) schemas.Charts {
	t.Helper()
	answer := serve(t, router, e)
	checkDocument(t, e, answer)
	var response struct{ Charts *schemas.Charts }
	if err := json.Unmarshal([]byte(answer.Body), &response); err != nil || response.Charts == nil {
		t.Fatalf("no pictures (%v): %s", err, answer.Body)
	}
	return *response.Charts
}

// look fetches a picture, tests that it is one, and returns it.
func look(t *testing.T, router *apigw.Router, path string) []byte {
	t.Helper()
	answer := serve(t, router, event("GET", path, ""))
	content, err := base64.StdEncoding.DecodeString(answer.Body)
	if err != nil || answer.StatusCode != 200 || answer.Headers["content-type"] != "image/png" || !answer.IsBase64Encoded {
		t.Fatalf("%s: %v, status %d, %s", path, err, answer.StatusCode, answer.Headers["content-type"])
	}
	picture, err := png.Decode(bytes.NewReader(content))
	if err != nil || picture.Bounds().Dx() != 864 {
		t.Fatalf("%s: %v", path, err)
	}
	if !strings.Contains(answer.Headers["cache-control"], "immutable") {
		t.Errorf("%s may not be kept: %v", path, answer.Headers)
	}
	if again := serve(t, router, func() events.APIGatewayV2HTTPRequest {
		e := event("GET", path, "")
		e.Headers["if-none-match"] = answer.Headers["etag"]
		return e
	}()); again.StatusCode != 304 || again.Body != "" {
		t.Errorf("%s: status %d for who holds it", path, again.StatusCode)
	}
	return content
}

// Plans and forecasts have pictures if they are asked for, the same each time, under
// addresses short enough for others, and are the same answers otherwise.
func TestCharts(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	job := `{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b"}}}`
	ahead := `{"start": "2027-01", "months": 60, "budget_per_month": "90000", "workloads": [` + awsNode(`, "instances": 3`) + `]}`
	for name, e := range map[string]events.APIGatewayV2HTTPRequest{
		"plans": event("POST", RecommendPath+"?charts=true", job), "text": event("GET", RecommendPath+"?q=cheapest+7B+fine-tune&charts=true", ""),
		"forecast": event("POST", ForecastPath+"?charts=true", ahead), "as JSON": event("POST", ForecastPath+"?charts=true&format=json", ahead),
	} {
		t.Run(name, func(t *testing.T) {
			first, again := pictured(t, router, e), pictured(t, router, e)
			if first != again {
				t.Errorf("other addresses the second time: %+v, %+v", first, again)
			}
			seen := 0
			for _, path := range []string{first.Plan, first.Frontier, first.Forecast} {
				if path == "" {
					continue
				}
				seen++
				look(t, router, path)
				if len(path) > 2500 {
					t.Errorf("%s has %d characters", path, len(path))
				}
			}
			if want := map[bool]int{true: 1, false: 2}[first.Forecast != ""]; seen != want {
				t.Errorf("%d pictures, want %d", seen, want)
			}
			drawn := serve(t, router, e).Body
			e.RawQueryString = strings.Replace(e.RawQueryString, "charts=true", "charts=false", 1)
			plain := serve(t, router, e).Body
			if cut := strings.LastIndex(drawn, `,"charts":`); cut < 0 || drawn[:cut]+"}\n" != plain {
				t.Error("an answer without pictures is another one")
			}
		})
	}
}

// The longest frontier has an address short enough for others, and shows its ends.
func TestLongFrontier(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	r := schemas.RecommendResponse{Currency: "USD", Plans: []schemas.Plan{{Stages: []schemas.Stage{{Name: "train", Hours: schemas.Hours{Expected: "2"}, Cost: schemas.Cost{Instance: "1"}}}}}}
	rank := 1
	for i := range 5000 {
		p := schemas.FrontierPoint{Total: fmt.Sprintf("%d.%010d", 100+i*i, 7919*i), Hours: fmt.Sprintf("%d.%04d", 5000-i, (i*7919)%10000)}
		if i%1000 == 1 {
			p.Plan = &rank
		}
		r.Frontier = append(r.Frontier, p)
	}
	if err := signing().addToPlans(&r); err != nil {
		t.Fatal(err)
	}
	look(t, router, r.Charts.Frontier)
	if len(r.Charts.Frontier) > 2900 {
		t.Errorf("its address has %d characters", len(r.Charts.Frontier))
	}
	points := frontierPicture(&r).Frontier.Points
	if first, last := points[0], points[len(points)-1]; first.Total != 100 || last.Hours != 1.7081 || !points[1].Marked {
		t.Errorf("from %+v to %+v", first, last)
	}
}

// What was not signed with the key is not drawn, and without a key nothing is.
func TestUnsignedCharts(t *testing.T) {
	s := smallCatalogue(t)
	router := routerOver(s)
	path := pictured(t, router, event("GET", RecommendPath+"?q=8xA100+for+a+week&charts=true", "")).Plan
	for name, wrong := range map[string]string{
		"another ending": strings.TrimSuffix(path, ".png") + ".jpg", "no ending": strings.TrimSuffix(path, ".png"), "cut": path[:len(path)-9] + ".png",
		"nothing": chartsPath + ".png", "changed": strings.Replace(path, path[20:22], "xy", 1), "by path": chartsPath + "..png",
	} {
		t.Run(name, func(t *testing.T) {
			e := event("GET", wrong, "")
			checkProblem(t, e, serve(t, router, e), 404)
		})
	}
	if answer := serve(t, router, event("GET", path+"?size=9", "")); answer.StatusCode != 400 {
		t.Errorf("a parameter that it does not have: status %d", answer.StatusCode)
	}
	stranger, err := NewCharts(strings.Repeat("other", 9))
	if err != nil {
		t.Fatal(err)
	}
	for name, charts := range map[string]Charts{"another key": stranger, "no key": {}} {
		routes := append(charts.Routes(), NewRecommend(engine.New(s), noon).With(charts).Routes()...)
		other := apigw.NewRouter(slog.New(slog.DiscardHandler), noon, routes...)
		e := event("GET", path, "")
		checkProblem(t, e, serve(t, other, e), 404)
		e = event("GET", RecommendPath+"?q=8xA100+for+a+week&charts=true", "")
		if answer := serve(t, other, e); answer.StatusCode != map[bool]int{true: 200, false: 400}[charts.keyed] {
			t.Errorf("%s: status %d", name, answer.StatusCode)
		}
	}
	if _, err := NewCharts("short"); err == nil {
		t.Error("a short secret is taken")
	}
	for _, query := range []string{"?charts=yes", "?charts=true&format=csv", "?charts=", "?charts=true&charts=true"} {
		e := event("POST", ForecastPath+query, `{"workloads": [`+awsNode("")+`]}`)
		checkProblem(t, e, serve(t, router, e), 400)
	}
	e := event("POST", RecommendPath+"?charts=1", `{"rental": {}, "hardware": {"gpu": "A100"}}`)
	checkProblem(t, e, serve(t, router, e), 400)
}

// Where there is no plan there is no picture.
func TestNoPlanNoChart(t *testing.T) {
	e := event("POST", RecommendPath+"?charts=true", `{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b"}}, "constraints": {"budget": "0.000001"}}`)
	answer := serve(t, routerOver(smallCatalogue(t)), e)
	checkDocument(t, e, answer)
	if answer.StatusCode != 200 || strings.Contains(answer.Body, `"charts"`) {
		t.Errorf("got status %d: %s", answer.StatusCode, answer.Body)
	}
}
