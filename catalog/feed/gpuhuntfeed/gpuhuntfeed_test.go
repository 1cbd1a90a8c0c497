package gpuhuntfeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/feedtest"
	"github.com/tierwise/tierwise/catalog/feed/gpuhuntfeed"
)

var _ = flag.Bool("update", false, "write the golden files")

// providers are those that testdata has a table of.
func providers() []catalog.ProviderID {
	return []catalog.ProviderID{"aws", "gcp", "lambda", "runpod", "vast"}
}

func TestProviders(t *testing.T) {
	for _, id := range providers() {
		t.Run(string(id), func(t *testing.T) {
			b, err := feedtest.Read(t, gpuhuntfeed.Read, id, feedtest.File(t, string(id)+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			feedtest.Golden(t, string(id)+".golden", feedtest.Text(b))
		})
	}
}

func TestNewestVersion(t *testing.T) {
	const base = "https://host/v3/lambda"
	from := &feedtest.Documents{Texts: map[string]string{base + "/version": "20261130-7\n", base + "/20261130-7/catalog.zip": feedtest.File(t, "lambda.csv")}}
	b, err := gpuhuntfeed.Read(t.Context(), from, feed.Subject{Provider: "lambda", URLs: []string{base + "/version"}})
	if err != nil || len(b.Rows) != 1 {
		t.Errorf("got %+v, %v", b.Rows, err)
	}
	from.Texts[base+"/version"] = "<html>"
	_, err = gpuhuntfeed.Read(t.Context(), from, feed.Subject{Provider: "lambda", URLs: []string{base + "/version"}})
	feedtest.Refused(t, err, "<html>", "version")
}

func TestRefused(t *testing.T) {
	whole := feedtest.File(t, "aws.csv")
	header, _, _ := strings.Cut(whole, "\n")
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":          {"", []string{"row 1", "empty"}},
		"a header alone":   {header + "\n", []string{"row 2", "at least one row"}},
		"a page of HTML":   {"<html>", []string{"row 1", "table"}},
		"a renamed column": {strings.Replace(whole, "price", "usd", 1), []string{"row 1, column price"}},
		"cut":              {whole[:len(whole)-20], []string{"row 8", "cut"}},
		"UTF-16":           {"\xff\xfei\x00", []string{"UTF-16"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, gpuhuntfeed.Read, "aws", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
	_, err := feedtest.Read(t, gpuhuntfeed.Read, "", whole)
	feedtest.Refused(t, err, "provider")
}

func TestProviderOfPath(t *testing.T) {
	known := func(id catalog.ProviderID) bool {
		return strings.Contains(" aws lambda vast verda oci ", " "+string(id)+" ")
	}
	for at, want := range map[string]catalog.ProviderID{
		"https://host/v3/aws/20261130-7/catalog.zip": "aws",
		"https://host/v3/vastai/version":             "vast",
		"/tmp/lambdalabs.csv":                        "lambda",
		"datacrunch_2026.csv":                        "verda",
		"catalogue.csv":                              "",
	} {
		if got, ok := gpuhuntfeed.Provider(at, known); got != want && ok || ok != (want != "") {
			t.Errorf("%s is of %q (%v), want %q", at, got, ok, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var seeds []string
	for _, id := range providers() {
		seeds = append(seeds, feedtest.File(&testing.T{}, string(id)+".csv"))
	}
	feedtest.Fuzz(f, gpuhuntfeed.Read, "vast", seeds...)
}
