package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/schemas"
)

// An input is a field of a form and of the request that the form makes.
type input struct {
	Name    string // of the query parameter
	Pointer string // of the field in the request (RFC 6901)
	As      as
	Label   string
	Hint    string
	Choices []choice // of as one and as several
	Kinds   string   // the kinds of work that have it, separated by spaces; "" for all
	List    string   // names the suggestions
	Part    string   // of the form
	Usual   bool     // the first of the choices is what the API takes unless told
}

// as is what a field is in a request.
type as int

// What a field may be.
const (
	asText    as = iota
	asWhole      // a whole number
	asFlag       // true or unset
	asOne        // one of the choices
	asSeveral    // some of the choices
	asList       // texts separated by commas
	asModel      // a model's size, or else its name
)

// choice is a value that may be chosen.
type choice struct{ Value, Label string }

// filled is an input as a form shows it.
type filled struct {
	input
	Value   string
	Chosen  map[string]bool
	Problem string
	Near    []string // what may have been meant
}

// Is lets a template ask for what a field is.
func (f filled) Is(name string) bool {
	return name == map[as]string{asText: "text", asWhole: "whole", asFlag: "flag", asOne: "one", asSeveral: "several", asList: "text", asModel: "text"}[f.As]
}

// Class are the classes of a field that belongs to some kinds of work, and of one with
// a problem.
func (f filled) Class() string {
	text := ""
	if f.Kinds != "" {
		text = " only for-" + strings.Join(strings.Fields(f.Kinds), " for-")
	}
	if f.Problem != "" {
		text += " wrong"
	}
	return text
}

// stated reports whether a field has a value.
func (f filled) stated() bool {
	_, ok := f.value()
	return ok
}

// Shows reports whether a field belongs to a kind of work.
func (f filled) Shows(kind string) bool {
	return f.Kinds == "" || slices.Contains(strings.Fields(f.Kinds), kind)
}

// form is a form as a page shows it.
type form struct {
	Kind     string
	Fields   map[string]filled
	Order    []string       // of the fields
	Problems []shownProblem // what no field is to blame for
	Names    map[string][]string
	Rest     string // the request that it was filled in from, if it can't say all of it
	Kept     []fact // what of that it has no fields for
}

// Wrong are the fields that something is wrong with.
func (f form) Wrong() []filled {
	return f.those(func(field filled) bool { return field.Problem != "" })
}

// Failed reports whether anything is wrong.
func (f form) Failed() bool { return len(f.Problems) > 0 || len(f.Wrong()) > 0 }

// Part are the fields of a part of the form.
func (f form) Part(name string) []filled {
	return f.those(func(field filled) bool { return field.Part == name })
}

// Set reports whether a part of the form has a value or a problem.
func (f form) Set(part string) bool {
	return slices.ContainsFunc(f.Part(part), func(field filled) bool { return field.stated() || field.Problem != "" })
}

// those are the fields that a test picks, in their order.
func (f form) those(picked func(filled) bool) []filled {
	var all []filled
	for _, name := range f.Order {
		if field := f.Fields[name]; picked(field) {
			all = append(all, field)
		}
	}
	return all
}

// within puts inputs in a part of their form.
func within(part string, inputs ...input) []input {
	for i := range inputs {
		inputs[i].Part = part
	}
	return inputs
}

// shownProblem is what is wrong with a request besides its fields.
type shownProblem struct{ Place, Message string }

// documentOf makes the request that the values of inputs say, with what the form has of
// itself in it already.
func documentOf(inputs []input, kind string, values url.Values, document map[string]any) map[string]any {
	for _, in := range inputs {
		given := filledOf(in, values)
		if value, ok := given.value(); ok && given.Shows(kind) {
			put(document, strings.Split(in.Pointer[1:], "/"), value)
		}
	}
	return document
}

// value is what a request has for a field. ok is false if it has nothing.
func (f filled) value() (value any, ok bool) {
	switch f.As {
	case asSeveral:
		var chosen []string
		for _, c := range f.Choices {
			if f.Chosen[c.Value] {
				chosen = append(chosen, c.Value)
			}
		}
		return chosen, len(chosen) > 0
	case asFlag:
		return true, f.Value == "true"
	}
	if f.Value == "" {
		return nil, false
	}
	switch f.As {
	case asWhole:
		if n, err := strconv.ParseInt(f.Value, 10, 53); err == nil {
			return n, true
		}
	case asList:
		return listed(f.Value), true
	case asModel:
		return modelOf(f.Value), true
	}
	return f.Value, true
}

