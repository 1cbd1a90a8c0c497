package query

import (
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/schemas"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const golden = "testdata/phrases.txt"

// TestPhrases reads every phrase of the golden file: a line "> phrase", the request
// as JSON, a line "? word" for each word that is not understood, and "! problem" if
// there is one.
func TestPhrases(t *testing.T) {
	content, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := string(content)
	var got strings.Builder
	phrases := 0
	for line := range strings.Lines(want) {
		phrase, ok := strings.CutPrefix(line, "> ")
		if ok {
			phrases++
			got.WriteString(line + reading(t, strings.TrimSuffix(phrase, "\n")))
		} else if strings.HasPrefix(line, "#") || line == "\n" {
			got.WriteString(line)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(got.String(), want); diff != "" {
		t.Errorf("readings, got - want +:\n%s", diff)
	}
	if phrases < 600 {
		t.Errorf("got %d phrases, want at least 600", phrases)
	}
}

// reading is what the golden file says of a phrase.
func reading(t *testing.T, phrase string) string {
	t.Helper()
	result, err := Parse(phrase, testNames())
	request, jsonErr := json.Marshal(result.Request)
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	text := string(request) + "\n"
	for _, word := range result.NotUnderstood {
		text += "? " + word + "\n"
	}
	if queryErr, ok := errors.AsType[*Error](err); ok {
		text += "! " + string(queryErr.Problem) + "\n"
	}
	return text
}

// phrases are those of the golden file.
func phrases(t testing.TB) []string {
	content, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(content)) {
		if phrase, ok := strings.CutPrefix(line, "> "); ok {
			list = append(list, strings.TrimSuffix(phrase, "\n"))
		}
	}
	return list
}

func TestTextsThatAreNoQuery(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Problem
	}{
		{"nothing", "", Empty},
		{"only blanks", " \t\u3000\u200b", Empty},
		{"longest", strings.Repeat("字", MaxRunes), NoSubject},
		{"too long", strings.Repeat("字", MaxRunes+1), TooLong},
		{"broken bytes", "finetune 7b \xff", NotUTF8},
		{"no subject", "hello", NoSubject},
		{"only a size", "7b", NoSubject},
		{"denied kind", "no fine-tune", NoSubject},
		{"count without hardware", "8 GPUs for a week", NoSubject},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(test.text, testNames())
			got, ok := errors.AsType[*Error](err)
			if !ok || got.Problem != test.want {
				t.Fatalf("got error %v, want problem %s", err, test.want)
			}
			if got.Error() == "" || strings.Contains(got.Error(), "no query:") {
				t.Errorf("got message %q, want one of the problem's own", got.Error())
			}
		})
	}
}

func TestNoNames(t *testing.T) {
	got, err := Parse("lora llama-2-7b on aws a100 阿里云", Names{})
	want := []string{"llama-2-7b", "aws", "a100", "阿里云"}
	if diff := cmp.Diff(got.NotUnderstood, want); diff != "" || err != nil {
		t.Errorf("got error %v, words not understood, got - want +:\n%s", err, diff)
	}
}

// complete reports whether a request has what its schema can't do without.
func complete(r schemas.RecommendRequest) bool {
	if w := r.Workload; w != nil {
		switch w.Kind {
		case "batch":
			return w.Batch != nil && w.Batch.ReferenceGPU != ""
		case "render":
			return w.Render != nil && w.Render.Frames != nil && w.Render.SecondsPerFrame != nil && w.Render.ReferenceGPU != ""
		}
		return w.Kind != "" && w.Model != nil
	}
	return r.Rental != nil
}

// validate tests a request against the schema of its document.
func validate(t *testing.T, phrase string, r schemas.RecommendRequest) {
	t.Helper()
	document, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if !complete(r) {
		return
	}
	if err := schemas.Validate(schemas.RecommendRequestSchema, document); err != nil {
		t.Errorf("%q: %s: %v", phrase, document, err)
	}
}

