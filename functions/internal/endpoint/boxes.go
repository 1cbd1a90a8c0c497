package endpoint

import (
	"context"
	"errors"
	"net/http"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// longestBox is the longest id of a box.
const longestBox = 64

// forget deletes a box and all that it sent.
func (h *Measurements) forget(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	id := r.Values["id"]
	unknown := apigw.NotFoundError{What: "no box has the id " + schemas.Quoted(id)}
	if len(id) > longestBox {
		return apigw.Response{}, unknown
	}
	err := h.service.Forget(ctx, catalog.BoxID(id), r.Header.Get("Authorization"))
	if errors.Is(err, catalog.ErrNotFound) {
		return apigw.Response{}, unknown
	}
	if err != nil {
		return apigw.Response{}, err
	}
	return apigw.Response{Status: http.StatusNoContent}, nil
}
