package vastfeed_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/feed/feedtest"
	"github.com/tierwise/tierwise/catalog/feed/vastfeed"

	"github.com/tierwise/tierwise/catalog/feed"
)

var _ = flag.Bool("update", false, "write the golden files")

func TestRead(t *testing.T) {
	from := feedtest.Of(feedtest.File(t, "bundles.json"))
	b, err := vastfeed.Read(t.Context(), from, feed.Subject{URLs: []string{"doc"}, Key: "k-123"})
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "bundles.golden", feedtest.Text(b))
	asked := from.Asked[0]
	if asked.Method != http.MethodPost || !json.Valid(asked.Body) || asked.Header.Get("Authorization") != "Bearer k-123" {
		t.Errorf("asked with %s %s", asked.Method, asked.Body)
	}
}

// box is an answer of one box.
func box(field, value string) string {
	fields := map[string]string{"gpu_name": `"RTX 4090"`, "num_gpus": "1", "gpu_ram": "24564", "gpu_frac": "1", "cpu_ram": "64000", "cpu_cores": "16",
		"cpu_cores_effective": "16", "dph_base": "0.4", "geolocation": `"Sweden, SE"`}
	if fields[field] = value; value == "" {
		delete(fields, field)
	}
	var parts []string
	for name, value := range fields {
		parts = append(parts, fmt.Sprintf("%q: %s", name, value))
	}
	return `{"offers": [` + "{" + strings.Join(parts, ", ") + "}]}"
}

// TestMemory holds MB against the gigabytes that GPUs are sold with, at their bounds.
func TestMemory(t *testing.T) {
	for mb, want := range map[string]string{
		"16384": "1x-RTX 4090-16GB", "24576": "1x-RTX 4090-24GB", "81920": "1x-RTX 4090-80GB", "24564": "1x-RTX 4090-24GB", "81559": "1x-RTX 4090-80GB", "49140": "1x-RTX 4090-48GB",
	} {
		b, err := feedtest.Read(t, vastfeed.Read, "", box("gpu_ram", mb))
		if err != nil || len(b.Rows) != 1 || string(b.Rows[0].SKU) != want {
			t.Errorf("%s MB: %+v, %v, want %s", mb, b.Rows, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	whole := feedtest.File(t, "bundles.json")
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":        {"", []string{"row 1", "empty"}},
		"a page of HTML": {"<html>", []string{"row 1", "JSON"}},
		"an empty list":  {`{"offers": []}`, []string{"column offers", "at least one"}},
		"another answer": {`{"success": false, "msg": "no"}`, []string{"column offers"}},
		"a list":         {`[]`, []string{"row 1", "JSON object"}},
		"cut":            {whole[:len(whole)*2/3], []string{"row 6", "cut"}},
		"Infinity":       {strings.Replace(whole, "7.12", "Infinity", 1), []string{"row 2", "JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, vastfeed.Read, "", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
	for _, row := range []struct{ field, value, words string }{
		{"dph_base", "", "row 1, column dph_base"},
		{"dph_base", `"0.4"`, "row 1, column dph_base"},
		{"gpu_ram", "0", "row 1, column gpu_ram"},
		{"num_gpus", "1.5", "row 1, column num_gpus"},
		{"geolocation", `"two\nlines"`, "row 1, column geolocation"},
		{"rented", `"no"`, "row 1, column rented"},
	} {
		b, err := feedtest.Read(t, vastfeed.Read, "", box(row.field, row.value))
		if err != nil || len(b.Faults) != 1 || len(b.Rows) != 0 {
			t.Errorf("%+v: %v, faults %v, rows %v", row, err, b.Faults, b.Rows)
			continue
		}
		feedtest.Refused(t, b.Faults[0], row.words)
	}
}

func FuzzRead(f *testing.F) {
	feedtest.Fuzz(f, vastfeed.Read, "", feedtest.File(&testing.T{}, "bundles.json"), box("gpu_frac", "1"))
}
