package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// JSON reads a JSON document value by value, so that a list of any length takes the
// memory of one item. Its methods fail with a Fault, which refuses the document: a
// text that is no JSON says nothing for sure.
type JSON struct {
	in     *json.Decoder
	raw    json.RawMessage // of the value that was read last
	number int             // of the item that was read last, over all documents of a batch
}

// NewJSON begins a document that must be an object.
func NewJSON(d *Document) (*JSON, error) {
	if err := d.Expect("a JSON object", "{"); err != nil {
		return nil, err
	}
	text := &parted{from: d}
	j := &JSON{in: json.NewDecoder(text)}
	text.done = j.in.InputOffset
	return j, nil
}

// fault is a Fault where the document is read. An error of the source stays one.
func (j *JSON) fault(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Fault{Row: j.number + 1, Got: err.Error(), Want: "JSON"}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Fault{Row: j.number + 1, Got: "the end", Want: "more JSON: the document is cut here"}
	}
	return fmt.Errorf("read JSON: %w", err)
}

// begins reads the bracket that begins a value. A null is a value without content.
func (j *JSON) begins(with json.Delim) (is bool, err error) {
	token, err := j.in.Token()
	switch {
	case err != nil:
		return false, j.fault(err)
	case token == nil:
		return false, nil
	case token != with:
		return false, &Fault{Row: j.number + 1, Got: fmt.Sprint(token), Want: fmt.Sprintf("%q", with.String())}
	}
	return true, nil
}

// ends reads the bracket that ends a value.
func (j *JSON) ends() error {
	if _, err := j.in.Token(); err != nil {
		return j.fault(err)
	}
	return nil
}

// Object reads an object, or a null as an empty one. each must read the key's value
// or skip it.
func (j *JSON) Object(each func(key string) error) error {
	is, err := j.begins('{')
	if err != nil || !is {
		return err
	}
	for j.in.More() {
		token, err := j.in.Token()
		if err != nil {
			return j.fault(err)
		}
		key, ok := token.(string)
		if !ok || !whole(key) {
			return &Fault{Row: j.number + 1, Got: fmt.Sprint(token), Want: "a key in UTF-8"}
		}
		if err := each(key); err != nil {
			return err
		}
	}
	return j.ends()
}

// List reads a list, or a null as an empty one. each must read an element or skip it.
func (j *JSON) List(each func() error) error {
	is, err := j.begins('[')
	if err != nil || !is {
		return err
	}
	for j.in.More() {
		if err := each(); err != nil {
			return err
		}
	}
	return j.ends()
}

// Skip reads over a value of any size.
func (j *JSON) Skip() error {
	for depth := 0; ; {
		token, err := j.in.Token()
		if err != nil {
			return j.fault(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// Value is the next value as it stands. It is valid until the next is read.
func (j *JSON) Value() (json.RawMessage, error) {
	j.raw = j.raw[:0]
	if err := j.in.Decode(&j.raw); err != nil {
		return nil, j.fault(err)
	}
	return j.raw, nil
}

// Item is the next value, which must be an object: it is counted as read and has
// that number. If it is no object, or read calls it faulty, it is kept as a fault.
func (j *JSON) Item(b *Batch, read func(*Item)) error {
	j.number = b.Read
	raw, err := j.Value()
	if err != nil {
		return err
	}
	b.Read++
	j.number = b.Read
	x, err := NewItem(j.number, bytes.Clone(raw))
	if err == nil {
		read(x)
		err = x.Err()
	}
	if err != nil {
		return b.Fault(err)
	}
	return nil
}

// Items are the objects of a list.
func (j *JSON) Items(b *Batch, read func(*Item)) error {
	return j.List(func() error { return j.Item(b, read) })
}

// End refuses a document that goes on after its object.
func (j *JSON) End() error {
	token, err := j.in.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return j.fault(err)
	}
	return &Fault{Row: j.number + 1, Got: fmt.Sprint(token), Want: "the end of the document"}
}

// whole refuses a text that the decoder changed because it is no UTF-8.
func whole(text string) bool { return !strings.ContainsRune(text, utf8.RuneError) }
