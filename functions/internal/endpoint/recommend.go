package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/query"
	"github.com/tierwise/tierwise/schemas"
)

// RecommendPath is where plans are asked for: with POST a JSON request, with GET a
// text in the query parameter q, answered in the language of the parameter language, or
// else of the text. With both the query parameter computed_at, an instant in RFC 3339,
// replays an answer, and charts=true asks for pictures.
const RecommendPath = "/v1/recommend"

// Recommend answers requests for plans from one snapshot of the catalogue. It
// never changes after NewRecommend.
type Recommend struct {
	engine    *engine.Engine
	names     query.Names
	spellings func() []string // worked out when a text is first not understood
	now       func() time.Time
	charts    Charts
}

// NewRecommend makes the handlers. now is the clock that answers are dated with.
func NewRecommend(e *engine.Engine, now func() time.Time) *Recommend {
	s := e.Snapshot()
	return &Recommend{engine: e, names: namesOf(s), spellings: sync.OnceValue(func() []string { return spellings(s) }), now: now}
}

// With is the same with pictures.
func (h *Recommend) With(charts Charts) *Recommend {
	drawn := *h
	drawn.charts = charts
	return &drawn
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
func (h *Recommend) fromJSON(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	parameters, err := r.Parameters("computed_at", "charts")
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
	response.Staleness = staleness(ctx)
	return h.written(response, parameters)
}

// fromText answers a text.
func (h *Recommend) fromText(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	parameters, err := r.Parameters("q", "language", "computed_at", "charts")
	if err != nil {
		return apigw.Response{}, err
	}
	response, err := h.ofText(parameters)
	if err != nil {
		return apigw.Response{}, err
	}
	response.Staleness = staleness(ctx)
	return h.written(response, parameters)
}

// written is an answer, with pictures if the query asks for them.
func (h *Recommend) written(response schemas.RecommendResponse, parameters map[string]string) (apigw.Response, error) {
	drawn, err := h.charts.asked(parameters)
	if err == nil && drawn {
		err = h.charts.addToPlans(&response)
	}
	if err != nil {
		return apigw.Response{}, err
	}
	return apigw.JSON(response)
}

// Plans are the plans for the text in the query parameter q, with their pictures if
// there is a key. What it can't be made into is an *apigw.TextError.
func (h *Recommend) Plans(r *apigw.Request) (schemas.RecommendResponse, error) {
	parameters, err := r.Parameters("q", "computed_at")
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	response, err := h.ofText(parameters)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	err = h.charts.addToPlans(&response)
	return response, err
}

// ofText are the plans for the text in the query parameter q.
func (h *Recommend) ofText(parameters map[string]string) (schemas.RecommendResponse, error) {
	computedAt, err := instantIn(parameters, h.now)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	language, err := languageIn(parameters)
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	asked, err := h.understand(parameters["q"])
	if err != nil {
		return schemas.RecommendResponse{}, err
	}
	if language != "" {
		asked.Request.Language, asked.Interpreted.Language = language, language
	}
	response, err := h.answer(asked, computedAt)
	if invalid, ok := errors.AsType[*schemas.ValidationError](err); ok {
		return schemas.RecommendResponse{}, incomplete(asked, invalid)
	}
	return response, err
}

// languageIn is the language that the query asks for, "" if it asks for none.
func languageIn(parameters map[string]string) (string, error) {
	switch language, stated := parameters["language"]; {
	case !stated, language == "en", language == "zh":
		return language, nil
	default:
		return "", apigw.InvalidParameter("language", "want en or zh; got "+schemas.Quoted(language))
	}
}

// understand turns a text into a request that the schema allows.
func (h *Recommend) understand(text string) (convert.Asked, error) {
	result, err := query.Parse(text, h.names)
	asked := convert.Asked{Request: result.Request, Interpreted: &result.Request, NotUnderstood: result.NotUnderstood, Suggestions: h.suggestions(result.NotUnderstood)}
	if bad, ok := errors.AsType[*query.Error](err); ok {
		if bad.Problem != query.NoSubject {
			return convert.Asked{}, apigw.InvalidParameter("q", bad.Error())
		}
		return convert.Asked{}, &apigw.TextError{Reason: bad.Error(), Interpreted: result.Request, NotUnderstood: result.NotUnderstood, Suggestions: asked.Suggestions}
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
		if words := missingWords(problems[i].Pointer); words != "" {
			problems[i].Message = words
		}
	}
	return &apigw.TextError{
		Reason:      "what was understood of the text makes no valid request",
		Problems:    problems,
		Interpreted: asked.Request, NotUnderstood: asked.NotUnderstood, Suggestions: asked.Suggestions,
	}
}

// missingWords says which words would give a text what its request lacks.
func missingWords(pointer string) string {
	switch pointer {
	case "/workload/model":
		return "the text does not say which model or how large it is: add \"7B\", or a name such as \"llama-3-8b\""
	case "/workload/batch":
		return "the text does not say how much work it is: add \"100 GPU hours\", and the GPU that they were timed on"
	case "/workload/render":
		return "the text does not say how much work it is: add \"2400 frames at 90 seconds per frame\", and the GPU that they were timed on"
	case "/workload/render/frames":
		return "the text does not say how many frames: add \"2400 frames\""
	case "/workload/render/seconds_per_frame":
		return "the text does not say how long a frame takes: add \"90 seconds per frame\""
	case "/workload/batch/reference_gpu", "/workload/render/reference_gpu":
		return "the text does not name the one GPU that the time was taken on: add \"on an RTX 4090\""
	}
	return ""
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
