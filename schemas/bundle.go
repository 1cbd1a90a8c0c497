package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// Bundled is a schema as one document that refers to nothing outside of itself: what
// it uses of other schemas is among its definitions. Examples and the words for
// messages are left out.
func Bundled(name Name) (json.RawMessage, error) {
	x, err := loaded()
	if err != nil {
		return nil, err
	}
	top, ok := x.documents[folder+name.file()].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("bundle schema %q: there is none", name)
	}
	b := gathered{documents: x.documents, definitions: make(map[string]any)}
	document, _ := b.copied(top, "#").(map[string]any)
	own, _ := document["$defs"].(map[string]any)
	maps.Copy(b.definitions, own)
	if len(b.definitions) > 0 {
		document["$defs"] = b.definitions
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("bundle schema %q: %w", name, err)
	}
	return text, nil
}

// gathered collects the documents that others refer to.
type gathered struct {
	documents   documents
	definitions map[string]any
}

// copied is a value of a schema with its references as they are in the bundle. here is
// where the bundle has the document of the value.
func (b gathered) copied(value any, here string) any {
	switch v := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, part := range v {
			reference, isText := part.(string)
			switch {
			case key == "examples" || key == "x-want":
			case key == "$ref" && isText:
				object[key] = b.reference(reference, here)
			default:
				object[key] = b.copied(part, here)
			}
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, part := range v {
			list[i] = b.copied(part, here)
		}
		return list
	}
	return value
}

// reference is a reference as it is in the bundle, which gets what it refers to.
func (b gathered) reference(to, here string) string {
	file, pointer, _ := strings.Cut(to, "#")
	if file == "" {
		return here + pointer
	}
	name := strings.TrimSuffix(file, ".schema.json")
	place := "#/$defs/" + name
	if _, there := b.definitions[name]; !there {
		b.definitions[name] = nil // before its own references, which may lead back
		document, _ := b.copied(b.documents[folder+file], place).(map[string]any)
		delete(document, "$schema")
		b.definitions[name] = document
	}
	return place + pointer
}
