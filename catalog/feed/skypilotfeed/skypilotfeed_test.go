package skypilotfeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed/feedtest"
	"github.com/tierwise/tierwise/catalog/feed/skypilotfeed"
)

var _ = flag.Bool("update", false, "write the golden files")

// clouds are those that testdata has a table of.
func clouds() []catalog.ProviderID {
	return []catalog.ProviderID{"aws", "azure", "gcp", "lambda", "runpod", "vast"}
}

func TestClouds(t *testing.T) {
	for _, id := range clouds() {
		t.Run(string(id), func(t *testing.T) {
			b, err := feedtest.Read(t, skypilotfeed.Read, id, feedtest.File(t, string(id)+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			feedtest.Golden(t, string(id)+".golden", feedtest.Text(b))
		})
	}
}

// header is that of most clouds.
const header = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n"

func TestRefused(t *testing.T) {
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":           {"", []string{"row 1", "empty"}},
		"a page of HTML":    {"<!DOCTYPE html>\n<html>", []string{"row 1", "<!DOCTYPE html>", "table"}},
		"JSON":              {`{"message": "not found"}`, []string{"row 1", "not found", "table"}},
		"a renamed column":  {strings.Replace(header, ",Price", ",USD", 1) + "a,,,1,1,1,,r\n", []string{"row 1", "column Price"}},
		"a column twice":    {strings.Replace(header, "vCPUs", "Price", 1) + "a,,,1,1,1,,r\n", []string{"row 1", "column Price", "one column"}},
		"UTF-16":            {"\xff\xfeI\x00n\x00", []string{"UTF-16", "UTF-8"}},
		"zero bytes":        {header + "a\x00b,,,1,1,1,,r\n", []string{"zero bytes"}},
		"cut in a row":      {header + "a,,,1,1,1,,r\nb,,,1,1", []string{"row 3", "8 columns", "cut"}},
		"cut in a cell":     {header + "a,,,1,1,1,,r\nb,,,1,1,0.5,,us-ea", []string{"row 3", "us-ea", "cut"}},
		"cut in quotes":     {header + "a,,,1,1,1,,\"r\nb,,,1,1,1,,r\nc,,,1,1,1,,r\n", []string{"row 2", "cut"}},
		"a broken download": {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, skypilotfeed.Read, "lambda", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
	_, err := feedtest.Read(t, skypilotfeed.Read, "", header)
	feedtest.Refused(t, err, "provider")
}

func TestBadRowsStandAlone(t *testing.T) {
	b, err := feedtest.Read(t, skypilotfeed.Read, "lambda", header+
		"good,,,1,1,1,,r\n"+
		"\"quoted\"badly,,,1,1,1,,r\n"+
		"price,,,1,1,1.2.3,,r\n"+
		"exponent,,,1,1,1e99,,r\n"+
		"comma,,,1,1,\"1,234.5\",,r\n"+
		"latin\xe9,,,1,1,1,,r\n"+
		"\"two\nlines\",,,1,1,1,,r\n"+
		"short,,,1,1\n"+
		",,,1,1,1,,r\n"+
		"nowhere,,,1,1,1,,\n"+
		"spot,,,1,1,1,-,r\n"+
		"also good,,,1,1,1e-05,,r\n"+
		"short last,,,1,1\n")
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "badrows.golden", feedtest.Text(b))
}

func TestProviderOfPath(t *testing.T) {
	known := func(id catalog.ProviderID) bool {
		return strings.Contains(" aws ovh lambda samsung-scp digitalocean runpod ", " "+string(id)+" ")
	}
	for at, want := range map[string]catalog.ProviderID{
		"https://host/catalogs/v8/lambda/vms.csv":    "lambda",
		"catalogs/v5/do/vms.csv":                     "digitalocean",
		"/tmp/skypilot_v6_ovhcloud_8a258f54.csv":     "ovh",
		"/tmp/skypilot_v8_aws_p_family_00148f2a.csv": "aws",
		`C:\feeds\scp\vms.csv`:                       "samsung-scp",
		"runpod.csv":                                 "runpod",
		"lambda":                                     "lambda",
		"/home/someone/vms.csv":                      "",
		"/aws/backup/vms.csv":                        "",
	} {
		if got, ok := skypilotfeed.Provider(at, known); got != want && ok || ok != (want != "") {
			t.Errorf("%s is of %q (%v), want %q", at, got, ok, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	seeds := []string{header + "a,T4,1,1,1,1,0.5,r\n", header + "a,,,1,1,1,,r\nb,,"}
	for _, id := range clouds() {
		seeds = append(seeds, feedtest.File(&testing.T{}, string(id)+".csv"))
	}
	feedtest.Fuzz(f, skypilotfeed.Read, "gcp", seeds...)
}
