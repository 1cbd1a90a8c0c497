package endpoint

import (
	"context"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// tag is the ETag of answers that depend on the catalogue alone. It is weak: they
// carry the instant they were computed at.
func (h *Catalogue) tag() string { return `W/"` + string(h.snapshot.Version()) + `"` }

// gpus answers the kinds of GPUs.
func (h *Catalogue) gpus(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	var asked schemas.GPUsQuery
	if err := r.DecodeQuery(schemas.GPUsQuerySchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	at, err := instant(h.now, asked.ComputedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	response, err := h.wire.GPUs(asked, at)
	if err != nil {
		return apigw.Response{}, r.Blame(err)
	}
	return r.JSONTagged(h.tag(), response)
}

// providers answers the providers, or the market by class of providers.
func (h *Catalogue) providers(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	var asked schemas.ProvidersQuery
	if err := r.DecodeQuery(schemas.ProvidersQuerySchema, &asked); err != nil {
		return apigw.Response{}, err
	}
	at, err := instant(h.now, asked.ComputedAt)
	if err != nil {
		return apigw.Response{}, err
	}
	var response schemas.ProvidersResponse
	if asked.Compare == "" {
		response, err = h.wire.Providers(asked, at)
	} else {
		response, err = h.wire.Compare(h.facts(), asked, at)
	}
	if err != nil {
		return apigw.Response{}, r.Blame(err)
	}
	return r.JSONTagged(h.tag(), response)
}