func TestRequestsAreValid(t *testing.T) {
	for _, phrase := range phrases(t) {
		result, _ := Parse(phrase, testNames())
		validate(t, phrase, result.Request)
	}
}

// A word that no rule knows changes nothing but the list of such words, whether it
// stands before or behind a phrase.
func TestUnknownWordsChangeNothing(t *testing.T) {
	for _, phrase := range phrases(t) {
		plain, plainErr := Parse(phrase, testNames())
		for _, text := range []string{phrase + " zorp", "zorp, " + phrase, phrase + " zorp qux"} {
			got, err := Parse(text, testNames())
			if diff := cmp.Diff(got.Request, plain.Request); diff != "" {
				t.Errorf("%q: request, got - want +:\n%s", text, diff)
			}
			if (err == nil) != (plainErr == nil) {
				t.Errorf("%q: got error %v, want %v", text, err, plainErr)
			}
			without := strings.NewReplacer(" zorp", "", "zorp", "", " qux", "", "qux", "").Replace(strings.Join(got.NotUnderstood, "|"))
			if !strings.Contains(without, strings.Join(plain.NotUnderstood, "|")) {
				t.Errorf("%q: got %q not understood, want all of %q", text, got.NotUnderstood, plain.NotUnderstood)
			}
		}
	}
}

// Case, full-width forms and the width of blanks mean nothing. Capitals are left
// out of it where they tell a country from a word.
func TestFormsOfCharactersMeanNothing(t *testing.T) {
	wide := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '\u3000'
			case r > ' ' && r <= '~' && r != ',':
				return r + '！' - '!'
			}
			return r
		}, s)
	}
	for _, phrase := range phrases(t) {
		if strings.ContainsAny(phrase, ".:/") {
			continue // those between digits have a meaning that the wide ones lack
		}
		want, _ := Parse(phrase, testNames())
		for _, text := range []string{wide(phrase), strings.ReplaceAll(phrase, " ", "  ")} {
			if got, _ := Parse(text, testNames()); !cmp.Equal(got.Request, want.Request) {
				t.Errorf("%q: request, got - want +:\n%s", text, cmp.Diff(got.Request, want.Request))
			}
		}
	}
}

// A denied wish is never read as the wish, however it is denied.
func TestDenialsNeverRequest(t *testing.T) {
	denials := []string{"no %s", "not %s", "without %s", "don't use %s", "do not want %s", "avoid %s", "non-%s", "never %s", "not only %s", "not necessarily %s",
		"%s excluded", "%s is not allowed", "anything but %s", "rather than %s", "no zorp %s", "not really zorp %s", "-%s", "!%s", "neither %s nor lora", "no, no %s",
		"不要%s", "不用%s", "别用%s", "非%s", "%s除外", "%s不行", "除了%s", "不限%s", "不一定要%s", "不能用%s", "%s不要", "拒绝%s"}
	wishes := []string{"spot", "竞价", "aws", "阿里云", "china", "德国", "EU", "community", "大厂", "ecc", "critical", "qlora", "A100", "4xA100", "us-east-1", "gdpr", "fastest", "reserved", "13b"}
	for _, denial := range denials {
		for _, wish := range wishes {
			text := strings.Replace(denial, "%s", wish, 1)
			got, _ := Parse("fine-tune 7b, "+text, testNames())
			wished, _ := Parse("fine-tune 7b, "+wish, testNames())
			if cmp.Equal(got.Request, wished.Request) {
				t.Errorf("%q is read like %q", text, wish)
			}
			if c := got.Request.Constraints; c != nil && (len(c.Providers)+len(c.Countries)+len(c.GPUs)+len(c.Regions)+len(c.Compliance) > 0 || c.ECC != nil && *c.ECC) {
				document, _ := json.Marshal(c)
				t.Errorf("%q: got %s, want no wish", text, document)
			}
		}
	}
}

