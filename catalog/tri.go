package catalog

import "fmt"

// Tri is a yes-or-no fact that a source may leave open. The zero value is Unknown.
type Tri uint8

// The three states of a fact.
const (
	Unknown Tri = iota
	No
	Yes
)

// ParseTri reads "yes", "no" or "" (unknown).
func ParseTri(text string) (Tri, error) {
	switch text {
	case "":
		return Unknown, nil
	case "no":
		return No, nil
	case "yes":
		return Yes, nil
	}
	return Unknown, fmt.Errorf("parse tri %q: want yes, no or nothing", text)
}

// String is the text ParseTri reads.
func (t Tri) String() string {
	switch t {
	case No:
		return "no"
	case Yes:
		return "yes"
	default:
		return ""
	}
}
