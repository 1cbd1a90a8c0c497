package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
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
	w := walker{in: document}
	w.value()
	switch {
	case w.found != nil:
		return w.found
	case otherwise != "":
		return Invalid("", "%s", otherwise)
	}
	return nil
}

// walker reads a document of valid syntax and keeps the first problem.
type walker struct {
	in    []byte
	at    int
	path  []string // names and numbers down to the value
	found *ValidationError
}

// blame keeps a problem at the value that is being read.
func (w *walker) blame(format string, args ...any) {
	pointer := ""
	for _, step := range w.path {
		pointer = pointerTo(pointer, step)
	}
	w.found = Invalid(pointer, format, args...)
}

// space passes over space and the separators between values.
func (w *walker) space() byte {
	for w.at < len(w.in) && strings.IndexByte(" \t\r\n,:", w.in[w.at]) >= 0 {
		w.at++
	}
	if w.at == len(w.in) {
		return 0
	}
	return w.in[w.at]
}

// value reads one value.
func (w *walker) value() {
	switch c := w.space(); c {
	case '{':
		w.object()
	case '[':
		w.array()
	case '"':
		w.text()
	default:
		from := w.at
		for w.at < len(w.in) && strings.IndexByte(" \t\r\n,]}", w.in[w.at]) < 0 {
			w.at++
		}
		if c >= 'a' { // true, false, null
			return
		}
		if _, err := strconv.ParseFloat(string(w.in[from:w.at]), 64); err != nil {
			w.blame("the number is out of range")
		}
	}
}

// array reads an array.
func (w *walker) array() {
	w.path = append(w.path, "")
	w.at++
	for i := 0; w.found == nil && w.at < len(w.in) && w.space() != ']'; i++ {
		w.path[len(w.path)-1] = strconv.Itoa(i)
		w.value()
	}
	w.at++
	w.path = w.path[:len(w.path)-1]
}

// object reads an object.
func (w *walker) object() {
	w.path = append(w.path, "")
	w.at++
	var few [16]string
	seen := few[:0]
	for w.found == nil && w.space() == '"' {
		key := w.text()
		w.path[len(w.path)-1] = key
		if slices.Contains(seen, key) {
			w.blame("the field is given twice")
			return
		}
		if seen = append(seen, key); len(seen) > mostKeys {
			w.blame("the object has more than %d fields", mostKeys)
			return
		}
		w.value()
	}
	w.at++
	w.path = w.path[:len(w.path)-1]
}

// text reads a text in quotes.
func (w *walker) text() string {
	from, plain := w.at, true
	for w.at++; w.at < len(w.in) && w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] == '\\' {
			w.at++
			plain = false
		}
	}
	w.at++
	if plain {
		return string(w.in[from+1 : w.at-1])
	}
	var text string
	_ = json.Unmarshal(w.in[from:w.at], &text) // its syntax is valid
	return text
}

// mostKeys is how many fields an object may have: no schema has as many, and each is
// compared with all before it.
const mostKeys = 1000

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
