package endpoint

import (
	"encoding/json"
	"fmt"

	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/schemas"
)

// PlansFor are the plans for a request, with their pictures if there is a key. A
// request that the schema does not allow is a *schemas.ValidationError.
func (h *Recommend) PlansFor(request schemas.RecommendRequest) (schemas.RecommendResponse, error) {
	document, err := json.Marshal(request)
	if err != nil {
		return schemas.RecommendResponse{}, fmt.Errorf("read request: %w", err)
	}
	var asked convert.Asked
	if err := schemas.Decode(schemas.RecommendRequestSchema, document, &asked.Request); err != nil {
		return schemas.RecommendResponse{}, err
	}
	at, err := instant(h.now, "")
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	response, err := h.answer(asked, at)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	err = h.charts.addToPlans(&response)
	return response, err
}
