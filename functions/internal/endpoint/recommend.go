package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/query"
	"github.com/tierwise/tierwise/schemas"
)

// RecommendPath is where plans are asked for: with POST a JSON request, with GET a
// text in the query parameter q. With both the query parameter computed_at, an
// instant in RFC 3339, replays an answer.
const RecommendPath = "/v1/recommend"

// Recommend answers requests for plans from one snapshot of the catalogue. It
// never changes after NewRecommend.
type Recommend struct {
	engine *engine.Engine
	names  query.Names
	now    func() time.Time
}

// NewRecommend makes the handlers. now is the clock that answers are dated with.
func NewRecommend(e *engine.Engine, now func() time.Time) *Recommend {
	return &Recommend{engine: e, names: namesOf(e.Snapshot()), now: now}
}

// Routes are the routes of plans and of estimates.
func (h *Recommend) Routes() []apigw.Route {
	return []apigw.Route{
		{Method: http.MethodPost, Path: RecommendPath, Handler: h.fromJSON},
		{Method: http.MethodGet, Path: RecommendPath, Handler: h.fromText},
		{Method: http.MethodPost, Path: EstimatePath, Handler: h.estimate},
	}
}

// fromJSON answers a JSON request.
func (h *Recommend) fromJSON(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	parameters, err := r.Parameters("computed_at")
	if err != nil {
		return apigw.Response{}, err
	}
	computedAt, err := instantIn(parameters, h.now)
	if err != nil {
		return apigw.Response{}, err
	}
	var asked convert.Asked
	if err := r.Decode(schemas.RecommendRequestSchema, &asked.Request); err != nil {
		return apigw.Response{}, err
	}
	response, err := h.answer(asked, computedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	return apigw.JSON(response)
}

// fromText answers a text.
func (h *Recommend) fromText(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	response, err := h.Plans(r)
	if err != nil {
		return apigw.Response{}, err
	}
	return apigw.JSON(response)
}

// Plans are the plans for the text in the query parameter q. What it can't be made
// into is an *apigw.TextError.
func (h *Recommend) Plans(r *apigw.Request) (schemas.RecommendResponse, error) {
	parameters, err := r.Parameters("q", "computed_at")
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	computedAt, err := instantIn(parameters, h.now)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	asked, err := h.understand(parameters["q"])
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	response, err := h.answer(asked, computedAt)
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		return schemas.RecommendResponse{}, incomplete(asked, invalid)
	}
	return response, err
}

// understand turns a text into a request that the schema allows.
func (h *Recommend) understand(text string) (convert.Asked, error) {
	result, err := query.Parse(text, h.names)
	asked := convert.Asked{Request: result.Request, Interpreted: &result.Request, NotUnderstood: result.NotUnderstood}
	if bad, ok := errors.AsType[*query.Error](err); ok {
		if bad.Problem != query.NoSubject {
			return convert.Asked{}, apigw.InvalidParameter("q", bad.Error())
		}
		return convert.Asked{}, &apigw.TextError{Reason: bad.Error(), Interpreted: result.Request, NotUnderstood: result.NotUnderstood}
	}
	if err != nil {
		return convert.Asked{}, fmt.Errorf("read text: %w", err)
	}
	document, err := json.Marshal(result.Request)
	if err != nil {
		return convert.Asked{}, fmt.Errorf("read text: %w", err)
	}
	err = schemas.Validate(schemas.RecommendRequestSchema, document)
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		return convert.Asked{}, incomplete(asked, invalid)
	}
	return asked, err
}

// incomplete says that a text was understood, but makes no valid request.
func incomplete(asked convert.Asked, invalid *schemas.ValidationError) *apigw.TextError {
	problems := slices.Clone(invalid.Problems)
	for i := range problems {
		if problems[i].Pointer == "/workload/model" {
			problems[i].Message = "the text does not say which model or how large it is: add \"7B\", or a name such as \"llama-3-8b\""
		}
	}
	return &apigw.TextError{
		Reason:      "what was understood of the text makes no valid request",
		Problems:    problems,
		Interpreted: asked.Request, NotUnderstood: asked.NotUnderstood,
	}
}

// answer finds the plans for a request.
func (h *Recommend) answer(asked convert.Asked, computedAt time.Time) (schemas.RecommendResponse, error) {
	request, err := convert.Request(h.engine.Snapshot(), asked.Request, computedAt)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	answer, err := h.engine.Recommend(request)
	if err != nil {
		return schemas.RecommendResponse{}, convert.Blamed(err)
	}
	return convert.Response(h.engine.Snapshot(), answer, asked)
}
