package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// openAPI is what a page shows of a description in OpenAPI 3.1.
type openAPI struct {
	Info struct{ Title, Summary, Description string }
	Tags []struct{ Name string }
	// Paths are the operations by path and method.
	Paths      map[string]map[string]operation
	Components struct {
		Parameters map[string]parameter
		Answers    map[string]response `json:"responses"`
		Schemas    map[string]*schema
	}
}

// operation is an operation of a path.
type operation struct {
	ID                   string `json:"operationId"`
	Summary, Description string
	Tags                 []string
	Parameters           []parameter
	Body                 *response           `json:"requestBody"`
	Answers              map[string]response `json:"responses"` // by status
}

// parameter is a parameter, or a reference to one.
type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                *schema
	Example               json.RawMessage
	Examples              map[string]example
}

// example is one value of several.
type example struct{ Value json.RawMessage }

// response is a body, of a request or an answer, or a reference to one.
type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]media
}

// media is a body in one form.
type media struct {
	Schema   *schema
	Examples map[string]example
}

// schema is what a page shows of a JSON Schema.
type schema struct {
	Ref              string `json:"$ref"`
	Description      string
	Want             string `json:"x-want"` // what is expected, in words
	Type             names
	Enum             []json.RawMessage
	Const            json.RawMessage
	Minimum, Maximum *json.Number
	AnyOf            []*schema
	Items            *schema
	Properties       map[string]*schema
	Required         []string
	Others           others `json:"additionalProperties"`
}

// names are one name or several.
type names []string

// UnmarshalJSON reads a text or a list of texts.
func (n *names) UnmarshalJSON(document []byte) error {
	var one string
	if json.Unmarshal(document, &one) == nil {
		*n = names{one}
		return nil
	}
	var several []string
	err := json.Unmarshal(document, &several)
	*n = several
	return err
}

// others is the schema of fields of any name; nil if there are none such.
type others struct{ *schema }

// UnmarshalJSON reads a schema; true and false say nothing that a page shows.
func (o *others) UnmarshalJSON(document []byte) error {
	if document[0] != '{' {
		return nil
	}
	o.schema = new(schema)
	return json.Unmarshal(document, o.schema)
}

// piece is a piece of a text, with where it leads to on the page, if anywhere.
type piece struct{ Text, Target string }

// target is the name that a reference ends in.
func target(reference string) string { return reference[strings.LastIndex(reference, "/")+1:] }

// anchor is where a document is on the page.
func anchor(name string) string { return "document-" + name }

// pieces say what a value may be.
func (d *openAPI) pieces(s *schema) []piece {
	switch s = d.plain(s); {
	case s.Ref != "":
		return []piece{{target(s.Ref), anchor(target(s.Ref))}}
	case s.Const != nil:
		return []piece{{Text: string(s.Const)}}
	case len(s.Enum) > 0:
		var values []string
		for _, value := range s.Enum {
			values = append(values, string(value))
		}
		return []piece{{Text: strings.Join(values, ", ")}}
	case len(s.Type) == 0 && len(s.AnyOf) > 0:
		var all []piece
		for i, either := range s.AnyOf {
			if i > 0 {
				all = append(all, piece{Text: " or "})
			}
			all = append(all, d.pieces(either)...)
		}
		return all
	default:
		return d.typed(s)
	}
}

// any reports whether a schema says nothing of a value.
func (s *schema) any() bool {
	return s.Ref == "" && s.Const == nil && len(s.Type)+len(s.Enum)+len(s.AnyOf) == 0
}

// typed says what a value of the types may be.
func (d *openAPI) typed(s *schema) []piece {
	var all []piece
	for i, name := range s.Type {
		if i > 0 {
			all = append(all, piece{Text: " or "})
		}
		switch {
		case name == "array" && s.Items != nil:
			all = append(append(all, piece{Text: "list of "}), d.pieces(s.Items)...)
		case name == "object" && s.Others.schema != nil:
			all = append(append(all, piece{Text: "object of "}), d.pieces(s.Others.schema)...)
		case name == "integer" || name == "number":
			all = append(all, piece{Text: name + s.bounds()})
		default:
			all = append(all, piece{Text: name})
		}
	}
	switch {
	case len(all) > 0:
		return all
	case len(s.Required) > 0:
		return []piece{{Text: "with " + strings.Join(s.Required, " and ")}}
	default:
		return []piece{{Text: "any value"}}
	}
}

// bounds are the limits of a number.
func (s *schema) bounds() string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(", %s to %s", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf(", at least %s", *s.Minimum)
	case s.Maximum != nil:
		return fmt.Sprintf(", at most %s", *s.Maximum)
	default:
		return ""
	}
}

// meaning is what a schema says in words.
func (s *schema) meaning() string {
	if s.Want == "" {
		return s.Description
	}
	return strings.TrimSpace(s.Description + " Want " + s.Want + ".")
}

// plain is a schema, or the field of a document that it refers to: only documents
// have a place on the page.
func (d *openAPI) plain(s *schema) *schema {
	if s == nil {
		return &schema{}
	}
	document, name, ok := strings.Cut(strings.TrimPrefix(s.Ref, "#/components/schemas/"), "/properties/")
	if !ok || d.Components.Schemas[document] == nil || d.Components.Schemas[document].Properties[name] == nil {
		return s
	}
	return d.Components.Schemas[document].Properties[name]
}

// examples are the examples of a parameter, as it is sent.
func (p parameter) examples() []string {
	values := []json.RawMessage{p.Example}
	for _, name := range slices.Sorted(maps.Keys(p.Examples)) {
		values = append(values, p.Examples[name].Value)
	}
	var all []string
	for _, value := range values {
		var list []any
		var one any
		switch {
		case value == nil:
		case json.Unmarshal(value, &list) == nil:
			all = append(all, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ","), "[]"))
		case json.Unmarshal(value, &one) == nil:
			all = append(all, fmt.Sprint(one))
		}
	}
	return all
}
