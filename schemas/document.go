package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the size of the largest document that is read.
const MaxBytes = 256 << 10

// maxDepth is how many objects and arrays may lie within each other.
const maxDepth = 32

// parse reads a document as plain maps, slices, strings and float64 numbers. It
// refuses what encoding/json lets pass and readers may take differently:
// duplicate keys, invalid UTF-8, and documents of absurd size or depth.
func parse(document []byte) (any, error) {
	switch {
	case len(document) > MaxBytes:
		return nil, Invalid("", "the document is larger than %d bytes", MaxBytes)
	case !utf8.Valid(document):
		return nil, Invalid("", "the document is not valid UTF-8")
	case tooDeep(document):
		return nil, Invalid("", "the document nests more than %d levels deep", maxDepth)
	}
	var value any
	err := json.Unmarshal(document, &value)
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, Invalid("", "the document is not valid JSON: %s at byte %d", plainSyntax(document, bad), bad.Offset)
	}
	if err != nil { // a number that no float64 holds
		return nil, firstProblem(document, "the document holds a number that is out of range")
	}
	return value, firstProblem(document, "")
}

// plainSyntax says what is wrong with the syntax without repeating the document.
func plainSyntax(document []byte, bad *json.SyntaxError) string {
	if bad.Offset >= int64(len(bytes.TrimSpace(document))) {
		return "it ends too early, or a character is out of place"
	}
	return "a character is out of place"
}

// tooDeep reports whether brackets outside of texts nest too deep.
func tooDeep(document []byte) bool {
	depth, inText := 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// firstProblem walks a document of valid syntax for a duplicate key or a number
// out of range. If there is none it reports otherwise, or nothing if that is "".
func firstProblem(document []byte, otherwise string) error {
	w := walker{in: json.NewDecoder(bytes.NewReader(document))}
	w.in.UseNumber() // only looked at here: the value that is validated has none
	w.value("")
	if w.found == nil && otherwise != "" {
		return Invalid("", "%s", otherwise)
	}
	if w.found == nil {
		return nil
	}
	return w.found
}

// walker reads a document token by token and keeps the first problem.
type walker struct {
	in    *json.Decoder
	found *ValidationError
}

// value reads one value at a pointer.
func (w *walker) value(pointer string) {
	token, err := w.in.Token()
	if err != nil || w.found != nil {
		return
	}
	switch t := token.(type) {
	case json.Number:
		if _, err := strconv.ParseFloat(t.String(), 64); err != nil {
			w.found = Invalid(pointer, "the number is out of range")
		}
	case json.Delim:
		if t == '{' {
			w.object(pointer)
			return
		}
		w.array(pointer)
	}
}

// object reads the rest of an object.
func (w *walker) object(pointer string) {
	seen := make(map[string]bool)
	for w.found == nil && w.in.More() {
		token, err := w.in.Token()
		if err != nil {
			return
		}
		key, _ := token.(string)
		if seen[key] {
			w.found = Invalid(pointerTo(pointer, key), "the field is given twice")
			return
		}
		seen[key] = true
		w.value(pointerTo(pointer, key))
	}
	w.close()
}

// array reads the rest of an array.
func (w *walker) array(pointer string) {
	for i := 0; w.found == nil && w.in.More(); i++ {
		w.value(pointer + "/" + strconv.Itoa(i))
	}
	w.close()
}

// close reads the closing bracket.
func (w *walker) close() {
	if w.found == nil {
		_, _ = w.in.Token() // the syntax is valid
	}
}

// longestKey is the longest name that a pointer repeats.
const longestKey = 100

// pointerTo is the pointer of a member. A name too long to repeat is left out:
// the pointer is then that of the object.
func pointerTo(pointer, key string) string {
	if len(key) > longestKey {
		return pointer
	}
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
