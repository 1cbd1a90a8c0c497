package refresh_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/fetch"
	"github.com/tierwise/tierwise/catalog/importer"
	"github.com/tierwise/tierwise/functions/internal/refresh"
)

// specimen is a good document of a feed, and what of it is spoilt.
type specimen struct {
	feed, file string
	provider   catalog.ProviderID
	price      string // a price as it stands in the document
	quoted     bool   // as a text
	column     string // that the price is in, as a fault names it
	field      string // as the document names it
	name       string // a name, of the row of the price if it can be
	empty      string // a document without prices; "" if no document can say so
}

// specimens are one of every feed.
func specimens() []specimen {
	return []specimen{
		{feed: "skypilot", file: "skypilotfeed/testdata/lambda.csv", provider: "lambda", price: "0.2", column: "Price", field: "Price", name: "cpu_4x_general",
			empty: "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"},
		{feed: "gpuhunt", file: "gpuhuntfeed/testdata/aws.csv", provider: "aws", price: "21.957642", column: "price", field: "price", name: "m7i.xlarge",
			empty: "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\n"},
		{feed: "aws", file: "awsfeed/testdata/index.json", price: "0.2016000000", quoted: true, column: "pricePerUnit", field: "instanceType", name: "m7i.xlarge", empty: `{"products": {}, "terms": {}}`},
		{feed: "spotadvisor", file: "spotadvisorfeed/testdata/spot-advisor-data.json", price: "67", column: "s", field: "r", name: "p4d.24xlarge", empty: `{"ranges": [], "spot_advisor": {}}`},
		{feed: "azure", file: "azurefeed/testdata/page2.json", price: "0.096", column: "retailPrice", field: "retailPrice", name: "Standard_D2s_v5", empty: `{"Items": [], "NextPageLink": null, "Count": 0}`},
		{feed: "vast", file: "vastfeed/testdata/bundles.json", price: "7.12", column: "dph_base", field: "dph_base", name: "A100 SXM4", empty: `{"offers": []}`},
		{feed: "lambdalabs", file: "lambdalabsfeed/testdata/instance-types.json", price: "1432", column: "price_cents_per_hour", field: "price_cents_per_hour", name: "A100 (80 GB SXM4)", empty: `{"data": {}}`},
		{feed: "ecb", file: "ecbfeed/testdata/hist.xml", price: "170.00", quoted: true, column: "rate", field: "rate", name: "CNY", empty: `<Envelope><Cube></Cube></Envelope>`},
	}
}

// spoilt is a way to spoil a document.
type spoilt struct {
	name  string
	spoil func(s specimen, text string) string
	words func(s specimen) []string // that whoever imports it must be told
}

// says are words that do not depend on the feed.
func words(all ...string) func(specimen) []string { return func(specimen) []string { return all } }

// inPrice puts something in the place of the price. JSON has no NaN, so there the whole
// document is none.
func inPrice(what string) spoilt {
	return spoilt{what + " for a price", func(s specimen, text string) string {
		if s.quoted || what == "NaN" {
			return strings.ReplaceAll(text, s.price, what)
		}
		return strings.ReplaceAll(text, s.price, `"`+what+`"`) // in a table as well, for what has commas
	}, func(s specimen) []string {
		if what == "NaN" && strings.HasSuffix(s.file, ".json") && !s.quoted {
			return []string{"row ", "JSON"}
		}
		return []string{"row ", "column ", s.column, what}
	}}
}

