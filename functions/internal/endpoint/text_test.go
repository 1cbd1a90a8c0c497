package endpoint

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/query"
)

// What people call things is found in the embedded catalogue.
func TestSpokenNames(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(s)
	for _, c := range []struct {
		find       func(string) (string, bool)
		text, want string
	}{
		{names.GPU, "4090", "RTX-4090-24GB"},
		{names.GPU, "rtx 3090", "RTX-3090-24GB"},
		{names.GPU, "a6000", "RTX-A6000-48GB"},
		{names.GPU, "a100 40g", "A100-40GB"},
		{names.GPU, "80gb a100", "A100-80GB"},
		{names.GPU, "80g a100", "A100-80GB"},
		{names.GPU, "a100", "A100"},
		{names.GPU, "100", ""},
		{names.GPU, "80gb", ""},
		{names.GPU, "2048", ""},
		{names.Model, "8x7b", "mixtral-8x7b"},
		{names.Model, "8 x 7b", "mixtral-8x7b"},
		{names.Model, "9x7b", ""},
		{names.Model, "7b", ""},
		{names.Region, "北京", "Beijing"},
		{names.Region, "东京", "Tokyo"},
		{names.Region, "frankfurt", "Frankfurt"},
		{names.Provider, "阿里云", "alibaba"},
	} {
		if got, ok := c.find(c.text); got != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// Every other name of a GPU that the catalogue knows is one in a text, too.
func TestAliasesOfGPUs(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../../../catalog/seed/gpu_aliases.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 100 {
		t.Fatalf("%d aliases, %v", len(rows), err)
	}
	find := namesOf(s).GPU
	for _, row := range rows[1:] {
		if _, known := s.GPU(catalog.GPUID(row[1])); known {
			if _, ok := find(strings.ToLower(row[0])); !ok {
				t.Errorf("%s is not found", row[0])
			}
		}
	}
}

// A misspelt word gets the word that it may have meant, and never its effect.
func TestSuggestions(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	h := NewRecommend(engine.New(s), time.Now)
	for text, want := range map[string]string{
		"fientune 7b":       "finetune",
		"cheapst 7b lora":   "cheapest",
		"qlroa 70b":         "qlora",
		"lora 7b on amazn":  "amazon",
		"lora lama-3-8b":    "llama-3-8b",
		"lora 7b sandwich":  "",
		"cheapest 7b lora!": "",
	} {
		result, _ := query.Parse(text, h.names)
		found := h.suggestions(result.NotUnderstood)
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%q: got %v, want nothing", text, found)
		case want != "" && (len(found) != 1 || !slices.Contains(found[0].Near, want)):
			t.Errorf("%q: got %v, want %s", text, found, want)
		}
	}
}

// BenchmarkText is a text as it becomes a request, with the names of the embedded
// catalogue.
func BenchmarkText(b *testing.B) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	names := namesOf(s)
	for _, c := range []struct{ name, text string }{
		{"english", "qlora 70b under $200 in 24h, eu only, no spot"},
		{"chinese", "用4张A100微调7B模型，预算1000元，24小时内完成，不要竞价"},
		{"names", "fine-tune llama-3.1-70b on 8xH100 in frankfurt on aws, not azure"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if result, err := query.Parse(c.text, names); err != nil || len(result.NotUnderstood) > 0 {
					document, _ := json.Marshal(result)
					b.Fatal(err, string(document))
				}
			}
		})
	}
}
