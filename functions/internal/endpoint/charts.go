package endpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/chart"
	"github.com/tierwise/tierwise/schemas"
)

// Where pictures are, before and after the signed text that one is drawn from. The
// gateway takes a name in braces for whole segments only.
const (
	chartsPath   = "/v1/charts/"
	chartsSuffix = ".png"
	ChartPath    = chartsPath + "{picture}"
)

// ChartKeyVariable names the variable of the environment with the secret that pictures
// are signed with.
const ChartKeyVariable = "CHART_KEY"

// Charts signs pictures of answers, and draws them. The zero value has no key: it signs
// and draws none.
type Charts struct {
	key    chart.Key
	keyed  bool
	always bool // answers link to pictures unless the query says otherwise
}

// NewCharts signs with a secret, of 32 bytes or more; "" makes the zero value.
func NewCharts(secret string) (Charts, error) {
	if secret == "" {
		return Charts{}, nil
	}
	key, err := chart.KeyOf(secret)
	return Charts{key: key, keyed: err == nil}, err
}

// Routes are the route of pictures.
func (c Charts) Routes() []apigw.Route {
	return []apigw.Route{{Method: http.MethodGet, Path: ChartPath, Handler: c.draw}}
}

// aYear lets a picture be kept: what a URL shows never changes.
const aYear = "public, max-age=31536000, immutable"

// draw answers a picture. What was not signed here is not found.
func (c Charts) draw(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	text, named := strings.CutSuffix(r.Values["picture"], chartsSuffix)
	if !named || !c.keyed {
		return apigw.Response{}, apigw.NotFoundError{}
	}
	spec, err := chart.Read(text, c.key)
	if errors.Is(err, chart.ErrSignature) {
		return apigw.Response{}, apigw.NotFoundError{What: "no picture has this address: it is cut short, or another key signed it"}
	}
	if err != nil {
		return apigw.Response{}, err
	}
	digest := sha256.Sum256([]byte(text))
	answer, err := r.Tagged(`"`+hex.EncodeToString(digest[:8])+`"`, func() (apigw.Response, error) {
		picture, err := chart.PNG(spec)
		return apigw.Response{Body: string(picture), Header: map[string]string{"content-type": "image/png", "x-content-type-options": "nosniff"}}, err
	})
	if err != nil {
		return apigw.Response{}, err
	}
	answer.Header["cache-control"] = aYear
	return answer, nil
}

// asked reports whether the query parameter charts asks for pictures. The error is a
// *schemas.ValidationError.
func (c Charts) asked(parameters map[string]string) (bool, error) {
	text, stated := parameters["charts"]
	switch {
	case stated && text != "true" && text != "false":
		return false, apigw.InvalidParameter("charts", "want true or false; got "+schemas.Quoted(text))
	case text == "true" && !c.keyed:
		return false, apigw.InvalidParameter("charts", "pictures can't be had here: there is no key to sign them with ("+ChartKeyVariable+")")
	}
	return text == "true" || !stated && c.always, nil
}

// addToPlans adds the pictures of the best plan and of the frontier to an answer.
// Without a key, or plans, there are none.
func (c Charts) addToPlans(r *schemas.RecommendResponse) error {
	if !c.keyed || len(r.Plans) == 0 {
		return nil
	}
	plan, err := c.path(planPicture(&r.Plans[0], r.Currency))
	if err != nil {
		return err
	}
	frontier, err := c.path(frontierPicture(r))
	r.Charts = &schemas.Charts{Plan: plan, Frontier: frontier}
	return err
}

// addToForecast adds the picture of a forecast to it.
func (c Charts) addToForecast(r *schemas.ForecastResponse) error {
	path, err := c.path(forecastPicture(r))
	r.Charts = &schemas.Charts{Forecast: path}
	return err
}

// path is where a picture is.
func (c Charts) path(s chart.Spec) (string, error) {
	text, err := chart.Sign(s, c.key)
	return chartsPath + text + chartsSuffix, err
}

// planPicture is a plan's stages over time and its cost by line.
func planPicture(p *schemas.Plan, currency string) chart.Spec {
	picture := chart.Plan{}
	for i := range p.Stages {
		s := &p.Stages[i]
		c := &s.Cost
		stage := chart.Stage{Name: s.Name, Hours: drawn(s.Hours.Expected)}
		for _, amount := range []string{c.Instance, c.Idle, c.Storage, c.Network, c.Interruption, c.Setup, c.Verification} {
			stage.Lines = append(stage.Lines, drawn(amount))
		}
		picture.Stages = append(picture.Stages, stage)
	}
	return chart.Spec{Title: "The best plan, stage by stage", Currency: currency, Plan: &picture}
}

// mostDrawn is how many points of a frontier are drawn, so that its URL stays within
// the 3,000 characters that others take.
const mostDrawn = 100

// frontierPicture is the cost and time of plans that no other beats. Of many, those
// among the plans, the last, and some evenly between are drawn.
func frontierPicture(r *schemas.RecommendResponse) chart.Spec {
	picture := chart.Frontier{}
	every := (len(r.Frontier) + mostDrawn - 1) / mostDrawn
	for i, p := range r.Frontier {
		if p.Plan != nil || i%every == 0 || i == len(r.Frontier)-1 {
			picture.Points = append(picture.Points, chart.Point{Hours: drawn(p.Hours), Total: drawn(p.Total), Marked: p.Plan != nil})
		}
	}
	return chart.Spec{Title: "Faster for more", Currency: r.Currency, Frontier: &picture}
}

// forecastPicture is the spend of months with its percentiles.
func forecastPicture(r *schemas.ForecastResponse) chart.Spec {
	picture := chart.Forecast{}
	for _, m := range r.Months {
		picture.Months = append(picture.Months, chart.Month{
			Name: m.Month, Expected: drawn(m.Spend.Expected), P10: drawn(m.Spend.P10), P90: drawn(m.Spend.P90),
		})
	}
	if r.Budget != nil && r.Budget.PerMonth != nil {
		budget := drawn(*r.Budget.PerMonth)
		picture.Budget = &budget
	}
	return chart.Spec{Title: fmt.Sprintf("Spend from %s to %s", r.Months[0].Month, r.Months[len(r.Months)-1].Month), Currency: r.Currency, Forecast: &picture}
}

// drawnDigits are the digits of a figure that a picture can show.
const drawnDigits = 5

// drawn is a figure of an answer as a picture shows it. What is no number shows as
// nothing.
func drawn(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', drawnDigits, 64), 64)
	if err != nil {
		return 0
	}
	return short
}