// waysToSpoil are all of them.
func waysToSpoil() []spoilt {
	return []spoilt{
		inPrice("NaN"), inPrice("N/A"), inPrice("-"), inPrice("1,234.5,6"),
		{"a document that is cut", func(_ specimen, text string) string { return text[:len(text)*2/3] }, words("row ")},
		{"UTF-16", func(_ specimen, text string) string {
			return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00")
		}, words("row 1", "UTF-16", "UTF-8")},
		{"Latin-1 in a name", func(s specimen, text string) string { return strings.ReplaceAll(text, s.name, s.name+"\xe9") }, words("UTF-8")},
		{"a line's end in a name", func(s specimen, text string) string {
			if strings.HasSuffix(s.file, ".csv") {
				return strings.ReplaceAll(text, s.name, "\""+s.name+"\n\"")
			}
			return strings.ReplaceAll(text, s.name, s.name+map[bool]string{true: "&#10;", false: `\n`}[s.feed == "ecb"])
		}, words("row ")},
		{"a page of HTML", func(specimen, string) string { return "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n" }, words("row 1")},
		{"nothing", func(specimen, string) string { return "" }, words("row 1", "empty")},
		{"no prices", func(s specimen, _ string) string { return s.empty }, words()},
		{"a column renamed", func(s specimen, text string) string {
			return strings.NewReplacer(`"`+s.field+`"`, `"x_`+s.field+`"`, s.field+",", "x_"+s.field+",", s.field+"=", "x_"+s.field+"=").Replace(text)
		}, func(s specimen) []string { return []string{"row ", "column "} }},
		{"a gzip bomb", func(s specimen, text string) string {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write([]byte(text[:len(text)-2] + strings.Repeat(" ", 8<<20)))
			_ = w.Close()
			return b.String()
		}, words("too large")},
	}
}

// bench imports one feed into a store.
type bench struct {
	*importer.Importer
	source refresh.Source
	path   string
}

// newBench is a bench for a specimen, with nothing imported.
func newBench(t *testing.T, s specimen) bench {
	t.Helper()
	noon := func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
	store := bolt.New(filepath.Join(t.TempDir(), "c.db"), noon, bolt.Options{})
	kind, err := refresh.KindOf(s.feed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "document")
	subject := feed.Subject{Provider: s.provider, URLs: []string{path}, AsOf: catalog.Date{Year: 2026, Month: 11, Day: 30}, Limit: 4 << 20}
	return bench{importer.New(importer.Config{Store: store, Baseline: small, Now: noon}),
		refresh.Source{Kind: kind, Subject: subject, From: fetch.Files{Now: noon}}, path}
}

// imports imports a text.
func (b bench) imports(t *testing.T, text string) (importer.Result, *importer.Report) {
	t.Helper()
	if err := os.WriteFile(b.path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := b.Import(t.Context(), importer.Options{}, b.source)
	if err != nil {
		t.Fatal(err)
	}
	return result, &result.Reports[0]
}

// TestBadInput spoils a document of every feed in every way, after it was good. What
// can't be read is refused, by row, column and reason, and the catalogue stays.
func TestBadInput(t *testing.T) {
	for _, s := range specimens() {
		t.Run(s.feed, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("..", "..", "..", "catalog", "feed", s.file))
			if err != nil {
				t.Fatal(err)
			}
			text, b := string(content), newBench(t, s)
			good, report := b.imports(t, text)
			if !good.Published || report.Failed() {
				t.Fatalf("the good document: %+v", report)
			}
			for _, same := range []string{text, "\xef\xbb\xbf" + text} {
				if again, report := b.imports(t, same); again.Published || report.Failed() || report.Changed() != 0 {
					t.Errorf("the same again, or with a mark before it: %+v", report)
				}
			}
			for _, way := range waysToSpoil() {
				bad := way.spoil(s, text)
				if bad == text {
					t.Errorf("%s spoils nothing", way.name)
				}
				result, report := b.imports(t, bad)
				said := report.Why()
				for _, h := range report.Held {
					said += "\n" + h.Detail
				}
				if result.Published || result.Version != good.Version || said == "" {
					t.Errorf("%s: version %s, want %s to stay: %s", way.name, result.Version, good.Version, said)
				}
				for _, word := range way.words(s) {
					if !strings.Contains(said, word) {
						t.Errorf("%s: %q is not said: %.600s", way.name, word, said)
					}
				}
			}
		})
	}
}
