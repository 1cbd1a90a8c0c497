package schemas

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// openapi.json is openapi.yaml with every schema that it refers to.
func TestOpenAPIIsBundled(t *testing.T) {
	var document map[string]any
	if err := yaml.Unmarshal(read(t, "openapi.yaml"), &document); err != nil {
		t.Fatal(err)
	}
	b := bundle{t: t, schemas: make(map[string]any)}
	document, _ = b.led(document, "openapi.yaml").(map[string]any)
	components, _ := document["components"].(map[string]any)
	components["schemas"] = b.schemas
	var got bytes.Buffer
	to := json.NewEncoder(&got)
	to.SetEscapeHTML(false)
	to.SetIndent("", " ")
	if err := to.Encode(document); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, "openapi.json")), got.String()); diff != "" {
		t.Errorf("openapi.json is not openapi.yaml; -update writes it anew (-is +want):\n%s", diff)
	}
}

// bundle collects schemas as components of one document.
type bundle struct {
	t       *testing.T
	schemas map[string]any
}

// led is a part of a file with its references led to components.
func (b bundle) led(part any, file string) any {
	switch p := part.(type) {
	case map[string]any:
		out := make(map[string]any, len(p))
		for name, value := range p {
			if reference, ok := value.(string); ok && name == "$ref" {
				out[name] = b.target(reference, file)
				continue
			}
			out[name] = b.led(value, file)
		}
		return out
	case []any:
		out := make([]any, len(p))
		for i, item := range p {
			out[i] = b.led(item, file)
		}
		return out
	default:
		return part
	}
}

// target is where a reference in a file leads to in the document.
func (b bundle) target(reference, file string) string {
	path, pointer, _ := strings.Cut(reference, "#")
	if path == "" {
		path = file
	}
	name, ok := strings.CutSuffix(path, ".schema.json")
	if !ok {
		return reference // within openapi.yaml
	}
	if _, collected := b.schemas[name]; !collected {
		b.collect(name)
	}
	if definition, ok := strings.CutPrefix(pointer, "/$defs/"); ok {
		return "#/components/schemas/" + name + "." + definition
	}
	return "#/components/schemas/" + name + pointer
}

// collect makes components of a schema and of its definitions.
func (b bundle) collect(name string) {
	var schema map[string]any
	if err := json.Unmarshal(read(b.t, name+".schema.json"), &schema); err != nil {
		b.t.Fatal(err)
	}
	b.schemas[name] = true // so that a cycle ends
	definitions, _ := schema["$defs"].(map[string]any)
	delete(schema, "$defs")
	delete(schema, "$schema")
	for definition, part := range definitions {
		b.schemas[name+"."+definition] = b.led(part, name+".schema.json")
	}
	b.schemas[name] = b.led(schema, name+".schema.json")
}

// openAPI reads the document with a library that has no part in making it.
func openAPI(t *testing.T) *openapi3.T {
	t.Helper()
	text, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestOpenAPIIsValid(t *testing.T) {
	document := openAPI(t)
	if !document.IsOpenAPI31OrLater() {
		t.Errorf("got version %s", document.OpenAPI)
	}
	if err := document.Validate(context.Background()); err != nil {
		t.Error(err)
	}
}

// undescribed are the schemas that the document does not refer to, and why not.
var undescribed = map[Name]string{
	MeasurementSchema: "it is sent inside of a signed envelope",
}

// The document refers to every schema: a route that exists is described.
func TestOpenAPIHasEverySchema(t *testing.T) {
	document := openAPI(t)
	for _, name := range Names() {
		described, reason := document.Components.Schemas[string(name)] != nil, undescribed[name]
		if !described && reason == "" {
			t.Errorf("openapi.yaml does not refer to %s.schema.json", name)
		}
		if described && reason != "" {
			t.Errorf("openapi.yaml refers to %s.schema.json, of which undescribed says: %s", name, reason)
		}
	}
}

// The query parameters of an operation are those of its schema.
func TestOpenAPIHasEveryParameter(t *testing.T) {
	document := openAPI(t)
	for path, name := range map[string]Name{"/v1/offers": OffersQuerySchema, "/v1/gpus": GPUsQuerySchema, "/v1/providers": ProvidersQuerySchema,
		"/v1/coefficients": CoefficientsQuerySchema} {
		want, err := Parameters(name)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		for _, p := range document.Paths.Find(path).Get.Parameters {
			if p.Value.In == "query" {
				got[p.Value.Name] = true
			}
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("%s (-schema +document):\n%s", path, diff)
		}
	}
}
