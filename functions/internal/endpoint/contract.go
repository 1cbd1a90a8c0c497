package endpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// ContractPath is where the description of the API is.
const ContractPath = "/v1/openapi.json"

// Contract is the route of the description of the API (OpenAPI 3.1).
func Contract() apigw.Route {
	return apigw.Route{Method: http.MethodGet, Path: ContractPath, Handler: contract}
}

// contract answers the description of the API on one line.
func contract(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	text, err := schemas.OpenAPI()
	if err != nil {
		return apigw.Response{}, err
	}
	digest := sha256.Sum256(text)
	return r.JSONTagged(`"`+hex.EncodeToString(digest[:8])+`"`, json.RawMessage(text))
}
