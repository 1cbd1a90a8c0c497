package web

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// language is a language of the pages, as requests name it.
type language string

// The languages of the pages.
const (
	english language = "en"
	chinese language = "zh"
)

// languages are all of them, the default first.
var languages = []language{english, chinese}

// Tag is what documents are said to be in (BCP 47).
func (l language) Tag() string {
	if l == chinese {
		return "zh-Hans"
	}
	return "en"
}

// wordsOf reads the texts of pages in a language by their English. English has none:
// its texts are the keys.
func wordsOf(l language) (map[string]string, error) {
	words := make(map[string]string)
	if l == english {
		return words, nil
	}
	text, err := assets.ReadFile("assets/" + string(l) + ".txt")
	if err != nil {
		return nil, fmt.Errorf("read words: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		from, to, ok := strings.Cut(line, " => ")
		if _, twice := words[from]; !ok || twice {
			return nil, fmt.Errorf("read words: bad line %q", line)
		}
		words[from] = to
	}
	return words, nil
}

// say is a text in the language of the words, English if they lack it, with arguments
// in place of its verbs.
func say(words map[string]string, text string, args ...any) string {
	if translated, ok := words[text]; ok {
		text = translated
	}
	if len(args) == 0 {
		return text
	}
	for i := range args {
		if pointer, ok := args[i].(*string); ok && pointer != nil {
			args[i] = *pointer
		}
	}
	return fmt.Sprintf(text, args...)
}

// preferred is the language that a header Accept-Language prefers, English unless it
// prefers Chinese.
func preferred(header string) language {
	best, most := english, 0.0
	for part := range strings.SplitSeq(header, ",") {
		name, weight, weighed := strings.Cut(strings.TrimSpace(part), ";q=")
		q := 1.0
		if weighed {
			var err error
			if q, err = strconv.ParseFloat(weight, 64); err != nil {
				continue
			}
		}
		primary, _, _ := strings.Cut(strings.ToLower(name), "-")
		for _, l := range languages {
			if string(l) == primary && q > most {
				best, most = l, q
			}
		}
	}
	return best
}

// han reports whether a text has a Chinese character.
func han(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) })
}

// printable is a text as a page can hold it.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, strings.ToValidUTF8(text, " "))
}

// capital is a sentence that begins with a capital letter.
func capital(sentence string) string {
	if sentence == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(sentence)
	return string(unicode.ToUpper(first)) + sentence[size:]
}
