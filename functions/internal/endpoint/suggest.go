package endpoint

import (
	"slices"
	"unicode/utf8"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/near"
	"github.com/tierwise/tierwise/functions/internal/query"
	"github.com/tierwise/tierwise/schemas"
)

// How many pieces of a text near misses are looked for, and up to which length.
const (
	mostMisses  = 8
	longestMiss = 40
)

// spellings are the words that a text may use, for near misses of them.
func spellings(s *catalog.Snapshot) []string {
	words := slices.Clone(query.Words())
	for _, id := range s.GPUIDs() {
		gpu, _ := s.GPU(id)
		words = append(words, string(id), gpu.Family)
	}
	for _, m := range s.Models() {
		words = append(words, m.Name)
	}
	for name := range providerNames(s) {
		words = append(words, name)
	}
	for name := range regionNames(s) {
		words = append(words, name)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// suggestions are the words that pieces of a text are near misses of.
func (h *Recommend) suggestions(pieces []string) []schemas.Suggestion {
	var found []schemas.Suggestion
	for _, piece := range pieces[:min(len(pieces), mostMisses)] {
		if utf8.RuneCountInString(piece) > longestMiss {
			continue
		}
		if words := near.Typos(piece, h.spellings()); len(words) > 0 {
			found = append(found, schemas.Suggestion{Text: piece, Near: words})
		}
	}
	return found
}
