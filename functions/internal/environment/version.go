package environment

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// version is numbers between dots: of a release, a driver or a compute capability.
// nil is unknown.
type version []int

// parseVersion reads "12.8" or "2.7.1"; ok is false for anything else.
func parseVersion(text string) (v version, ok bool) {
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		v = append(v, n)
	}
	return v, true
}

// compare orders versions; a missing part counts as 0.
func (v version) compare(w version) int {
	for i := range max(len(v), len(w)) {
		if c := cmp.Compare(v.at(i), w.at(i)); c != 0 {
			return c
		}
	}
	return 0
}

// before reports whether v is older than w.
func (v version) before(w version) bool { return v.compare(w) < 0 }

// at is a part, 0 if there is none.
func (v version) at(i int) int {
	if i < len(v) {
		return v[i]
	}
	return 0
}

// minor is the first two parts: "2.7" of 2.7.1.
func (v version) minor() version { return slices.Clip(v[:min(2, len(v))]) }

// String writes the parts between dots.
func (v version) String() string {
	parts := make([]string, len(v))
	for i, n := range v {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}
