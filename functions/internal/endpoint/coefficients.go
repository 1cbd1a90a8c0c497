package endpoint

import (
	"context"
	"net/http"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/schemas"
)

// CoefficientsPath is where measured efficiencies are. The query parameter computed_at,
// an instant in RFC 3339, replays an answer.
const CoefficientsPath = "/v1/coefficients"

// Refusals is the store as coefficients need it.
type Refusals interface {
	// Refusals are how many reports were ever refused, by reason.
	Refusals(ctx context.Context) (map[string]int64, error)
}

// Coefficients answers what was measured from one snapshot of the catalogue. It never
// changes after NewCoefficients.
type Coefficients struct {
	wire  *convert.Catalogue
	store Refusals // nil where nothing is kept
	now   func() time.Time
}

// NewCoefficients makes the handler. store is nil where nothing is kept; now is the
// clock that answers are dated with.
func NewCoefficients(s *catalog.Snapshot, store Refusals, now func() time.Time) *Coefficients {
	return &Coefficients{wire: convert.NewCatalogue(s), store: store, now: now}
}

// Routes are the route of coefficients.
func (h *Coefficients) Routes() []apigw.Route {
	return []apigw.Route{{Method: http.MethodGet, Path: CoefficientsPath, Handler: h.coefficients}}
}

// coefficients answers a query.
func (h *Coefficients) coefficients(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	var asked schemas.CoefficientsQuery
	if err := r.DecodeQuery(schemas.CoefficientsQuerySchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	at, err := instant(h.now, asked.ComputedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	var refused map[string]int64
	if h.store != nil {
		refused, _ = h.store.Refusals(ctx) // unknown while the store can't be read: the rest is known
	}
	response, err := h.wire.Coefficients(asked, refused, at)
	if err != nil {
		return apigw.Response{}, r.Blame(err)
	}
	return apigw.JSON(response)
}
