package endpoint

import (
	"context"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/schemas"
)

// EstimatePath is where a job on named hardware is estimated, with POST. The query
// parameter computed_at, an instant in RFC 3339, replays an answer.
const EstimatePath = "/v1/estimate"

// estimate answers a JSON request for an estimate.
func (h *Recommend) estimate(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	parameters, err := r.Parameters("computed_at")
	if err != nil {
		return apigw.Response{}, err
	}
	computedAt, err := instantIn(parameters, h.now)
	if err != nil {
		return apigw.Response{}, err
	}
	var asked schemas.EstimateRequest
	if err := r.Decode(schemas.EstimateRequestSchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	request, err := convert.EstimateRequest(h.engine.Snapshot(), asked, computedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	answer, err := h.engine.Estimate(request)
	if err != nil {
		return apigw.Response{}, convert.BlamedEstimate(err, asked.Workload.Kind)
	}
	response := convert.Estimate(h.engine.Snapshot(), &answer)
	response.Staleness = staleness(ctx)
	return apigw.JSON(response)
}
