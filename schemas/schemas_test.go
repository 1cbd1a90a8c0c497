package schemas

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the .want files anew")

// Each testdata/<schema>/valid_*.json passes, and each invalid_*.json is refused
// for the reasons in its .want file.
func TestDocuments(t *testing.T) {
	for _, name := range Names() {
		paths, err := filepath.Glob(filepath.Join("testdata", string(name), "*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no documents: %v", name, err)
		}
		for _, path := range paths {
			t.Run(strings.TrimSuffix(strings.TrimPrefix(path, "testdata/"), ".json"), func(t *testing.T) {
				got := describe(Validate(name, read(t, path)))
				if strings.HasPrefix(filepath.Base(path), "valid_") {
					if got != "" {
						t.Errorf("got:\n%s\nwant it valid", got)
					}
					return
				}
				compare(t, strings.TrimSuffix(path, ".json")+".want", got)
			})
		}
	}
}

// Every schema's examples are valid.
func TestExamples(t *testing.T) {
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		var schema struct{ Examples []json.RawMessage }
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for i, example := range schema.Examples {
			if err := Validate(name, example); err != nil {
				t.Errorf("example %d of %s: %v", i, name, err)
			}
		}
	}
}

// What the schema of requests accepts is what the Go type holds, field by field.
func TestRequestTypeHoldsEveryField(t *testing.T) {
	for _, kind := range []string{"everything", "batch", "render"} {
		roundTrip(t, RecommendRequestSchema, read(t, "testdata/recommend.request/valid_"+kind+".json"), new(RecommendRequest))
	}
}

// An answer that a type reads is the answer that it writes.
func TestAnswersRoundTrip(t *testing.T) {
	for _, c := range []struct {
		name   Name
		answer any
	}{
		{RecommendResponseSchema, new(RecommendResponse)}, {OfferSchema, new(Offer)}, {OffersResponseSchema, new(OffersResponse)},
		{OfferResponseSchema, new(OfferResponse)}, {HistoryResponseSchema, new(HistoryResponse)}, {GPUsResponseSchema, new(GPUsResponse)},
		{ProvidersResponseSchema, new(ProvidersResponse)}, {EstimateResponseSchema, new(EstimateResponse)}, {ProblemSchema, new(ProblemDocument)}, {HealthSchema, new(Health)},
	} {
		paths, err := filepath.Glob(filepath.Join("testdata", string(c.name), "valid_*.json"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no documents: %v", c.name, err)
		}
		for _, path := range paths {
			fresh := reflect.New(reflect.TypeOf(c.answer).Elem()).Interface()
			again := roundTrip(t, c.name, read(t, path), fresh)
			var want, got any
			if err := errors.Join(json.Unmarshal(read(t, path), &want), json.Unmarshal(again, &got)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-read +written):\n%s", path, diff)
			}
		}
	}
}

// roundTrip reads a document into v, which must have each of its fields, and writes
// it again.
func roundTrip(t *testing.T, name Name, document []byte, v any) []byte {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(document)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := Validate(name, again); err != nil {
		t.Errorf("%s: what the type writes is not valid: %v", name, err)
	}
	return again
}