// Anything that is built from pieces of the grammar gives a valid request, the same
// one each time.
func TestRandomPhrases(t *testing.T) {
	pieces := strings.Fields(strings.Join(phrases(t), " "))
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var words []string
		for range 1 + random.IntN(12) {
			words = append(words, pieces[random.IntN(len(pieces))])
		}
		check(t, strings.Join(words, " "))
	}
}

// check tests what holds for every text.
func check(t *testing.T, text string) {
	t.Helper()
	got, err := Parse(text, testNames())
	again, _ := Parse(text, testNames())
	if !cmp.Equal(got, again) {
		t.Errorf("%q: two readings differ:\n%s", text, cmp.Diff(got, again))
	}
	if _, ok := errors.AsType[*Error](err); err != nil && !ok {
		t.Errorf("%q: got error %v, want an *Error", text, err)
	}
	runes := 0
	rest := text
	for _, word := range got.NotUnderstood {
		runes += utf8.RuneCountInString(word)
		at := strings.Index(rest, word)
		if at < 0 || word == "" {
			t.Errorf("%q: got %q not understood, which does not follow in the text", text, word)
			continue
		}
		rest = rest[at+len(word):]
	}
	if runes > utf8.RuneCountInString(text) {
		t.Errorf("%q: %d runes not understood, more than there are", text, runes)
	}
	if got.NotUnderstood == nil && (err == nil || err.(*Error).Problem == NoSubject) {
		t.Errorf("%q: got nil, want an empty list", text)
	}
	validate(t, text, got.Request)
}

func FuzzParse(f *testing.F) {
	for _, phrase := range phrases(f) {
		f.Add(phrase)
	}
	f.Fuzz(check)
}

// Every phrase of the lexicon is one item at most, and is found as it is written.
func TestLexicon(t *testing.T) {
	if classesEnd > 64 {
		t.Errorf("%d classes, a set has room for 64", classesEnd)
	}
	entered := make(map[string][]class)
	for first, e := range vocabulary().entries {
		for _, p := range e.phrases {
			key := strings.Join(p.tokens, " ")
			if first != p.tokens[0] || key != strings.ToLower(key) {
				t.Errorf("phrase %q can't be found", key)
			}
			if slices.Contains(entered[key], p.class) {
				t.Errorf("phrase %q is entered twice as class %d", key, p.class)
			}
			entered[key] = append(entered[key], p.class)
		}
	}
	for key, list := range entered {
		items := slices.DeleteFunc(slices.Clone(list), func(c class) bool { return c >= notItem })
		if len(items) > 1 {
			t.Errorf("phrase %q is an item of classes %v", key, items)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"7", "7"}, {"007", "7"}, {"0.50", "0.5"}, {"1,234,567.89", "1234567.89"}, {"十", "10"}, {"十二", "12"}, {"二十", "20"}, {"三百五", "350"}, {"三百零五", "305"},
		{"一千零五十", "1050"}, {"两万五", "25000"}, {"1.5万", "15000"}, {"一亿两千万", "120000000"}, {"1.5万亿", "1500000000000"}, {"一万亿", "1000000000000"}, {"百", ""},
		{"三五", ""}, {"1,50", ""}, {"1.2.3", ""}, {"24/7", ""}, {"12,3456", ""}, {"9999999999999999", ""}, {"twelve", "12"}, {"x", ""},
	} {
		scanned := scan(test.text)
		r := reader{text: scanned, entries: vocabulary().look(scanned.tokens), loners: make(map[int]bool)}
		n, end := r.number(0)
		got := ""
		if end == len(r.tokens) {
			got = n.String()
		}
		if got != test.want {
			t.Errorf("number %q: got %q, want %q", test.text, got, test.want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"english": "qlora 70b under $200 in 24h, eu only, no spot",
		"chinese": "用4张A100微调7B模型，预算1000元，24小时内完成，不要竞价",
		"longest": strings.Repeat("lora 7b on 8xH100 不要竞价, ", 40),
	} {
		b.Run(name, func(b *testing.B) {
			names := testNames()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text, names); err != nil && name != "longest" {
					b.Fatal(err)
				}
			}
		})
	}
}
