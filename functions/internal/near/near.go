// Package near finds the names that a misspelt name may have meant.
package near

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// most is how many names are offered.
const most = 3

// shortest is the least length at which a part of a name points to the whole.
const shortest = 3

// Names are up to three of the known names that name may have meant, the likeliest
// first: those that a few typing errors lead to, then those that contain it or
// that it contains. Case, spaces and punctuation do not count. The order of known
// does not matter.
func Names(name string, known []string) []string {
	wanted := fold(name)
	var found []match
	for _, k := range known {
		if m, ok := compare(wanted, k); ok {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, m := range found {
		if len(names) < most && !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// Typos are up to three of the known names that lie a few typing errors from name,
// the likeliest first. Two letters that changed places are one error.
func Typos(name string, known []string) []string {
	wanted := fold(name)
	letters := utf8.RuneCountInString(wanted)
	var found []match
	for _, k := range known {
		folded := fold(k)
		others := utf8.RuneCountInString(folded)
		if wanted == folded || max(letters, others)-min(letters, others) > letters/shortest {
			continue
		}
		distance := 1
		if !swapped(wanted, folded) {
			distance = levenshtein.ComputeDistance(wanted, folded)
		}
		if distance <= letters/shortest && distance*2 < letters {
			found = append(found, match{k, 0, distance})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, m := range found {
		known := slices.ContainsFunc(names, func(name string) bool { return fold(name) == fold(m.name) })
		if len(names) < most && m.distance <= found[0].distance && !known {
			names = append(names, m.name)
		}
	}
	return names
}

// swapped reports whether two neighbours that changed places make b of a.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// match is a known name and how far it is: rank 0 for typing errors, 1 for parts.
type match struct {
	name           string
	rank, distance int
}

// compare measures a known name. ok is false if it is too far: more than a third
// of the letters differ, and neither is part of the other.
func compare(wanted, known string) (m match, ok bool) {
	folded := fold(known)
	if wanted == "" || folded == "" {
		return match{}, false
	}
	distance := levenshtein.ComputeDistance(wanted, folded)
	letters, others := utf8.RuneCountInString(wanted), utf8.RuneCountInString(folded)
	if distance <= max(1, letters/3) && distance < max(letters, others) {
		return match{known, 0, distance}, true
	}
	part := strings.Contains(folded, wanted) && letters >= shortest ||
		strings.Contains(wanted, folded) && others >= shortest
	return match{known, 1, distance}, part
}

// fold keeps the letters and digits of a name, in lower case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
