package endpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/schemas"
)

// Where portfolios are kept, and their forecasts pulled.
const (
	PortfolioPath         = "/v1/portfolios/{id}"
	PortfolioForecastPath = "/v1/portfolios/{id}/forecast"
)

// Kept is the store as portfolios need it.
type Kept interface {
	apikey.Store
	// PutPortfolio fails with catalog.ErrConflict unless the revision is the one kept.
	PutPortfolio(ctx context.Context, p catalog.Portfolio) (catalog.Portfolio, error)
	// Portfolio fails with catalog.ErrNotFound if there is none.
	Portfolio(ctx context.Context, tenant catalog.TenantID, id catalog.PortfolioID) (catalog.Portfolio, error)
	// DeletePortfolio fails with catalog.ErrConflict if another revision is kept.
	DeletePortfolio(ctx context.Context, p catalog.Portfolio) error
	// Overrides of a tenant that has none are empty.
	Overrides(ctx context.Context, tenant catalog.TenantID) (catalog.Overrides, error)
}

// Portfolios keeps requests for forecasts, each for the owner of an API key, and
// answers them.
type Portfolios struct {
	forecasts *Forecast
	kept      Kept
}

// NewPortfolios makes the handlers.
func NewPortfolios(f *Forecast, kept Kept) *Portfolios { return &Portfolios{f, kept} }

// Routes are the routes of portfolios.
func (h *Portfolios) Routes() []apigw.Route {
	return []apigw.Route{
		{Method: http.MethodPut, Path: PortfolioPath, Handler: h.owned(h.put)},
		{Method: http.MethodGet, Path: PortfolioPath, Handler: h.owned(h.get)},
		{Method: http.MethodDelete, Path: PortfolioPath, Handler: h.owned(h.remove)},
		{Method: http.MethodGet, Path: PortfolioForecastPath, Handler: h.owned(h.pull)},
	}
}

// owner is whose portfolio a request is about.
type owner struct {
	tenant catalog.TenantID
	id     catalog.PortfolioID
}

// owned finds the owner of a request before anything else.
func (h *Portfolios) owned(do func(context.Context, *apigw.Request, owner) (apigw.Response, error)) apigw.Handler {
	return func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
		tenant, err := h.tenant(ctx, r)
		if errors.Is(err, apikey.ErrNone) {
			return apigw.Response{}, apigw.UnauthorizedError{}
		}
		if err != nil {
			return apigw.Response{}, err
		}
		id, err := catalog.ParsePortfolioID(r.Values["id"])
		if err != nil {
			return apigw.Response{}, apigw.NotFoundError{What: "no portfolio can have the name " + schemas.Quoted(r.Values["id"]) +
				": want lower-case letters, digits and inner hyphens, 64 at most"}
		}
		return do(ctx, r, owner{tenant, id})
	}
}

// tenantClaim is the claim of a token that names its tenant.
const tenantClaim = "tenant"

// expiryClaim is the claim of a token until when it is good, in seconds of Unix time.
const expiryClaim = "exp"

// tenant is who asks: whom the token names that the gateway checked, if it checked one,
// else the owner of the API key. It fails with apikey.ErrNone for nobody.
func (h *Portfolios) tenant(ctx context.Context, r *apigw.Request) (catalog.TenantID, error) {
	if r.Claims == nil {
		return apikey.Tenant(ctx, h.kept, asBearer(r.Header.Get("Authorization")))
	}
	tenant, err := catalog.ParseTenantID(r.Claims[tenantClaim])
	if err != nil || expired(r.Claims, h.forecasts.now()) {
		return "", apikey.ErrNone
	}
	return tenant, nil
}

// expired reports whether claims are of a token that was good until now or before. The
// gateway lets none of these through; this holds if it is set up otherwise.
func expired(claims map[string]string, now time.Time) bool {
	text, stated := claims[expiryClaim]
	seconds, err := strconv.ParseFloat(text, 64)
	return stated && (err != nil || !(float64(now.Unix()) < seconds))
}

