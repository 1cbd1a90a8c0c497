package schemas

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// A bundle refers to nothing outside, and takes and refuses the same documents.
func TestBundles(t *testing.T) {
	for _, name := range Names() {
		text, err := Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), ".schema.json") || strings.Contains(string(text), `"x-want"`) {
			t.Errorf("%s is not whole: %s", name, text)
		}
		compiler := jsonschema.NewCompiler()
		compiler.Draft = jsonschema.Draft2020
		compiler.LoadURL = func(string) (io.ReadCloser, error) { return nil, os.ErrNotExist }
		if err := compiler.AddResource("schema:///bundle", bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("schema:///bundle")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		paths, _ := filepath.Glob("testdata/" + string(name) + "/*.json")
		for _, path := range paths {
			document, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var value any
			if value, err = parse(document); err != nil {
				continue // refused before its schema is asked
			}
			if got, want := schema.Validate(value) == nil, strings.HasPrefix(filepath.Base(path), "valid"); got != want {
				t.Errorf("%s: the bundle takes it: %v, want %v", path, got, want)
			}
		}
	}
	if _, err := Bundled("nothing"); err == nil {
		t.Error("a bundle of nothing")
	}
}