// listed are the texts of a list.
func listed(text string) []string {
	var all []string
	for item := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == '，' || c == '、' || c == ';' }) {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// modelOf is a model by its size, such as 7B, or else by its name.
func modelOf(text string) map[string]any {
	size := strings.TrimSpace(strings.TrimSuffix(strings.ToLower(text), "b"))
	if _, err := strconv.ParseFloat(size, 64); err == nil {
		return map[string]any{"params_b": size}
	}
	return map[string]any{"name": text}
}

// put sets a field of nested objects and lists; a segment 0 is the first of a list.
func put(object map[string]any, path []string, value any) {
	if len(path) == 1 {
		object[path[0]] = value
		return
	}
	if path[1] == "0" {
		list, _ := object[path[0]].([]any)
		if len(list) == 0 {
			list = []any{map[string]any{}}
			object[path[0]] = list
		}
		inner, _ := list[0].(map[string]any)
		put(inner, path[2:], value)
		return
	}
	inner, _ := object[path[0]].(map[string]any)
	if inner == nil {
		inner = make(map[string]any)
		object[path[0]] = inner
	}
	put(inner, path[1:], value)
}

// filledOf is an input with the values given.
func filledOf(in input, values url.Values) filled {
	f := filled{input: in, Value: strings.TrimSpace(printable(values.Get(in.Name))), Chosen: make(map[string]bool)}
	for _, value := range values[in.Name] {
		f.Chosen[value] = true
	}
	if in.As == asOne && f.Value != "" && labelOf(in.Choices, f.Value) == f.Value && !slices.Contains(in.Choices, choice{f.Value, f.Value}) {
		f.Choices = append(slices.Clone(in.Choices), choice{f.Value, f.Value}) // the API may take more than the form offers
	}
	return f
}

// formOf is a form with the values given.
func formOf(inputs []input, kind string, values url.Values) form {
	f := form{Kind: kind, Fields: make(map[string]filled)}
	for _, in := range inputs {
		f.Fields[in.Name] = filledOf(in, values)
		f.Order = append(f.Order, in.Name)
	}
	return f
}

// blame puts problems with a request beside the fields that made it. ok is false if the
// error is none of a request.
func (f *form) blame(err error, say func(string, ...any) string) (ok bool) {
	invalid, ok := errors.AsType[*schemas.ValidationError](err)
	if !ok {
		return false
	}
	for _, p := range invalid.Problems {
		name := f.fieldAt(p.Pointer)
		message := strings.ReplaceAll(p.Message, " in quotes", "")
		if name == "" {
			f.Problems = append(f.Problems, shownProblem{strings.ReplaceAll(strings.TrimPrefix(p.Pointer, "/"), "/", "."), message})
			continue
		}
		field := f.Fields[name]
		if field.Problem == "" {
			if field.Problem = say("Check this value: %s", message); field.Value == "" {
				field.Problem = say("Needed: %s", strings.TrimPrefix(message, "required: "))
			}
			field.Near = p.Near
		}
		f.Fields[name] = field
	}
	return true
}

// fieldAt is the field that a pointer into the request is about: the one that is there,
// or the nearest above or below it; "" if there is none.
func (f *form) fieldAt(pointer string) string {
	best, longest := "", 0
	for _, name := range f.Order {
		at := f.Fields[name].Pointer
		near := pointer == at || strings.HasPrefix(pointer, at+"/") || pointer != "" && strings.HasPrefix(at, pointer+"/")
		if near && f.Fields[name].Shows(f.Kind) && len(at) > longest && (longest == 0 || strings.HasPrefix(pointer, at)) {
			best, longest = name, len(at)
		}
	}
	return best
}

// fact is a field of a request and its value, for people.
type fact struct{ Label, Value string }

// flat are the fields of a document by their pointers, as texts.
func flat(document any) (map[string]string, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("read fields: %w", err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("read fields: %w", err)
	}
	all := make(map[string]string)
	flatten(value, "", all)
	return all, nil
}

// flatten adds the fields of a value. A list of texts is one field.
func flatten(value any, pointer string, all map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			flatten(inner, pointer+"/"+name, all)
		}
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, fmt.Sprint(item))
		}
		all[pointer] = strings.Join(items, ", ")
	case float64:
		all[pointer] = strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
	default:
		all[pointer] = fmt.Sprint(v)
	}
}

// valuesOf are the values of inputs that a request has, as a form would send them.
func valuesOf(inputs []input, kind string, request map[string]string) url.Values {
	values := make(url.Values)
	for _, in := range inputs {
		text, ok := request[in.Pointer]
		if in.As == asModel {
			name, named := request[in.Pointer+"/name"]
			size, sized := request[in.Pointer+"/params_b"]
			if text, ok = name, named; !named && sized {
				text, ok = size+"B", true
			}
		}
		if !ok || !(filled{input: in}).Shows(kind) {
			continue
		}
		if in.As == asSeveral {
			values[in.Name] = listed(text)
			continue
		}
		values.Set(in.Name, text)
	}
	return values
}
