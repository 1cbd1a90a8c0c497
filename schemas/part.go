package schemas

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// documents are schemas by their addresses.
type documents map[string]any

// part is a part of a schema. Its references count from the schema's address.
type part struct {
	documents documents
	address   string
	value     any
}

// at is the part at a location: an address and a pointer, with "#" between.
func (d documents) at(location string) part {
	address, pointer, _ := strings.Cut(location, "#")
	return part{d, address, find(d[address], segments(pointer))}
}

// owner is the part that has the keyword at a location, and the keyword.
func (d documents) owner(location string) (owner part, keyword string) {
	cut := strings.LastIndexAny(location, "#/")
	return d.at(location[:cut]), location[cut+1:]
}

// keyword is a keyword of the part.
func (p part) keyword(name string) any {
	object, _ := p.value.(map[string]any)
	return object[name]
}

// child is a part of the part.
func (p part) child(path ...string) part {
	return part{p.documents, p.address, find(p.value, path)}
}

// target is the part that a part refers to; the part itself if it is no reference.
func (p part) target() part {
	reference, ok := p.keyword("$ref").(string)
	if !ok {
		return p
	}
	if strings.HasPrefix(reference, "#") {
		return p.documents.at(p.address + reference).target()
	}
	return p.documents.at(folder + reference).target()
}

// describe says in words what a schema accepts.
func (p part) describe() string {
	if want, ok := p.keyword("x-want").(string); ok {
		return want
	}
	if p.keyword("$ref") != nil {
		return p.target().describe()
	}
	if names, ok := p.keyword("enum").([]any); ok {
		return "one of " + choices(names)
	}
	s, _ := p.value.(map[string]any)
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
		return p.list()
	case "object":
		fields, _ := s["properties"].(map[string]any)
		return "an object with fields such as " + listed(slices.Sorted(maps.Keys(fields)))
	default:
		return "a value that the schema accepts"
	}
}

// list describes an array.
func (p part) list() string {
	text := "a list"
	least, _ := p.keyword("minItems").(float64)
	most, bounded := p.keyword("maxItems").(float64)
	switch {
	case bounded && least == most:
		text += " of " + number(most)
	case bounded:
		text += " of at most " + number(most)
	case least > 0:
		text += " that is not empty"
	}
	text += ", each " + p.child("items").describe()
	if p.keyword("uniqueItems") == true {
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