// asBearer turns a user and a password, which spreadsheets ask for, into the key that
// the password is. Any other header stays as it is.
func asBearer(header string) string {
	scheme, text, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return header
	}
	pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	_, key, ok := strings.Cut(string(pair), ":")
	if err != nil || !ok {
		return header
	}
	return "Bearer " + key
}

// find is what is kept. The error is an apigw.NotFoundError if nothing is.
func (h *Portfolios) find(ctx context.Context, o owner) (catalog.Portfolio, error) {
	p, err := h.kept.Portfolio(ctx, o.tenant, o.id)
	if errors.Is(err, catalog.ErrNotFound) {
		return p, apigw.NotFoundError{What: "no portfolio has the name " + schemas.Quoted(string(o.id))}
	}
	return p, err
}

// tagOf is the tag of a portfolio; "" if nothing is kept.
func tagOf(p catalog.Portfolio) string {
	if p.Revision == 0 {
		return ""
	}
	digest := sha256.Sum256(p.Document)
	return fmt.Sprintf(`"%d-%s"`, p.Revision, hex.EncodeToString(digest[:6]))
}

// put keeps a request that the current catalogue can answer.
func (h *Portfolios) put(ctx context.Context, r *apigw.Request, o owner) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	var asked schemas.ForecastRequest
	if err := r.Decode(schemas.ForecastRequestSchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	now := h.forecasts.now().UTC().Truncate(time.Second)
	if _, err := convert.ForecastRequest(h.forecasts.engine.Snapshot(), asked, now); err != nil {
		return apigw.Response{}, err
	}
	var document bytes.Buffer
	if err := json.Compact(&document, r.Body); err != nil {
		return apigw.Response{}, fmt.Errorf("keep portfolio: %w", err)
	}
	was, err := h.kept.Portfolio(ctx, o.tenant, o.id)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return apigw.Response{}, err
	}
	if !r.Meets(tagOf(was)) {
		return apigw.Response{}, apigw.PreconditionError{}
	}
	kept, err := h.kept.PutPortfolio(ctx, catalog.Portfolio{
		Tenant: o.tenant, ID: o.id, Revision: was.Revision, Document: document.Bytes(), ChangedAt: now,
	})
	if errors.Is(err, catalog.ErrConflict) { // someone else was faster
		return apigw.Response{}, apigw.PreconditionError{}
	}
	if err != nil {
		return apigw.Response{}, err
	}
	answer, err := apigw.JSON(wirePortfolio(kept))
	if err == nil {
		answer.Header["etag"] = tagOf(kept)
	}
	return answer, err
}

// wirePortfolio writes a portfolio.
func wirePortfolio(p catalog.Portfolio) schemas.Portfolio {
	return schemas.Portfolio{ID: string(p.ID), Revision: p.Revision, ChangedAt: p.ChangedAt.Format(time.RFC3339), Forecast: p.Document}
}

// get answers a request that is kept.
func (h *Portfolios) get(ctx context.Context, r *apigw.Request, o owner) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	p, err := h.find(ctx, o)
	if err != nil {
		return apigw.Response{}, err
	}
	return r.JSONTagged(tagOf(p), wirePortfolio(p))
}

// remove forgets a request. To forget what is not kept is no error.
func (h *Portfolios) remove(ctx context.Context, r *apigw.Request, o owner) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	p, err := h.kept.Portfolio(ctx, o.tenant, o.id)
	if errors.Is(err, catalog.ErrNotFound) && r.Header.Get("If-Match") == "" {
		return apigw.Response{Status: http.StatusNoContent}, nil
	}
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return apigw.Response{}, err
	}
	if !r.Meets(tagOf(p)) {
		return apigw.Response{}, apigw.PreconditionError{}
	}
	err = h.kept.DeletePortfolio(ctx, p)
	if errors.Is(err, catalog.ErrConflict) {
		return apigw.Response{}, apigw.PreconditionError{}
	}
	return apigw.Response{Status: http.StatusNoContent}, err
}

