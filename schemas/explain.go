package schemas

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explainer turns the validator's errors into problems in plain words. What was
// wanted is described from the schema itself; where that would read badly the
// schema says it under "x-want".
type explainer struct {
	schema, value any
	problems      []problem
}

// problem is a problem, and whether it is about a combination of fields, which
// says nothing new beside a problem with one of them.
type problem struct {
	Problem
	combined bool
}

// explain adds the problems of an error and of what caused it.
func (x *explainer) explain(e *jsonschema.ValidationError) {
	place := segments(e.InstanceLocation)
	_, location, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	path := segments(location)
	if len(path) == 0 {
		path = []string{""}
	}
	owner, _ := find(x.schema, path[:len(path)-1]).(map[string]any)
	keyword := path[len(path)-1]
	_, worded := owner["x-want"].(string)
	switch {
	case worded && (keyword == "anyOf" || keyword == "not"):
		x.add(place, "want "+x.describe(owner), true)
	case len(e.Causes) > 0:
		for _, cause := range e.Causes {
			x.explain(cause)
		}
	case keyword == "required":
		x.missing(place, owner)
	case keyword == "additionalProperties":
		x.unknown(place, owner)
	default:
		x.add(place, "want "+x.describe(owner)+"; got "+got(find(x.value, place)), false)
	}
}

// missing adds the required fields that an object lacks.
func (x *explainer) missing(place []string, owner map[string]any) {
	object, _ := find(x.value, place).(map[string]any)
	required, _ := owner["required"].([]any)
	for _, r := range required {
		name, _ := r.(string)
		if _, there := object[name]; !there {
			child := find(owner, []string{"properties", name})
			x.add(append(slices.Clone(place), name), "required: want "+x.describe(child), false)
		}
	}
}

// unknown adds the fields of an object that its schema does not have.
func (x *explainer) unknown(place []string, owner map[string]any) {
	object, _ := find(x.value, place).(map[string]any)
	known, _ := owner["properties"].(map[string]any)
	for name := range object {
		if _, ok := known[name]; !ok {
			x.add(append(slices.Clone(place), name),
				"unknown field "+Quoted(name)+"; the fields here are "+listed(slices.Sorted(maps.Keys(known))), false)
		}
	}
}

// add adds a problem.
func (x *explainer) add(place []string, message string, combined bool) {
	pointer := ""
	for _, name := range place {
		pointer = pointerTo(pointer, name)
	}
	x.problems = append(x.problems, problem{Problem{Pointer: pointer, Message: message}, combined})
}

// ordered are the problems by pointer, one for each place. The validator reports
// fields in no certain order.
func (x *explainer) ordered() []Problem {
	slices.SortFunc(x.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	var kept []Problem
	for _, p := range x.problems {
		below := func(q problem) bool { return strings.HasPrefix(q.Pointer, p.Pointer+"/") }
		if p.combined && slices.ContainsFunc(x.problems, below) {
			continue
		}
		if len(kept) == 0 || kept[len(kept)-1].Pointer != p.Pointer {
			kept = append(kept, p.Problem)
		}
	}
	return kept[:min(len(kept), maxProblems)]
}

// describe says in words what a schema accepts.
func (x *explainer) describe(schema any) string {
	s, _ := schema.(map[string]any)
	if want, ok := s["x-want"].(string); ok {
		return want
	}
	if target, ok := s["$ref"].(string); ok {
		return x.describe(find(x.schema, segments(strings.TrimPrefix(target, "#"))))
	}
	if names, ok := s["enum"].([]any); ok {
		return "one of " + choices(names)
	}
	if constant, ok := s["const"]; ok {
		return got(constant)
	}
	switch typeOf(s) {
	case "integer":
		return "a whole number" + interval(s)
	case "boolean":
		return "true or false"
	case "string":
		return "a text" + length(s)
	case "array":
		return x.list(s)
	case "object":
		fields, _ := s["properties"].(map[string]any)
		return "an object with fields such as " + listed(slices.Sorted(maps.Keys(fields)))
	default:
		return "a value that the schema accepts"
	}
}

// list describes an array.
func (x *explainer) list(s map[string]any) string {
	text := "a list"
	if most, ok := s["maxItems"].(float64); ok {
		text += " of at most " + number(most)
	}
	text += ", each " + x.describe(s["items"])
	if s["uniqueItems"] == true {
		text += ", none twice"
	}
	return text
}

// typeOf is the first type but null that a schema accepts.
func typeOf(s map[string]any) string {
	if name, ok := s["type"].(string); ok {
		return name
	}
	names, _ := s["type"].([]any)
	for _, n := range names {
		if name, ok := n.(string); ok && name != "null" {
			return name
		}
	}
	return ""
}

// interval describes the bounds of a number.
func interval(s map[string]any) string {
	low, bounded := s["minimum"].(float64)
	high, capped := s["maximum"].(float64)
	switch {
	case bounded && capped:
		return " from " + number(low) + " to " + number(high)
	case bounded:
		return " of at least " + number(low)
	default:
		return ""
	}
}

// length describes the bounds of a text.
func length(s map[string]any) string {
	text := ""
	if least, ok := s["minLength"].(float64); ok && least > 0 {
		text = " that is not empty"
	}
	if most, ok := s["maxLength"].(float64); ok {
		text += " of at most " + number(most) + " characters"
	}
	return text
}

// choices lists accepted values, less those that mean "unset".
func choices(values []any) string {
	var texts []string
	for _, v := range values {
		if v != nil && v != "" {
			texts = append(texts, got(v))
		}
	}
	return listed(texts)
}

// got is a value as messages repeat it: in short.
func got(value any) string {
	switch v := value.(type) {
	case string:
		return Quoted(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list of " + strconv.Itoa(len(v))
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return "something else"
		}
		return string(text)
	}
}

// listed joins names with commas.
func listed(names []string) string { return strings.Join(names, ", ") }

// number writes a whole number.
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// find is the part of a document at a path; nil if there is none.
func find(document any, path []string) any {
	for _, name := range path {
		switch d := document.(type) {
		case map[string]any:
			document = d[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(d) {
				return nil
			}
			document = d[i]
		default:
			return nil
		}
	}
	return document
}

// segments cuts a pointer as the validator writes it, escaped twice.
func segments(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, name := range names {
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}
