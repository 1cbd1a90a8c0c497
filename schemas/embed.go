package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed *.schema.json
var files embed.FS

// Name names one of the schemas.
type Name string

// The schemas.
const (
	RecommendRequestSchema  Name = "recommend.request"
	RecommendResponseSchema Name = "recommend.response"
	ProblemSchema           Name = "problem"
	HealthSchema            Name = "healthz"
)

// Names are all schemas.
func Names() []Name {
	return []Name{RecommendRequestSchema, RecommendResponseSchema, ProblemSchema, HealthSchema}
}

// Text is a schema's own document.
func Text(name Name) ([]byte, error) {
	text, err := files.ReadFile(string(name) + ".schema.json")
	if err != nil {
		return nil, fmt.Errorf("read schema %q: %w", name, err)
	}
	return text, nil
}

// schema is a compiled schema beside its document, which messages are made from.
type schema struct {
	compiled *jsonschema.Schema
	document any
}

// compiled are all schemas, made when the first is needed and never changed.
var compiled = sync.OnceValues(func() (map[Name]schema, error) {
	all := make(map[Name]schema)
	for _, name := range Names() {
		s, err := compile(name)
		if err != nil {
			return nil, err
		}
		all[name] = s
	}
	return all, nil
})

// compile reads one schema.
func compile(name Name) (schema, error) {
	text, err := Text(name)
	if err != nil {
		return schema{}, err
	}
	location := "schema:///" + string(name)
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource(location, bytes.NewReader(text)); err != nil {
		return schema{}, fmt.Errorf("read schema %q: %w", name, err)
	}
	s := schema{}
	if err := json.Unmarshal(text, &s.document); err != nil {
		return schema{}, fmt.Errorf("read schema %q: %w", name, err)
	}
	if s.compiled, err = compiler.Compile(location); err != nil {
		return schema{}, fmt.Errorf("compile schema %q: %w", name, err)
	}
	return s, nil
}
