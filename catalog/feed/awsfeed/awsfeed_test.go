package awsfeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/awsfeed"
	"github.com/tierwise/tierwise/catalog/feed/feedtest"
)

var _ = flag.Bool("update", false, "write the golden files")

func TestRead(t *testing.T) {
	b, err := feedtest.Read(t, awsfeed.Read, "", feedtest.File(t, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "index.golden", feedtest.Text(b))
}

// TestTable holds the table against the document of the same list.
func TestTable(t *testing.T) {
	table, err := feedtest.Read(t, awsfeed.Read, "", feedtest.File(t, "index.csv"))
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "table.golden", feedtest.Text(table))
	document, err := feedtest.Read(t, awsfeed.Read, "", feedtest.File(t, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	priced := func(b feed.Batch) map[catalog.OfferID]string {
		found := make(map[catalog.OfferID]string)
		for _, r := range b.Rows {
			if r.Price.Known() {
				found[catalog.NewOfferID(r.Place, r.SKU, r.Variant, r.Market)] = r.Price.Amount.Decimal.String()
			}
		}
		return found
	}
	if diff := cmp.Diff(priced(document), priced(table)); diff != "" {
		t.Errorf("the table prices otherwise than the document (-document +table):\n%s", diff)
	}
}

func TestChina(t *testing.T) {
	text := strings.NewReplacer("us-east-1", "cn-north-1", `"USD"`, `"CNY"`).Replace(feedtest.File(t, "index.json"))
	b, err := feedtest.Read(t, awsfeed.Read, "", text)
	if err != nil || b.Provider != "aws-cn" || b.Source.Source != "AWS price list, cn-north-1" {
		t.Fatalf("of %s, %q, %v", b.Provider, b.Source.Source, err)
	}
	for _, r := range b.Rows {
		if r.Price.Known() && r.Price.Currency != "CNY" {
			t.Errorf("%+v is in %s", r, r.Price.Currency)
		}
	}
}

// TestWholeTerm holds an upfront part and an hourly part together against their sum.
func TestWholeTerm(t *testing.T) {
	b, err := feedtest.Read(t, awsfeed.Read, "", feedtest.File(t, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Rows {
		if r.Variant == "partial-upfront" && r.Market == catalog.Reserved1Y {
			rate, ok := r.Price.PerHour(decimal.NullDecimal{})
			want := decimal.RequireFromString("55000").Add(decimal.RequireFromString("6.35").Mul(rate.Den))
			if !ok || !rate.Num.Equal(want) || !rate.Den.Equal(decimal.NewFromInt(8760)) {
				t.Errorf("%s / %s, want %s / 8760", rate.Num, rate.Den, want)
			}
			return
		}
	}
	t.Error("no reservation that is paid in parts")
}

func TestRefused(t *testing.T) {
	whole, table := feedtest.File(t, "index.json"), feedtest.File(t, "index.csv")
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":               {"", []string{"row 1", "empty"}},
		"a page of HTML":        {"<html>", []string{"row 1", "<html>"}},
		"no products":           {`{"products": {}, "terms": {}}`, []string{"column terms", "products before"}},
		"nothing at all":        {`{}`, []string{"column products", "at least one"}},
		"no terms":              {`{"products": ` + whole[strings.Index(whole, `"products"`)+11:strings.Index(whole, ` "terms"`)-2] + "}", []string{"column terms", "at least one"}},
		"an odd date":           {strings.Replace(whole, "2026-11-27T", "27.11.2026", 1), []string{"column publicationDate"}},
		"cut in the products":   {whole[:len(whole)/3], []string{"row", "cut"}},
		"cut in the terms":      {whole[:len(whole)-100], []string{"cut"}},
		"NaN":                   {strings.Replace(whole, `"21.9576420000"`, "NaN", 1), []string{"JSON"}},
		"products in a list":    {strings.Replace(whole, `"products": {`, `"products": [{`, 1), []string{"row 1"}},
		"a table that is cut":   {table[:len(table)-30], []string{"row", "cut"}},
		"a table without price": {strings.Replace(table, "PricePerUnit", "Price", 1), []string{"row 6, column PricePerUnit"}},
		"a table without head":  {"a,b\nc,d\n", []string{"row 3", "5 rows before the header"}},
		"a table of nothing":    {table[:strings.Index(table, "\n\"AAAA1")+1], []string{"column products"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, awsfeed.Read, "", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
}

func TestBadProductsStandAlone(t *testing.T) {
	whole := feedtest.File(t, "index.json")
	good, err := feedtest.Read(t, awsfeed.Read, "", whole)
	if err != nil {
		t.Fatal(err)
	}
	for old, row := range map[string]struct{ new, words string }{
		`"instanceType": "m7i.xlarge"`: {`"type": "m7i.xlarge"`, "row 8, column instanceType"},
		`"m7i.xlarge"`:                 {"\"m7i\xff\"", "row 8, column instanceType"},
		`"2,048 GiB"`:                  {`"much"`, "row 11, column memory"},
		`"2861 MiB"`:                   {`"2861 pages"`, "row 9, column gpuMemory"},
		`"gpu": "0.125"`:               {`"gpu": 0.125`, "row 9, column Attributes.gpu"},
		`"0.2016000000"`:               {`"0,2016"`, "row 8, column pricePerUnit"},
		`"0.2023000000"`:               {`{}`, "row 9"},
	} {
		b, err := feedtest.Read(t, awsfeed.Read, "", strings.Replace(whole, old, row.new, 1))
		if err != nil || len(b.Faults) != len(good.Faults)+1 {
			t.Errorf("%s: %v, %d faults", row.new, err, len(b.Faults))
			continue
		}
		var texts []string
		for _, f := range b.Faults {
			texts = append(texts, f.Error())
		}
		if all := strings.ToLower(strings.Join(texts, "\n")); !strings.Contains(all, strings.ToLower(row.words)) {
			t.Errorf("%s: %s, want %s", row.new, all, row.words)
		}
	}
}

func FuzzRead(f *testing.F) {
	feedtest.Fuzz(f, awsfeed.Read, "", feedtest.File(&testing.T{}, "index.json"), feedtest.File(&testing.T{}, "index.csv"))
}
