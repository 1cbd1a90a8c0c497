package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// contract is the page that describes the API.
func (x *Site) contract(_ context.Context, v *visit) (apigw.Response, error) {
	if err := v.known(); err != nil {
		return apigw.Response{}, err
	}
	shown, err := x.docs()
	if err != nil {
		return apigw.Response{}, err
	}
	return x.render(http.StatusOK, "docs", v.page(shown.Title+": the API", shown))
}

// describe reads the description of the API.
func describe() (described, error) {
	text, err := schemas.OpenAPI()
	if err != nil {
		return described{}, err
	}
	var document openAPI
	if err := json.Unmarshal(text, &document); err != nil {
		return described{}, fmt.Errorf("read the description of the API: %w", err)
	}
	shown := described{Title: document.Info.Title, Summary: document.Info.Summary, Documents: document.documents()}
	for paragraph := range strings.SplitSeq(document.Info.Description, "\n\n") {
		shown.Description = append(shown.Description, strings.TrimSpace(paragraph))
	}
	for _, tag := range document.Tags {
		shown.Groups = append(shown.Groups, group{Name: strings.ToUpper(tag.Name[:1]) + tag.Name[1:], Operations: document.operations(tag.Name)})
	}
	return shown, nil
}

// described is the description of the API as its page shows it.
type described struct {
	Title, Summary string
	Description    []string // its paragraphs
	Groups         []group
	Documents      []documented
}

// group is the operations of a tag.
type group struct {
	Name       string
	Operations []called
}

// called is an operation.
type called struct {
	ID, Method, Path, Summary, Description string
	Parameters                             []field
	Body                                   *content // nil if it takes none
	Answers                                []answered
}

// field is a parameter, or a field of a document.
type field struct {
	Name     string
	In       string // where a parameter is
	Required bool
	Type     []piece
	Meaning  string
	Examples []string
}

// content is a body.
type content struct {
	Media    string
	Type     []piece
	Examples []string
}

// answered is an answer of an operation.
type answered struct {
	Status, Meaning string
	content
}

// documented is a document, or a part that several have.
type documented struct {
	Name, ID string
	Type     []piece
	Meaning  string
	Fields   []field
}

// operations are the operations of a tag, ordered by path and method.
func (d *openAPI) operations(tag string) []called {
	var all []called
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if o := d.Paths[path][method]; slices.Contains(o.Tags, tag) {
				all = append(all, d.called(strings.ToUpper(method), path, o))
			}
		}
	}
	return all
}

// called is an operation in texts.
func (d *openAPI) called(method, path string, o operation) called {
	shown := called{ID: o.ID, Method: method, Path: path, Summary: o.Summary, Description: o.Description}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[target(p.Ref)]
		}
		s := d.plain(p.Schema)
		shown.Parameters = append(shown.Parameters, field{
			Name: p.Name, In: p.In, Required: p.Required, Type: d.pieces(s), Examples: p.examples(),
			Meaning: strings.TrimSpace(p.Description + " " + s.meaning()),
		})
	}
	if o.Body != nil {
		body := d.contentOf(o.Body.Content)
		shown.Body = &body
	}
	for _, status := range slices.Sorted(maps.Keys(o.Answers)) {
		a := o.Answers[status]
		if a.Ref != "" {
			a = d.Components.Answers[target(a.Ref)]
		}
		shown.Answers = append(shown.Answers, answered{Status: status, Meaning: a.Description, content: d.contentOf(a.Content)})
	}
	return shown
}

// contentOf is the first of the forms that a body may have; there is one at most.
func (d *openAPI) contentOf(forms map[string]media) content {
	names := slices.Sorted(maps.Keys(forms))
	if len(names) == 0 {
		return content{}
	}
	form := forms[names[0]]
	shown := content{Media: names[0], Type: d.pieces(form.Schema)}
	for _, name := range slices.Sorted(maps.Keys(form.Examples)) {
		shown.Examples = append(shown.Examples, laidOut(form.Examples[name].Value))
	}
	return shown
}

// laidOut is a JSON document over several lines.
func laidOut(document json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, document, "", "  "); err != nil {
		return string(document)
	}
	return out.String()
}

// documents are the schemas, ordered by name, but for those that only hold others.
func (d *openAPI) documents() []documented {
	var all []documented
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		if s.any() {
			continue
		}
		all = append(all, documented{Name: name, ID: anchor(name), Type: d.pieces(s), Meaning: s.meaning(), Fields: d.fields(s, "")})
	}
	return all
}

// fields are the fields of an object, and of the objects in it, by their dotted
// names. What has a name of its own is not taken apart.
func (d *openAPI) fields(s *schema, prefix string) []field {
	var all []field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := d.plain(s.Properties[name])
		all = append(all, field{Name: prefix + name, Required: slices.Contains(s.Required, name), Type: d.pieces(p), Meaning: p.meaning()})
		all = append(all, d.fields(p, prefix+name+".")...)
		if p.Items != nil {
			all = append(all, d.fields(p.Items, prefix+name+"[].")...)
		}
	}
	return all
}
