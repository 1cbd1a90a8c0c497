package azurefeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/azurefeed"
	"github.com/tierwise/tierwise/catalog/feed/feedtest"
)

var _ = flag.Bool("update", false, "write the golden files")

// The addresses of two pages.
const (
	first  = "https://prices.example/api/retail/prices"
	second = "https://prices.example/api/retail/prices?$skip=100"
)

// known are the instance types that a catalogue knows.
func known(_ catalog.ProviderID, sku catalog.SKU) bool {
	return sku == "Standard_D2s_v5" || sku == "Standard_NC24ads_A100_v4"
}

// pages are two pages at their addresses.
func pages(t *testing.T) *feedtest.Documents {
	t.Helper()
	return &feedtest.Documents{Texts: map[string]string{first: feedtest.File(t, "page1.json"), second: feedtest.File(t, "page2.json")}}
}

func TestPages(t *testing.T) {
	b, err := azurefeed.Read(t.Context(), pages(t), feed.Subject{URLs: []string{first}, Wanted: known})
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "pages.golden", feedtest.Text(b))
}

func TestPagesThatShift(t *testing.T) {
	for name, row := range map[string]struct {
		second string
		asked  int
	}{
		"the next page repeats a row":     {strings.Replace(feedtest.File(t, "page1.json"), "$skip=100", "$skip=200", 1), 3},
		"the next page leads to itself":   {strings.Replace(feedtest.File(t, "page2.json"), `"NextPageLink": null`, `"NextPageLink": "`+second+`"`, 1), 2},
		"the next page leads to others":   {strings.Replace(feedtest.File(t, "page2.json"), `"NextPageLink": null`, `"NextPageLink": "https://elsewhere.example/"`, 1), 2},
		"the next page leads out of TLS":  {strings.Replace(feedtest.File(t, "page2.json"), `"NextPageLink": null`, `"NextPageLink": "http://prices.example/"`, 1), 2},
		"the next page leads to the disk": {strings.Replace(feedtest.File(t, "page2.json"), `"NextPageLink": null`, `"NextPageLink": "/etc/passwd"`, 1), 2},
	} {
		t.Run(name, func(t *testing.T) {
			from := pages(t)
			from.Texts[second] = row.second
			from.Texts["https://prices.example/api/retail/prices?$skip=200"] = `{"Items": [], "NextPageLink": null}`
			b, err := azurefeed.Read(t.Context(), from, feed.Subject{URLs: []string{first}})
			if err != nil || !b.Partial || len(from.Asked) != row.asked {
				t.Errorf("partial %v, %d asked, %v, want partial and %d", b.Partial, len(from.Asked), err, row.asked)
			}
		})
	}
	from := &feedtest.Documents{Texts: map[string]string{"a.json": feedtest.File(t, "page1.json"), "b.json": feedtest.File(t, "page2.json")}}
	if b, err := azurefeed.Read(t.Context(), from, feed.Subject{URLs: []string{"a.json", "b.json"}}); err != nil || b.Partial || b.Read != 18 {
		t.Errorf("two files: %d read, partial %v, %v", b.Read, b.Partial, err)
	}
	if b, err := azurefeed.Read(t.Context(), from, feed.Subject{URLs: []string{"a.json"}}); err != nil || !b.Partial {
		t.Errorf("a file that is not the last page: partial %v, %v", b.Partial, err)
	}
}

func TestRefused(t *testing.T) {
	whole := feedtest.File(t, "page2.json")
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":        {"", []string{"row 1", "empty"}},
		"a page of HTML": {"<!DOCTYPE html>", []string{"row 1", "<!DOCTYPE", "JSON"}},
		"an empty list":  {`{"Items": [], "NextPageLink": null, "Count": 0}`, []string{"column Items", "at least one"}},
		"an error":       {`{"Error": {"Code": "BadRequest"}}`, []string{"column Items"}},
		"cut":            {whole[:len(whole)/2], []string{"row 6", "cut"}},
		"NaN":            {strings.Replace(whole, "9.9", "NaN", 1), []string{"row 3", "JSON"}},
		"an odd link":    {strings.Replace(whole, `"NextPageLink": null`, `"NextPageLink": 5`, 1), []string{"column NextPageLink"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, azurefeed.Read, "", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
	b, err := feedtest.Read(t, azurefeed.Read, "", strings.ReplaceAll(whole, "retailPrice", "price"))
	if err != nil || len(b.Faults) != b.Read || len(b.Rows) != 0 {
		t.Fatalf("a renamed price: %v, %d faults of %d", err, len(b.Faults), b.Read)
	}
	feedtest.Refused(t, b.Faults[0], "row 1, column retailPrice", "a field of this name")
}

func FuzzRead(f *testing.F) {
	feedtest.Fuzz(f, azurefeed.Read, "", feedtest.File(&testing.T{}, "page1.json"), feedtest.File(&testing.T{}, "page2.json"))
}
