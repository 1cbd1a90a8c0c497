package endpoint

import (
	"context"
	"net/http"
	"time"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

// TCOPath is where the cost of options is asked for, with POST. The query parameter
// computed_at, an instant in RFC 3339, replays an answer.
const TCOPath = "/v1/tco"

// TCO answers what options cost from one snapshot of the catalogue. It never changes
// after NewTCO.
type TCO struct {
	engine *engine.Engine
	now    func() time.Time
}

// NewTCO makes the handler. now is the clock that answers are dated with.
func NewTCO(e *engine.Engine, now func() time.Time) *TCO { return &TCO{engine: e, now: now} }

// Routes are the route of the cost of options.
func (h *TCO) Routes() []apigw.Route {
	return []apigw.Route{{Method: http.MethodPost, Path: TCOPath, Handler: h.tco}}
}

// tco answers a JSON request.
func (h *TCO) tco(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	parameters, err := r.Parameters("computed_at")
	if err != nil {
		return apigw.Response{}, err
	}
	computedAt, err := instantIn(parameters, h.now)
	if err != nil {
		return apigw.Response{}, err
	}
	var asked schemas.TCORequest
	if err := r.Decode(schemas.TCORequestSchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	request, err := convert.TCORequest(h.engine.Snapshot(), asked, computedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	answer, err := h.engine.TCO(request)
	if err != nil {
		return apigw.Response{}, convert.BlamedBill(err)
	}
	response := convert.TCO(h.engine.Snapshot(), &answer)
	response.Staleness = staleness(ctx)
	return apigw.JSON(response)
}
