package apigw

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/schemas"
)

// longestName is the longest name of a parameter that an error repeats as one.
const longestName = 100

// mostProblems is how many parameters one error is about at most.
const mostProblems = 20

// Parameters are the query parameters, each of which may be given once and must
// be one of the known. The error is a *schemas.ValidationError.
func (r *Request) Parameters(known ...string) (map[string]string, error) {
	if err := r.unknownParameters(known); err != nil {
		return nil, err
	}
	given := make(map[string]string, len(r.Query))
	for _, name := range slices.Sorted(maps.Keys(r.Query)) {
		if len(r.Query[name]) > 1 {
			return nil, InvalidParameter(name, "the query parameter is given twice")
		}
		given[name] = r.Query[name][0]
	}
	return given, nil
}

// DecodeQuery reads the query parameters that a schema describes into v. The error
// is a *schemas.ValidationError.
func (r *Request) DecodeQuery(name schemas.Name, v any) error {
	known, err := schemas.Parameters(name)
	if err != nil {
		return err
	}
	if err := r.unknownParameters(known); err != nil {
		return err
	}
	return r.Blame(schemas.DecodeQuery(name, r.Query, v))
}

// Blame leads the pointers of a *schemas.ValidationError, which lead into the
// object that schemas.DecodeQuery makes of the query, into the query: "/gpu/0"
// becomes "/query/gpu" where the parameter is given once. Any other error stays as
// it is.
func (r *Request) Blame(err error) error {
	invalid, ok := errors.AsType[*schemas.ValidationError](err)
	if !ok {
		return err
	}
	blamed := &schemas.ValidationError{Problems: slices.Clone(invalid.Problems)}
	for i := range blamed.Problems {
		p := &blamed.Problems[i]
		name, position, _ := strings.Cut(strings.TrimPrefix(p.Pointer, "/"), "/")
		p.Parameter, p.Pointer = name, "/query/"+name
		if position != "" && len(r.Query[name]) > 1 {
			p.Pointer += "/" + position
		}
	}
	return blamed
}

// unknownParameters is the error of query parameters that are none of the known.
func (r *Request) unknownParameters(known []string) error {
	invalid := &schemas.ValidationError{}
	for _, name := range slices.Sorted(maps.Keys(r.Query)) {
		if slices.Contains(known, name) || len(invalid.Problems) == mostProblems {
			continue
		}
		invalid.Problems = append(invalid.Problems, unknownParameter(name, known))
	}
	if len(invalid.Problems) == 0 {
		return nil
	}
	return invalid
}

// unknownParameter is the problem with a parameter that is none of the known.
func unknownParameter(name string, known []string) schemas.Problem {
	p := schemas.Problem{Message: "unknown query parameter " + schemas.Quoted(name)}
	if len(name) <= longestName {
		p.Parameter, p.Pointer, p.Near = name, pointerTo(name), near.Names(name, known)
	}
	if len(p.Near) > 0 {
		p.Message += "; did you mean " + strings.Join(p.Near, ", ") + "?"
		return p
	}
	p.Message += "; want " + alternatives(known)
	return p
}

// alternatives lists names in words.
func alternatives(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " or ")
}

// InvalidParameter is the error of a query parameter.
func InvalidParameter(name, message string) *schemas.ValidationError {
	return &schemas.ValidationError{Problems: []schemas.Problem{{Parameter: name, Pointer: pointerTo(name), Message: message}}}
}

// pointerTo is the pointer of a query parameter.
func pointerTo(name string) string {
	return "/query/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