// pull answers the forecast of a request that is kept.
func (h *Portfolios) pull(ctx context.Context, r *apigw.Request, o owner) (apigw.Response, error) {
	parameters, err := r.Parameters("format", "focus_version", "from", "months", "charts", "computed_at")
	if err != nil {
		return apigw.Response{}, err
	}
	write, err := h.forecasts.exportOf(ctx, parameters)
	if err != nil {
		return apigw.Response{}, err
	}
	at, err := h.day(parameters)
	if err != nil {
		return apigw.Response{}, err
	}
	p, err := h.find(ctx, o)
	if err != nil {
		return apigw.Response{}, err
	}
	own, err := h.kept.Overrides(ctx, o.tenant)
	if err != nil {
		return apigw.Response{}, err
	}
	tag := h.pulledTag(p, own, parameters, at)
	answer, err := r.Tagged(tag, func() (apigw.Response, error) {
		ahead, err := h.forecast(p, own, parameters, at)
		if err != nil {
			return apigw.Response{}, err
		}
		return write(&ahead)
	})
	if err != nil {
		return apigw.Response{}, err
	}
	answer.Header["cache-control"] = "private, no-cache"
	return attached(r, answer)
}

// day is the instant to answer for: the beginning of today, unless it is stated.
func (h *Portfolios) day(parameters map[string]string) (time.Time, error) {
	at, err := instantIn(parameters, h.forecasts.now)
	if _, stated := parameters["computed_at"]; err != nil || stated {
		return at, err
	}
	return at.Truncate(24 * time.Hour), nil
}

// pulledTag names all that a pulled forecast depends on.
func (h *Portfolios) pulledTag(p catalog.Portfolio, own catalog.Overrides, parameters map[string]string, at time.Time) string {
	digest := sha256.New()
	fmt.Fprintf(digest, "%s %d %s %s\n", tagOf(p), own.Revision, h.forecasts.engine.Snapshot().Version(), at.Format(time.RFC3339))
	for _, name := range []string{"format", "focus_version", "from", "months", "charts"} {
		fmt.Fprintf(digest, "%q\n", parameters[name])
	}
	return `"` + hex.EncodeToString(digest.Sum(nil)[:12]) + `"`
}

// startAt lets a request begin with another month. What begins and grows from its own
// first month stays where it is, and so does what has ended: a month costs the same
// whichever is the first.
func startAt(r *schemas.ForecastRequest, from string) {
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Start == "" {
			w.Start = r.Start
		}
		if w.Start == "" && w.End != "" && w.End < from {
			w.Start = w.End
		}
	}
	for i := range r.Commitments {
		if c := &r.Commitments[i]; c.Start == "" {
			c.Start = r.Start
		}
	}
	r.Start = from
}

// forecast is the forecast of a request that is kept, with the tenant's own prices.
func (h *Portfolios) forecast(p catalog.Portfolio, own catalog.Overrides, parameters map[string]string, at time.Time) (forecast.Forecast, error) {
	var asked schemas.ForecastRequest
	if err := json.Unmarshal(p.Document, &asked); err != nil {
		return forecast.Forecast{}, fmt.Errorf("read portfolio %s of tenant %s: %w", p.ID, p.Tenant, err)
	}
	if from, stated := parameters["from"]; stated {
		if month, err := time.Parse("2006-01", from); err != nil || month.Year() < 1970 || month.Year() > 8999 {
			return forecast.Forecast{}, apigw.InvalidParameter("from", "want a month such as 2027-01; got "+schemas.Quoted(from))
		}
		startAt(&asked, from)
	}
	if text, stated := parameters["months"]; stated {
		months, err := strconv.Atoi(text)
		if err != nil || months < 1 || months > 60 {
			return forecast.Forecast{}, apigw.InvalidParameter("months", "want a whole number from 1 to 60; got "+schemas.Quoted(text))
		}
		asked.Months = &months
	}
	return h.forecasts.ahead(asked, at, own.Rules...)
}
