package endpoint

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/schemas"
)

// ForecastPath is where the spend of months ahead is asked for, with POST. The query
// parameter format says how it is written (json, csv, xlsx, focus), computed_at, an
// instant in RFC 3339, replays an answer, and charts=true asks for a picture.
const ForecastPath = "/v1/forecast"

// Forecast answers with forecasts from one snapshot of the catalogue. It never changes
// after NewForecast.
type Forecast struct {
	engine *engine.Engine
	now    func() time.Time
	charts Charts
}

// NewForecast makes the handler. now is the clock that answers are dated with.
func NewForecast(e *engine.Engine, now func() time.Time) *Forecast {
	return &Forecast{engine: e, now: now}
}

// With is the same with pictures.
func (h *Forecast) With(charts Charts) *Forecast {
	drawn := *h
	drawn.charts = charts
	return &drawn
}

// Routes are the route of forecasts.
func (h *Forecast) Routes() []apigw.Route {
	return []apigw.Route{{Method: http.MethodPost, Path: ForecastPath, Handler: h.forecast}}
}

// forecast answers a JSON request.
func (h *Forecast) forecast(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	parameters, err := r.Parameters("format", "focus_version", "charts", "computed_at")
	if err != nil {
		return apigw.Response{}, err
	}
	computedAt, err := instantIn(parameters, h.now)
	if err != nil {
		return apigw.Response{}, err
	}
	write, err := h.exportOf(ctx, parameters)
	if err != nil {
		return apigw.Response{}, err
	}
	var asked schemas.ForecastRequest
	if err := r.Decode(schemas.ForecastRequestSchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	ahead, err := h.ahead(asked, computedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	answer, err := write(&ahead)
	if err != nil {
		return apigw.Response{}, err
	}
	return attached(r, answer)
}

// ahead is the forecast for a request, at a tenant's own prices. Those that the request
// states come after them, and so before them where both say as much.
func (h *Forecast) ahead(asked schemas.ForecastRequest, computedAt time.Time, own ...catalog.Override) (forecast.Forecast, error) {
	request, err := convert.ForecastRequest(h.engine.Snapshot(), asked, computedAt)
	if err != nil {
		return forecast.Forecast{}, err
	}
	for i := range request.Workloads {
		w := &request.Workloads[i]
		w.Own.Rules = slices.Concat(own, w.Own.Rules)
	}
	ahead, err := forecast.Run(h.engine, request)
	if err != nil {
		return forecast.Forecast{}, convert.BlamedBill(err)
	}
	return ahead, nil
}
