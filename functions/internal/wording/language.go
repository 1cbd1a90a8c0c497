package wording

import "fmt"

// Language is a language that explanations are written in. The zero value is English.
type Language string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Say is a message with its arguments, in the language.
func (l Language) Say(message string, args ...any) string {
	format := message
	if l == Chinese {
		if translated, ok := inChinese(message); ok {
			format = translated
		}
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Value is a value that was taken for what a request left unsaid: in the language if it
// is a word of ours, and as it is if it is one of the API.
func (l Language) Value(text string) string {
	if translated, ok := chineseValues[text]; ok && l == Chinese {
		return translated
	}
	return text
}

// Join joins the items of a list, or the facts of a sentence.
func (l Language) Join(items []string) string {
	comma := ", "
	if l == Chinese {
		comma = "，"
	}
	text := ""
	for i, item := range items {
		if i > 0 {
			text += comma
		}
		text += item
	}
	return text
}

// Has reports whether the language has a message of its own.
func (l Language) Has(message string) bool {
	_, ok := inChinese(message)
	return ok || l != Chinese
}

// inChinese finds a message in the tables.
func inChinese(message string) (translated string, ok bool) {
	for _, table := range []map[string]string{chinese, chineseDefaults, chineseRejections} {
		if translated, ok = table[message]; ok {
			return translated, true
		}
	}
	return "", false
}
