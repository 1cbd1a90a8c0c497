// Package feedtest is what the tests of every feed need: documents in memory or
// testdata, and batches as text that people can review.
package feedtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Documents are documents by their addresses. It keeps the requests for them.
type Documents struct {
	Texts map[string]string
	Asked []feed.Request
}

// Of is a source of one document.
func Of(text string) *Documents { return &Documents{Texts: map[string]string{"doc": text}} }

// Open opens a document as of Day.
func (d *Documents) Open(_ context.Context, r feed.Request) (*feed.Document, error) {
	d.Asked = append(d.Asked, r)
	text, ok := d.Texts[r.URL]
	if !ok {
		return nil, fmt.Errorf("open %s: no such document", r.URL)
	}
	document, err := feed.NewDocument(strings.NewReader(text), r.Limit, nil)
	if err != nil {
		return nil, err
	}
	document.Name, document.Date = r.URL, Day()
	return document, nil
}

// Day is the day on which documents are read.
func Day() catalog.Date { return catalog.Date{Year: 2026, Month: 11, Day: 30} }

// Read is a feed of one document, read.
func Read(t *testing.T, read feed.Read, provider catalog.ProviderID, text string) (feed.Batch, error) {
	t.Helper()
	return read(t.Context(), Of(text), feed.Subject{Provider: provider, URLs: []string{"doc"}})
}

// File is the content of a file in testdata.
func File(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Golden compares a text with a file in testdata; "go test -update" writes it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(File(t, name), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", name, diff)
	}
}

// Text is a batch, a line for every fact.
func Text(b feed.Batch) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, source %q, licence %q, prices of %s, %d read%s\n", name(b.Provider), b.Source.Source, b.Source.Licence, b.AsOf, b.Read, marks(b))
	for i := range b.Rows {
		out.WriteString(rowText(&b.Rows[i]) + "\n")
	}
	for _, x := range b.Bands {
		fmt.Fprintf(&out, "band %s %s %s-%s%% of %s\n", x.Place, x.SKU, x.Band.Low.Decimal, openEnd(x.Band), x.Band.AsOf)
	}
	for _, r := range b.Rates {
		fmt.Fprintf(&out, "rate %s %s %s, %s\n", r.Month, r.UnitsPerUSD, r.Currency, r.Source)
	}
	for _, f := range b.Faults {
		fmt.Fprintf(&out, "fault %s\n", f.Error())
	}
	for _, what := range slices.Sorted(maps.Keys(b.Skipped)) {
		fmt.Fprintf(&out, "skipped %d: %s\n", b.Skipped[what], what)
	}
	return out.String()
}

// name is a provider, or that there is none.
func name(id catalog.ProviderID) string {
	if id == "" {
		return "no provider"
	}
	return string(id)
}

// marks are what is special about a batch.
func marks(b feed.Batch) string {
	text := ""
	for _, mark := range []struct {
		set  bool
		text string
	}{{b.Direct, ", direct"}, {b.OnePrice, ", one price for all regions"}, {b.Partial, ", partial"}} {
		if mark.set {
			text += mark.text
		}
	}
	return text
}

// openEnd is the upper end of a band.
func openEnd(b *catalog.Band) string {
	if !b.High.Valid {
		return ""
	}
	return b.High.Decimal.String()
}

// rowText is a row on one line; what is not known is left out.
func rowText(r *feed.Row) string {
	parts := []string{fmt.Sprintf("row %d", r.Number), r.Place.String()}
	add := func(set bool, format string, values ...any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(r.Zone != "", "zone %s", r.Zone)
	add(r.Country != "", "in %s", r.Country)
	add(true, "%q", r.SKU)
	add(r.Variant != "", "(%s)", r.Variant)
	add(r.Service != catalog.VirtualMachine, "%s", r.Service)
	add(true, "%s", r.Market)
	add(r.GPU.Name != "", "%s", gpuText(r.GPU))
	add(r.MinGPUs > 0, "from %d GPUs", r.MinGPUs)
	add(r.VCPUs > 0, "%g vCPUs", r.VCPUs)
	add(r.RAMGB > 0, "%g GB", r.RAMGB)
	add(r.DiskGB > 0, "%g GB disk", r.DiskGB)
	add(r.KnownOnly, "as the catalogue knows it")
	add(r.Price.Known(), "%s %s %s", r.Price.Amount.Decimal.StringFixed(max(0, -r.Price.Amount.Decimal.Exponent())), r.Price.Currency, r.Price.Basis)
	add(!r.Price.Known(), "no price (%q)", r.PriceText)
	add(r.AsOf.Known(), "of %s", r.AsOf)
	add(r.Availability != catalog.AvailabilityUnknown, "availability %s", r.Availability)
	add(r.BillingStep > 0, "by %d s", r.BillingStep)
	add(len(r.Flags) > 0, "%v", r.Flags)
	return strings.Join(parts, " ")
}

// gpuText is a GPU with its count and every reading of its memory.
func gpuText(g feed.GPU) string {
	count := "part of "
	if g.Count.Valid {
		count = g.Count.Decimal.String() + " x "
	}
	text := count + fmt.Sprintf("%q", g.Name)
	for i, gb := range g.MemoryGB {
		text += []string{" of ", " or "}[min(i, 1)] + fmt.Sprintf("%.5g GB", gb)
	}
	return text
}

// Refused checks that a feed is refused, and that its error says all of the words.
func Refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Error("the feed is taken, want an error")
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error %q does not say %q", err, word)
		}
	}
}

// Fuzz feeds a reader documents that begin like good ones: whatever it is given, it
// may refuse it, but not fail otherwise, nor yield what is no row.
func Fuzz(f *testing.F, read feed.Read, provider catalog.ProviderID, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
		f.Add(s[:len(s)/2])
		f.Add(strings.Replace(s, ",", "\x00,", 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		from := &Documents{Texts: map[string]string{"doc": text}}
		b, err := read(ctx, from, feed.Subject{Provider: provider, URLs: []string{"doc"}})
		if err != nil {
			return
		}
		for i := range b.Rows {
			checkRow(t, &b.Rows[i])
		}
		for _, r := range b.Rates {
			if !r.UnitsPerUSD.IsPositive() {
				t.Errorf("rate %+v is not positive", r)
			}
		}
	})
}

// checkRow checks what must be so of every row.
func checkRow(t *testing.T, r *feed.Row) {
	switch p := r.Price; {
	case r.SKU == "" || r.Provider == "" || r.Market == "" || r.Service == "":
		t.Errorf("row %d has no SKU, provider, market or service: %+v", r.Number, r)
	case !feed.Name(string(r.SKU)) || !feed.Name(string(r.Region)) || !feed.Name(r.GPU.Name):
		t.Errorf("row %d has a name that is none: %+v", r.Number, r)
	case p.Known() && !p.Amount.Decimal.IsPositive():
		t.Errorf("row %d has a price of %s", r.Number, p.Amount.Decimal)
	case p.Basis == "" || p.Currency == "":
		t.Errorf("row %d has a price without unit or currency", r.Number)
	case r.GPU.Count.Valid && r.GPU.Count.Decimal.IsNegative():
		t.Errorf("row %d has %s GPUs", r.Number, r.GPU.Count.Decimal)
	}
}

// Broken is a reader that fails in the middle.
type Broken struct {
	From io.Reader
	Err  error
}

// Read reads, and fails where the text ends.
func (b Broken) Read(p []byte) (int, error) {
	n, err := b.From.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.Err
	}
	return n, err
}
