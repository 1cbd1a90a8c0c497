package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// keptParameter is the query parameter with the request that a form was filled in from,
// where the form alone can't say all of it. Fields that were changed come before it.
const keptParameter = "rest"

// planRequest is the request for plans that a form makes.
func planRequest(kind string, asked url.Values, lang language) (map[string]any, error) {
	document := make(map[string]any)
	if kept := asked.Get(keptParameter); kept != "" {
		in := json.NewDecoder(strings.NewReader(kept))
		in.UseNumber()
		if err := in.Decode(&document); err != nil || document == nil || in.More() {
			return nil, apigw.InvalidParameter(keptParameter, "want a request as POST /v1/recommend takes it; got "+schemas.Quoted(kept))
		}
	}
	if kindOf(document) != kind {
		delete(document, "workload")
		delete(document, "rental")
	}
	document["language"] = string(lang)
	if _, ok := document["rental"]; !ok && kind == "rental" {
		document["rental"] = map[string]any{}
	}
	if kind != "rental" {
		put(document, []string{"workload", "kind"}, kind)
	}
	before := fieldsOf(document)
	as := valuesOf(planInputs(), kind, before)
	for _, in := range planInputs() {
		given := filledOf(in, asked)
		if !given.Shows(kind) || given.same(filledOf(in, as)) {
			continue
		}
		drop(document, in.Pointer)
		if value, ok := given.value(); ok {
			put(document, strings.Split(in.Pointer[1:], "/"), value)
		}
	}
	return document, nil
}

// same reports whether two fields say the same.
func (f filled) same(other filled) bool {
	switch f.As {
	case asSeveral:
		return maps.Equal(f.Chosen, other.Chosen)
	case asFlag:
		return (f.Value == "true") == (other.Value == "true")
	case asList:
		return slices.Equal(listed(f.Value), listed(other.Value))
	}
	return f.Value == other.Value
}

// kindOf is the kind of work that a request is for, as the form calls it.
func kindOf(document map[string]any) string {
	if document["rental"] != nil {
		return "rental"
	}
	work, _ := document["workload"].(map[string]any)
	kind, _ := work["kind"].(string)
	return kind
}

// drop removes a field of nested objects.
func drop(object map[string]any, pointer string) {
	path := strings.Split(pointer[1:], "/")
	for _, name := range path[:len(path)-1] {
		object, _ = object[name].(map[string]any)
	}
	delete(object, path[len(path)-1])
}

// fieldsOf are the fields of a document by their pointers, as texts.
func fieldsOf(document map[string]any) map[string]string {
	all := make(map[string]string)
	flatten(document, "", all)
	return all
}

// asDocument is a request as a document whose numbers are as they were written.
func asDocument(request any) (map[string]any, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var document map[string]any
	if err := in.Decode(&document); err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	return document, nil
}

// formValues are the query parameters of the form that makes a request: its fields, and
// the request itself if they can't say all of it.
func formValues(request any) (url.Values, error) {
	document, err := asDocument(request)
	if err != nil {
		return nil, err
	}
	kind := orDefault(kindOf(document), "finetune")
	values := valuesOf(planInputs(), kind, fieldsOf(document))
	lang, _ := document["language"].(string)
	alone, err := planRequest(kind, values, language(orDefault(lang, string(english))))
	if err != nil {
		return nil, err
	}
	values.Set("kind", kind)
	whole := maps.Clone(document)
	whole["language"] = alone["language"]
	said, err := json.Marshal(alone)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	want, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	if !bytes.Equal(said, want) {
		delete(whole, "language")
		kept, err := json.Marshal(whole)
		if err != nil {
			return nil, fmt.Errorf("write request: %w", err)
		}
		values.Set(keptParameter, string(kept))
	}
	return values, nil
}

// planForm is the form of a plan with the values given.
func (v *visit) planForm(kind string, values url.Values) form {
	f := v.form(planInputs(), kind, values)
	f.Rest = printable(values.Get(keptParameter))
	if f.Rest == "" {
		return f
	}
	document, err := planRequest(kind, values, v.lang)
	if err != nil {
		return f // the answer says what is wrong with it
	}
	fields := fieldsOf(document)
	delete(fields, "/language")
	delete(fields, "/workload/kind")
	for _, in := range planInputs() {
		delete(fields, in.Pointer)
		if in.As == asModel {
			delete(fields, in.Pointer+"/name")
			delete(fields, in.Pointer+"/params_b")
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(fields)) {
		f.Kept = append(f.Kept, fact{dotted(pointer), fields[pointer]})
	}
	return f
}

// dotted is a field as people call it that the form has no name for.
func dotted(pointer string) string {
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}
