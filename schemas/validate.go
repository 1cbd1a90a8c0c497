package schemas

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxProblems is how many problems of one document are reported.
const maxProblems = 20

// Validate tests a document against a schema. The error is a *ValidationError if
// the document is to blame. It may be called from any number of goroutines.
func Validate(name Name, document []byte) error {
	value, err := parse(document)
	if err != nil {
		return err
	}
	return validate(name, value)
}

// Decode validates a document and reads it into v. What a schema lets pass and a
// Go type can't hold, such as 1e12 for an int, is a *ValidationError too.
func Decode(name Name, document []byte, v any) error {
	if err := Validate(name, document); err != nil {
		return err
	}
	err := json.Unmarshal(document, v)
	if unfit, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Invalid("/"+strings.ReplaceAll(unfit.Field, ".", "/"), "want a whole number in plain digits")
	}
	if err != nil {
		return Invalid("", "the document can't be read")
	}
	return nil
}

// validate tests a value that encoding/json made without UseNumber.
func validate(name Name, value any) error {
	x, err := loaded()
	if err != nil {
		return err
	}
	compiled, ok := x.compiled[name]
	if !ok {
		return fmt.Errorf("validate: no schema %q", name)
	}
	s, err := compiled()
	if err != nil {
		return err
	}
	err = s.Validate(value)
	if err == nil {
		return nil
	}
	broken, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	explained := explainer{documents: x.documents, value: value}
	explained.explain(broken)
	return &ValidationError{Problems: explained.ordered()}
}
