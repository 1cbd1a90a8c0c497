package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fixtureArgs are the command's arguments for the made-up facts in testdata.
func fixtureArgs(out string) []string {
	args := []string{"-out", out}
	for _, name := range []string{"offers", "extras", "gpus", "models", "fx", "regions", "compliance"} {
		args = append(args, "-"+name, filepath.Join("testdata", "facts", name+".csv"))
	}
	return args
}

// buildFixture builds the tables of the made-up facts into a new folder and
// returns it with the report.
func buildFixture(t *testing.T) (folder, report string) {
	t.Helper()
	folder = t.TempDir()
	var out bytes.Buffer
	if err := run(fixtureArgs(folder), os.DirFS("testdata"), &out); err != nil {
		t.Fatal(err)
	}
	return folder, out.String()
}

// read is a file as text.
func read(t *testing.T, folder, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestGolden(t *testing.T) {
	folder, report := buildFixture(t)
	files := map[string]string{"report.txt": report, "SOURCES.md": read(t, folder, "SOURCES.md")}
	for _, table := range seed.Tables() {
		files[table] = read(t, folder, table)
	}
	golden := filepath.Join("testdata", "golden")
	for name, got := range files {
		if *update {
			if err := os.WriteFile(filepath.Join(golden, name), []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want := read(t, golden, name); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestBuildingTwiceGivesTheSameBytes(t *testing.T) {
	first, _ := buildFixture(t)
	second, _ := buildFixture(t)
	for _, name := range append(seed.Tables(), "SOURCES.md") {
		if read(t, first, name) != read(t, second, name) {
			t.Errorf("%s differs from one run to the next", name)
		}
	}
}

func TestPricesEqualTheirSources(t *testing.T) {
	folder, _ := buildFixture(t)
	table, err := readFile(os.DirFS(folder), seed.OffersTable, strings.Join(seed.Columns(seed.OffersTable), ","))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readFiles([]string{filepath.Join("testdata", "facts", "offers.csv")}, offerColumns)
	if err != nil {
		t.Fatal(err)
	}
	stated := make(map[string]bool) // SKU and price, as a source has them
	for _, r := range rows {
		stated[r.get("sku")+" "+r.get("price_native")+" "+r.get("currency")] = !strings.Contains(r.get("flags"), "MONTH_DERIVED")
		if m := monthPrice.FindStringSubmatch(r.get("price_unit_note")); m != nil {
			stated[r.get("sku")+" "+m[1]+" "+m[2]] = true
		}
	}
	snapshot, err := seed.Read(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table {
		if !stated[r.get("sku")+" "+r.get("price")+" "+r.get("currency")] {
			t.Errorf("%s costs %s %s, which no source states", r.get("sku"), r.get("price"), r.get("currency"))
		}
		place := catalog.Place{Provider: catalog.ProviderID(r.get("provider")), Region: catalog.RegionID(r.get("region"))}
		o, ok := snapshot.Offer(catalog.NewOfferID(place, catalog.SKU(r.get("sku")), r.get("variant"), catalog.PurchaseModel(r.get("market"))))
		if !ok || !o.Price.Amount.Decimal.Equal(decimal.RequireFromString(r.get("price"))) {
			t.Errorf("%s costs %s once read, %s in the table", o.ID, o.Price.Amount.Decimal, r.get("price"))
		}
	}
}

func TestBadRowsAreErrors(t *testing.T) {
	for _, tc := range []struct{ name, file, old, new, want string }{
		{"price", "offers", "21.9576420,USD", "about 22,USD", "offers.csv line 2, column price_native"},
		{"currency", "offers", "9.000,USD", "9.000,dollars", "offers.csv line 3, column currency"},
		{"month", "offers", "month_1y 1689.3711392", "month_1y 1690", "offers.csv line 4, column price_native"},
		{"month without a price", "offers", "DERIVED: month_1y", "monthly", "offers.csv line 4, column price_unit_note"},
		{"date", "offers", "2026-07-20,A-provider-api,FRACTIONAL_GPU,", "20 July,A-provider-api,FRACTIONAL_GPU,", "offers.csv line 7, column as_of"},
		{"GPU count", "offers", "q1.2xlarge,Q1-80GB-SXM,Q1-80GB-SXM,2,", "q1.2xlarge,Q1-80GB-SXM,Q1-80GB-SXM,0,", "offers.csv line 5, column gpu_count"},
		{"class of a provider", "offers", "peers,community", "peers,specialist", "column provider_class"},
		{"provider", "offers", "peers,community", "others,community", "column provider"},
		{"tier that does not follow", "extras", "out,north-1,10240,,", "out,north-1,10241,,", "extras.csv line 4, column tier_from"},
		{"last tier with an end", "extras", "out,north-1,10240,,", "out,north-1,10240,20000,", "extras.csv line 4, column tier_to"},
		{"egress price", "extras", "north-1,0,10240,0.090", "north-1,0,10240,cheap", "extras.csv line 3, column value"},
		{"unit of storage", "extras", "USD/GB-month", "USD/TB-year", "column unit"},
		{"band", "extras", ">20%,band", ">25%,band", "column value"},
		{"billing unit", "extras", "0.000001,seconds", "1,block", "column unit"},
		{"provider of a band", "extras", "bigcloud,spot_interruption_band,q1.8xlarge,south-1", "other,spot_interruption_band,q1.8xlarge,south-1", "column provider"},
		{"unit of a fabric", "extras", "Gbps/node", "Gbps/GPU", "column unit"},
		{"figure of a fabric", "extras", "8x200 = 1600", "8x200 = 1500", "fabric.csv line 2, column gbps"},
		{"name of a fabric", "extras", "RoCE; 8x200", "ROCE; 8x200", "fabric.csv line 2, column name"},
		{"statement", "extras", "idle_rule,stopped instance", "idle_rule,powered-off instance", "statements.csv line 2, column item"},
		{"figure of a GPU", "gpus", "312,312,19.5", "312?,312,19.5", "specification Q1"},
		{"parameters", "models", "6.738416", "seven", "models.csv line 2, column params_b"},
		{"month of a rate", "fx", "2026-05,EUR", "2026-05-01,EUR", "fx.csv line 2, column month"},
		{"provider of a region", "regions", "bigcloud,north-1", "other,north-1", "regions.csv line 2, column provider"},
		{"missing column", "compliance", "scope_note", "scope", `no column "scope_note"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args, changed := fixtureArgs(t.TempDir()), filepath.Join(t.TempDir(), tc.file+".csv")
			content := read(t, filepath.Join("testdata", "facts"), tc.file+".csv")
			if !strings.Contains(content, tc.old) {
				t.Fatalf("%s.csv has no %q", tc.file, tc.old)
			}
			if err := os.WriteFile(changed, []byte(strings.Replace(content, tc.old, tc.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			for i, arg := range args {
				if arg == "-"+tc.file {
					args[i+1] = changed
				}
			}
			err := run(args, os.DirFS("testdata"), &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
}

// TestChoices holds the committed choices to the one thing that can be checked
// without the collected facts: they can be read, and aliases are unambiguous.
func TestChoices(t *testing.T) {
	b := &built{made: choices, tables: map[string][][]string{}, library: newLibrary(), report: newReport()}
	for _, step := range []func(inputs) error{b.readLicences, b.readProviders, b.addPriors} {
		if err := step(inputs{}); err != nil {
			t.Error(err)
		}
	}
	gpus, err := b.choice("gpus.csv", gpuChoiceColumns)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addAliases(gpus); err != nil {
		t.Error(err)
	}
}
