package query

import (
	"slices"
	"strings"
	"sync"
)

// shortestWord is the length of a word, in letters, from which a near miss of it is
// no mere chance.
const shortestWord = 4

// Words are the words of the grammar that put something into a request, in
// alphabetical order: those that a misspelt word may have meant.
func Words() []string { return wordList() }

// wordList is Words. It is made once and never changes.
var wordList = sync.OnceValue(func() []string {
	var words []string
	for _, e := range vocabulary().entries {
		for _, p := range e.phrases {
			word := strings.Join(p.tokens, " ")
			if p.class == said && len(word) >= shortestWord {
				words = append(words, word)
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
})