func TestDecodeRefusesWhatTheTypeCannotHold(t *testing.T) {
	for _, c := range []struct{ name, epochs string }{
		{"a decimal point", "1.0"},
		{"an exponent", "1e3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			document := fmt.Sprintf(`{"workload": {"kind": "finetune", "model": {"params_b": "7"}, "epochs": %s}}`, c.epochs)
			if err := Validate(RecommendRequestSchema, []byte(document)); err != nil {
				t.Fatalf("the schema takes it for whole: %v", err)
			}
			var request RecommendRequest
			got := describe(Decode(RecommendRequestSchema, []byte(document), &request))
			if want := "/workload/epochs want a whole number in plain digits\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestLimitsOfDocuments(t *testing.T) {
	valid := read(t, "testdata/recommend.request/valid_smallest.json")
	for _, c := range []struct {
		name     string
		document []byte
		want     string
	}{
		{"as large as allowed", padded(valid, MaxBytes), ""},
		{"too large", padded(valid, MaxBytes+1), " the document is larger than 262144 bytes\n"},
		{"invalid UTF-8", []byte("{\"workload\": \"\xff\"}"), " the document is not valid UTF-8\n"},
		{"brackets in texts do not nest", []byte(`{"currency": "` + strings.Repeat(`[`, 50) + `\"{{"}`),
			"/currency want the three letters of a currency, such as \"USD\"; got \"" + strings.Repeat("[", 50) + "\\\"{{\"\n"},
		{"a byte order mark", append([]byte("\xef\xbb\xbf"), valid...), " the document is not valid JSON: a character is out of place at byte 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(Validate(RecommendRequestSchema, c.document)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A message repeats little of a document, however long its names and texts are.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("<&\\\"é", 20_000)
	key, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{
		fmt.Sprintf(`{%s: 1}`, key),
		fmt.Sprintf(`{"language": %s}`, key),
		fmt.Sprintf(`{"workload": {%s: {%s: 1, %s: 2}}}`, key, key, key),
		fmt.Sprintf(`{"constraints": {"gpus": [%s]}}`, key),
	} {
		var invalid *ValidationError
		if err := Validate(RecommendRequestSchema, []byte(document)); !errors.As(err, &invalid) {
			t.Fatalf("got error %v, want a *ValidationError", err)
		}
		for _, p := range invalid.Problems {
			if len(p.Pointer) > 200 || len(p.Message) > 500 {
				t.Errorf("pointer of %d bytes, message of %d", len(p.Pointer), len(p.Message))
			}
		}
	}
}

func TestQuoted(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"H10O", `"H10O"`},
		{"", `""`},
		{"a\x00b", `"a\x00b"`},
		{strings.Repeat("a", 81), `"` + strings.Repeat("a", 80) + `"...`},
	} {
		if got := Quoted(c.text); got != c.want {
			t.Errorf("Quoted(%q) = %s, want %s", c.text, got, c.want)
		}
	}
	for _, text := range []string{strings.Repeat("\x00", 1000), strings.Repeat("显", 1000), "\xff\xfe"} {
		if got := Quoted(text); len(got) > 90 {
			t.Errorf("Quoted of %d bytes has %d", len(text), len(got))
		}
	}
}

func TestConcurrentValidate(t *testing.T) {
	document := read(t, "testdata/recommend.request/invalid_lists.json")
	want := describe(Validate(RecommendRequestSchema, document))
	results := make(chan string)
	const readers = 50
	for range readers {
		go func() { results <- describe(Validate(RecommendRequestSchema, document)) }()
	}
	for range readers {
		if got := <-results; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Whatever the bytes, Validate ends with no error or a *ValidationError, and what
// it accepts can be read.
func FuzzValidate(f *testing.F) {
	paths, err := filepath.Glob("testdata/recommend.request/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		document, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var request RecommendRequest
		err := Decode(RecommendRequestSchema, document, &request)
		var invalid *ValidationError
		if err != nil && !errors.As(err, &invalid) {
			t.Errorf("got error %v, want a *ValidationError", err)
		}
		if err != nil && len(invalid.Problems) == 0 {
			t.Error("refused without a problem")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	document, err := os.ReadFile("testdata/recommend.request/valid_everything.json")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var request RecommendRequest
		if err := Decode(RecommendRequestSchema, document, &request); err != nil {
			b.Fatal(err)
		}
	}
}

// describe writes an error of Validate: a line for each problem.
func describe(err error) string {
	var invalid *ValidationError
	if !errors.As(err, &invalid) {
		if err != nil {
			return err.Error()
		}
		return ""
	}
	var b strings.Builder
	for _, p := range invalid.Problems {
		fmt.Fprintf(&b, "%s %s\n", p.Pointer, p.Message)
	}
	return b.String()
}

// compare compares with a golden file, or writes it.
func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, path)), got); diff != "" || got == "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// padded is a document with spaces up to a size.
func padded(document []byte, size int) []byte {
	return append(document[:len(document):len(document)], strings.Repeat(" ", size-len(document))...)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
