package schemas

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explainer turns the validator's errors into problems in plain words. What was
// wanted is described from the schema itself; where that would read badly the
// schema says it under "x-want".
type explainer struct {
	documents documents
	value     any
	problems  []problem
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
	owner, keyword := x.documents.owner(e.AbsoluteKeywordLocation)
	_, worded := owner.keyword("x-want").(string)
	switch {
	case worded && (keyword == "anyOf" || keyword == "not"):
		x.add(place, "want "+owner.describe(), true)
	case len(e.Causes) > 0:
		for _, cause := range e.Causes {
			x.explain(cause)
		}
	case keyword == "required":
		x.missing(place, owner)
	case keyword == "additionalProperties":
		x.unknown(place, owner)
	default:
		x.add(place, "want "+owner.describe()+"; got "+got(find(x.value, place)), false)
	}
}

// missing adds the required fields that an object lacks.
func (x *explainer) missing(place []string, owner part) {
	object, _ := find(x.value, place).(map[string]any)
	required, _ := owner.keyword("required").([]any)
	for _, r := range required {
		name, _ := r.(string)
		if _, there := object[name]; !there {
			x.add(append(slices.Clone(place), name), "required: want "+owner.child("properties", name).describe(), false)
		}
	}
}

// unknown adds the fields of an object that its schema does not have.
func (x *explainer) unknown(place []string, owner part) {
	object, _ := find(x.value, place).(map[string]any)
	known, _ := owner.keyword("properties").(map[string]any)
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
