package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/schemas"
)

// Where probe agents send what they measured, and make themselves known and forgotten.
const (
	MeasurementsPath = "/v1/measurements"
	EnrollPath       = "/v1/enroll"
	BoxPath          = "/v1/boxes/{id}"
)

// sentAtHeader says when a box sent a request, by its own clock.
const sentAtHeader = "Tierwise-Sent-At"

// Measurements takes what boxes send. It never changes after NewMeasurements.
type Measurements struct {
	service *ingest.Service
	log     *slog.Logger
	stored  func() // told of every report that is kept; nil if nobody listens
}

// NewMeasurements makes the handlers. stored is called after each report that is kept,
// nil if nobody has to know.
func NewMeasurements(s *ingest.Service, log *slog.Logger, stored func()) *Measurements {
	return &Measurements{service: s, log: log, stored: stored}
}

// Routes are the routes of boxes.
func (h *Measurements) Routes() []apigw.Route {
	return []apigw.Route{
		{Method: http.MethodPost, Path: EnrollPath, Handler: h.enroll, Reason: h.reason},
		{Method: http.MethodPost, Path: MeasurementsPath, Handler: h.measurement, Reason: h.reason},
		{Method: http.MethodDelete, Path: BoxPath, Handler: h.forget, Reason: h.reason},
	}
}

// reason gives what is refused a code, and counts it. That it can't be counted is no
// reason to answer anything else.
func (h *Measurements) reason(ctx context.Context, err error) error {
	err = coded(err)
	if errCount := h.service.Refused(ctx, err); errCount != nil {
		h.log.ErrorContext(ctx, "a refusal is not counted", "error", errCount)
	}
	return refused(err)
}

// coded is what transport refuses as the refusal that it is; any other error stays as it
// is.
func coded(err error) error {
	if _, ok := errors.AsType[apigw.TooLargeError](err); ok {
		return &ingest.Refusal{Reason: ingest.TooLarge, Message: err.Error()}
	}
	if _, ok := errors.AsType[apigw.MediaTypeError](err); ok {
		return &ingest.Refusal{Reason: ingest.BadMedia, Message: err.Error()}
	}
	if wrong, ok := errors.AsType[*schemas.ValidationError](err); ok {
		return &ingest.Refusal{Reason: ingest.Invalid, Message: wrong.Error(), Problems: wrong.Problems}
	}
	return err
}

// kinds are the kinds of refusals as transport knows them.
func kinds() map[ingest.Class]apigw.RefusalKind {
	return map[ingest.Class]apigw.RefusalKind{
		ingest.Malformed: apigw.RefusedMalformed, ingest.Huge: apigw.RefusedSize, ingest.Media: apigw.RefusedMedia,
		ingest.Stranger: apigw.RefusedStranger, ingest.Banned: apigw.RefusedBanned, ingest.Contested: apigw.RefusedContested,
		ingest.Implausible: apigw.RefusedImplausible,
	}
}

// refused is a refusal as transport knows it; any other error stays as it is.
func refused(err error) error {
	refusal, ok := errors.AsType[*ingest.Refusal](err)
	if !ok {
		return err
	}
	return &apigw.RefusedError{Kind: kinds()[refusal.Class()], Reason: string(refusal.Reason), Detail: refusal.Message, Problems: refusal.Problems}
}

// measurement takes a report.
func (h *Measurements) measurement(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	receipt, err := h.service.Accept(ctx, ingest.Upload{
		Body: r.Body, ContentType: r.Header.Get("Content-Type"), ContentEncoding: r.Header.Get("Content-Encoding"), SentAt: r.Header.Get(sentAtHeader),
	})
	if err != nil {
		return apigw.Response{}, err
	}
	if h.stored != nil {
		h.stored()
	}
	return apigw.JSON(receipt)
}

// enroll makes a box's key known.
func (h *Measurements) enroll(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	var asked schemas.Enrolment
	if err := r.Decode(schemas.EnrollSchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	receipt, err := h.service.Enroll(ctx, asked)
	if err != nil {
		return apigw.Response{}, err
	}
	return apigw.JSON(receipt)
}
