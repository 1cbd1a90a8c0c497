package web

import (
	"encoding/json"
	"strings"

	"github.com/tierwise/tierwise/schemas"
)

// relaxation is what to relax to get a plan, and where that is taken; "" if no request
// can say it.
type relaxation struct {
	schemas.Nearest
	Link string
}

// relaxed leads to the plans of a request with one constraint relaxed.
func relaxed(document map[string]any, n schemas.Nearest, p view) (string, error) {
	other, err := asDocument(document)
	if err != nil {
		return "", err
	}
	if !relax(other, n) {
		return "", nil
	}
	query, err := formValues(other)
	if err != nil {
		return "", err
	}
	return p.to("plans", query), nil
}

// relax relaxes a constraint of a request to a value. ok is false if the request can't
// do without it.
func relax(document map[string]any, n schemas.Nearest) (ok bool) {
	pointer := "/" + strings.ReplaceAll(n.Field, ".", "/")
	path := strings.Split(pointer[1:], "/")
	switch n.Field {
	case "hardware":
		delete(document, "hardware")
		return document["rental"] == nil // which is of some hardware
	case "constraints.provider_classes":
		put(document, path, valuesIn(providerClasses()))
	case "constraints.max_rtt_ms":
		drop(document, pointer)
		drop(document, "/constraints/users_region")
	case "constraints.compliance", "constraints.ecc", "constraints.nvlink", "data.sensitive":
		drop(document, pointer)
	case "constraints.countries", "constraints.providers":
		drop(document, "/constraints/exclude_"+path[1])
		put(document, path, listed(n.Value))
	case "constraints.regions", "constraints.gpus", "constraints.purchase_models":
		put(document, path, listed(n.Value))
	case "constraints.max_age_days":
		put(document, path, json.Number(n.Value))
	default:
		put(document, path, n.Value)
	}
	return true
}

// valuesIn are the values of choices.
func valuesIn(choices []choice) []string {
	var values []string
	for _, c := range choices {
		values = append(values, c.Value)
	}
	return values
}
