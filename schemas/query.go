package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Parameters are the query parameters that a schema of them has, ordered.
func Parameters(name Name) ([]string, error) {
	known, err := parametersOf(name)
	return slices.Sorted(maps.Keys(known)), err
}

// parametersOf are the parts of a schema that describe its query parameters.
func parametersOf(name Name) (map[string]part, error) {
	x, err := loaded()
	if err != nil {
		return nil, err
	}
	root := x.documents.at(folder + name.file())
	properties, ok := root.keyword("properties").(map[string]any)
	if !ok {
		return nil, fmt.Errorf("read parameters: no schema of parameters %q", name)
	}
	known := make(map[string]part, len(properties))
	for parameter := range properties {
		known[parameter] = root.child("properties", parameter).target()
	}
	return known, nil
}

// DecodeQuery validates query parameters and reads them into v. To the schema they
// are an object: a parameter that it calls a list may be repeated, and texts that
// look like the number or truth value that it wants count as such. The error is a
// *ValidationError if the parameters are to blame; its pointers lead into the
// object.
func DecodeQuery(name Name, values url.Values, v any) error {
	known, err := parametersOf(name)
	if err != nil {
		return err
	}
	object := make(map[string]any, len(values))
	for _, parameter := range slices.Sorted(maps.Keys(values)) {
		value, problem := valueOf(known[parameter], values[parameter])
		if problem != "" {
			return Invalid(pointerTo("", parameter), "%s", problem)
		}
		object[parameter] = value
	}
	if err := validate(name, object); err != nil {
		return err
	}
	document, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	if err := json.Unmarshal(document, v); err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	return nil
}

// wholeNumber is a text that counts as a number: few enough digits for a float64.
var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,15}$`)

// valueOf is the value of a parameter that is given as texts, or what is wrong with
// it.
func valueOf(schema part, texts []string) (value any, problem string) {
	list := make([]any, len(texts))
	for i, text := range texts {
		if !utf8.ValidString(text) {
			return nil, "the query parameter is not valid UTF-8"
		}
		list[i] = text
	}
	declared, _ := schema.value.(map[string]any)
	kind := typeOf(declared)
	switch {
	case kind == "array":
		return list, ""
	case len(texts) != 1:
		return nil, "the query parameter is given twice"
	case kind == "boolean" && (texts[0] == "true" || texts[0] == "false"):
		return texts[0] == "true", ""
	case kind == "integer" && wholeNumber.MatchString(texts[0]):
		number, _ := strconv.ParseFloat(texts[0], 64) // the digits are few
		return number, ""
	default:
		return list[0], ""
	}
}
