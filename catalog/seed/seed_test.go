package seed_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// load is the embedded baseline.
func load(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLoadIsDeterministic(t *testing.T) {
	version := load(t).Version()
	if !regexp.MustCompile(`^seed-20\d\d-\d\d-\d\d-[0-9a-f]{8}$`).MatchString(string(version)) {
		t.Errorf("version is %q, want seed-<date>-<8 hex digits>", version)
	}
	if again := load(t).Version(); again != version {
		t.Errorf("second load has version %q, want %q", again, version)
	}
}

// small is a set of tables of one offer, in memory.
func small() fstest.MapFS {
	rows := map[string]string{
		seed.SourcesTable:   "s,owner/list@1 prices.json,MIT",
		seed.PriorsTable:    "datacenter,0.92,0.90,1.00,s",
		seed.FXTable:        "2026-01,EUR,0.90,s",
		seed.GPUsTable:      "X1-80GB,X1 80GB,X1,nvidia,SXM,Ampere,datacenter,1,8.0,11.0,80,312,312,19.5,9.7,,2039,400,600,1410,271.2,1564,20b0|20b2,yes,yes,yes,,s",
		seed.ProvidersTable: "acme,Acme Cloud,specialist,60,,s",
		seed.RegionsTable:   "acme,north,NO,Oslo,EEA,59.91,10.75,region-city,s",
		seed.OffersTable:    "acme,north,x1.large,,vm,spot,NO,X1-80GB,,1,,80,8,64,,1.2300,per_instance_hour,EUR,60,2026-03-04,s,STALE|MIN_GPUS",
		seed.EgressTable:    "acme,,internet,GB,EUR,100,1000,0.05,2026-03-05,s,\nacme,,internet,GB,EUR,100,,0.04,2026-03-05,s,",
		seed.StorageTable:   "acme,,block volume,0.080,GiB,EUR,2026-03-04,s,a remark",
		seed.ModelsTable:    "tiny-1b,tiny 1b|org/tiny-1b,tiny,decoder,1000000000,1000000000,16,2048,8192,yes,32,8,64,32000,no,,2048,s",

		seed.GPUAliasesTable: "NVIDIA X1-SXM4-80GB,X1-80GB", seed.ComplianceTable: "acme,ISO27001,report read,2025-12,s",
		seed.InterruptionTable: "acme,north,x1.large,20,,2026-01-01,s\nacme,north,x2.large,20,,2026-01-01,s",
		seed.StoppedTable:      "acme,stopped server,disks stay billed,no,2026-01-02,s",
		seed.ImagesTable:       "acme,images,PyTorch,2026-01-03,s",
		seed.HistoryTable:      "acme.north.x1-large.spot,2025-09,1.50,per_instance_hour,EUR,s",
		seed.FabricTable:       "acme,x1.*,50,RoCE,2026-01-04,s",
	}
	tables := fstest.MapFS{}
	for _, table := range seed.Tables() {
		tables[table] = &fstest.MapFile{Data: []byte(strings.Join(seed.Columns(table), ",") + "\n" + rows[table] + "\n")}
	}
	return tables
}

func TestReadEveryTable(t *testing.T) {
	s, err := seed.Read(small())
	if err != nil {
		t.Fatal(err)
	}
	o, ok := s.Offer("acme.north.x1-large.spot")
	if !ok {
		t.Fatalf("offers are %v, want acme.north.x1-large.spot", s.Offers())
	}
	if got := o.Price.Amount.Decimal.String() + " " + string(o.Price.Currency); got != "1.23 EUR" {
		t.Errorf("price is %s, want 1.23 EUR", got)
	}
	if !o.Interruption.Known() || o.Interruption.High.Valid || o.Interruption.Low.Decimal.String() != "20" {
		t.Errorf("band is %+v, want 20 and open", o.Interruption)
	}
	if !o.HasFlag("MIN_GPUS") || o.Source != "owner/list@1 prices.json" || o.Licence != "MIT" || o.Availability != catalog.AvailabilityUnknown {
		t.Errorf("offer is %+v, want its flags, source, licence and unknown availability", o)
	}
	if p, _ := s.Provider("acme"); p.BillingIncrementSeconds != 60 || len(p.Compliance) != 1 {
		t.Errorf("provider is %+v, want 60 s and one attestation", p)
	}
	if e, ok := s.Egress(o.Place, catalog.ToInternet); !ok || len(e.Tiers) != 2 || e.FreePerMonth.String() != "100" {
		t.Errorf("egress is %+v, want two tiers after 100", e)
	}
	if r, ok := s.Storage(o.Place); !ok || r.Source != "owner/list@1 prices.json (a remark)" {
		t.Errorf("storage is %+v, want the remark in its source", r)
	}
	checkFacts(t, s, o)
	if m, ok := s.Model("Org/Tiny-1B"); !ok || m.KVHeads != 8 {
		t.Errorf("model is %+v, want tiny-1b", m)
	}
	if !strings.HasPrefix(string(s.Version()), "seed-2026-03-05-") {
		t.Errorf("version is %q, want the newest date 2026-03-05", s.Version())
	}
}

// checkFacts tests what small says of its offer besides the offer.
func checkFacts(t *testing.T, s *catalog.Snapshot, o catalog.Offer) {
	t.Helper()
	if b := s.Interruption(o.Place, "x2.large"); b == nil || b != o.Interruption {
		t.Errorf("band of a SKU without an offer is %p, want that of %s, %p: they are equal", b, o.ID, o.Interruption)
	}
	p, _ := s.Provider(o.Provider)
	if len(p.Stopped) != 1 || p.Stopped[0].ComputeBilled != catalog.No || len(p.Images) != 1 || p.Images[0].Text != "PyTorch" {
		t.Errorf("provider is %+v, want a rule and an image", p)
	}
	if h := s.History(o.ID); len(h) != 1 || h[0].Price.Amount.Decimal.String() != "1.5" || h[0].AsOf.String() != "2025-09" {
		t.Errorf("history is %+v, want 1.50 in 2025-09", h)
	}
	if f, ok := s.Fabric(&o); !ok || f.GBs != 50 || f.Name != "RoCE" {
		t.Errorf("fabric is %+v, want RoCE at 50 GB/s", f)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tc := range []struct{ name, table, row, want string }{
		{"a price with an exponent", seed.OffersTable, "acme,north,x1,,vm,spot,NO,X1-80GB,,1,,,,,,1e9,per_instance_hour,EUR,,,s,", `offers.csv line 2, column price: got "1e9"`},
		{"a negative price", seed.OffersTable, "acme,north,x1,,vm,spot,NO,X1-80GB,,1,,,,,,-1,per_instance_hour,EUR,,,s,", "column price"},
		{"an unknown market", seed.OffersTable, "acme,north,x1,,vm,weekly,NO,X1-80GB,,1,,,,,,1,per_instance_hour,EUR,,,s,", "column market"},
		{"an unknown basis", seed.OffersTable, "acme,north,x1,,vm,spot,NO,X1-80GB,,1,,,,,,1,per_day,EUR,,,s,", "column basis"},
		{"an unknown service", seed.OffersTable, "acme,north,x1,,pod,spot,NO,X1-80GB,,1,,,,,,1,per_instance_hour,EUR,,,s,", "column service"},
		{"an impossible date", seed.OffersTable, "acme,north,x1,,vm,spot,NO,X1-80GB,,1,,,,,,1,per_instance_hour,EUR,,2026-02-30,s,", "column as_of"},
		{"an unknown source", seed.OffersTable, "acme,north,x1,,vm,spot,NO,X1-80GB,,1,,,,,,1,per_instance_hour,EUR,,,nowhere,", "column source"},
		{"an offer without a SKU", seed.OffersTable, "acme,north,,,vm,spot,NO,X1-80GB,,1,,,,,,1,per_instance_hour,EUR,,,s,", "column sku"},
		{"a GPU that no table has", seed.OffersTable, "acme,north,x1,,vm,spot,NO,X2,,1,,,,,,1,per_instance_hour,EUR,,,s,", `unknown GPU "X2"`},
		{"a provider that no table has", seed.OffersTable, "other,north,x1,,vm,spot,NO,X1-80GB,,1,,,,,,1,per_instance_hour,EUR,,,s,", `unknown provider "other"`},
		{"a row too short", seed.OffersTable, "acme,north", "wrong number of fields"},
		{"a not-a-number", seed.GPUsTable, "X1,X1,X1,nvidia,SXM,,datacenter,1,,,NaN,,,,,,,,,,,,,,,,,s", "column memory_gb"},
		{"an unknown tier", seed.GPUsTable, "X1,X1,X1,nvidia,SXM,,datacenter,4,,,,,,,,,,,,,,,,,,,,s", "column tier"},
		{"a PCI device that is none", seed.GPUsTable, "X1,X1,X1,nvidia,SXM,,datacenter,1,,,,,,,,,,,,,,,20B0,,,,,s", "column pci_devices"},
		{"a latitude off the globe", seed.RegionsTable, "acme,north,NO,Oslo,EEA,91,10,region-city,s", "column latitude"},
		{"tiers out of order", seed.EgressTable, "acme,,internet,GB,EUR,0,10,0.05,,s,\nacme,,internet,GB,EUR,0,5,0.04,,s,", "column up_to"},
		{"a tier after the last", seed.EgressTable, "acme,,internet,GB,EUR,0,,0.05,,s,\nacme,,internet,GB,EUR,0,5,0.04,,s,", "column up_to"},
		{"a storage rate without a price", seed.StorageTable, "acme,,block volume,,GiB,EUR,,s,", "column price"},
		{"a unit of another kind", seed.StorageTable, "acme,,block volume,1,TB,EUR,,s,", "column unit"},
		{"an earlier price without a date", seed.HistoryTable, "acme.x1,,1,per_instance_hour,EUR,s", "history.csv line 2, column as_of"},
		{"an earlier price that is none", seed.HistoryTable, "acme.x1,2026-01-01,free,per_instance_hour,EUR,s", "column price"},
		{"a rule that is half true", seed.StoppedTable, "acme,stopped server,text,partly,,s", "column compute_billed"},
		{"an image without a text", seed.ImagesTable, "acme,images,,,s", "column text"},
		{"a fabric of all SKUs", seed.FabricTable, "acme,,50,RoCE,,s", "column sku"},
		{"a fabric of no number", seed.FabricTable, "acme,x1,fast,RoCE,,s", "column gb_s"},
		{"two bands of one SKU", seed.InterruptionTable, "acme,north,x1,0,5,,s\nacme,north,x1,5,10,,s", "column sku"},
		{"an id twice", seed.SourcesTable, "s,a,\ns,b,", "column id"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tables := small()
			tables[tc.table] = &fstest.MapFile{Data: []byte(strings.Join(seed.Columns(tc.table), ",") + "\n" + tc.row + "\n")}
			if _, err := seed.Read(tables); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestReadRefusesAnotherHeader(t *testing.T) {
	tables := small()
	tables[seed.FXTable] = &fstest.MapFile{Data: []byte("currency,month,units_per_usd,source\n")}
	if _, err := seed.Read(tables); err == nil || !strings.Contains(err.Error(), "header of fx.csv") {
		t.Errorf("error is %v, want one about the header of fx.csv", err)
	}
	delete(tables, seed.FXTable)
	if _, err := seed.Read(tables); err == nil {
		t.Error("a missing table is no error, want one")
	}
}

func TestVersionFollowsTheFacts(t *testing.T) {
	version := func(fsys fs.FS) catalog.Version {
		s, err := seed.Read(fsys)
		if err != nil {
			t.Fatal(err)
		}
		return s.Version()
	}
	changed := small()
	offers := changed[seed.OffersTable].Data
	changed[seed.OffersTable] = &fstest.MapFile{Data: []byte(strings.Replace(string(offers), "1.2300", "1.2301", 1))}
	first, again, other := version(small()), version(small()), version(changed)
	if first != again || first == other {
		t.Errorf("versions are %q, %q and of other facts %q", first, again, other)
	}
}

func FuzzReadOffers(f *testing.F) {
	f.Add("acme,north,x1.large,,vm,spot,NO,X1-80GB,,1,,80,8,64,,1.2300,per_instance_hour,EUR,60,2026-03-04,s,STALE")
	f.Add("acme,,y,,marketplace,on_demand,,unmapped,H-96GB,,8,,,,,0,per_gpu_hour,CNY,,2026-09,,")
	f.Add("acme,\"a\nb\",y,,vm,on_demand,,,,0,,,,,,1,per_instance_month,USD,,,,A|B|")
	f.Fuzz(func(t *testing.T, row string) {
		tables := small()
		tables[seed.OffersTable] = &fstest.MapFile{Data: []byte(strings.Join(seed.Columns(seed.OffersTable), ",") + "\n" + row + "\n")}
		s, err := seed.Read(tables)
		if err != nil {
			return
		}
		for _, o := range s.Offers() {
			if o.SKU == "" || o.Price.Known() && !o.Price.Amount.Decimal.IsPositive() {
				t.Errorf("offer %+v was read from %q", o, row)
			}
		}
	})
}

func FuzzReadEgress(f *testing.F) {
	f.Add("acme,,internet,GB,EUR,100,1000,0.05,2026-03-05,s,\nacme,,internet,GB,EUR,100,,0.04,2026-03-05,s,")
	f.Add("acme,north,inter_region,GiB,USD,,,0,,,remark")
	f.Fuzz(func(t *testing.T, rows string) {
		tables := small()
		tables[seed.EgressTable] = &fstest.MapFile{Data: []byte(strings.Join(seed.Columns(seed.EgressTable), ",") + "\n" + rows + "\n")}
		s, err := seed.Read(tables)
		if err != nil {
			return
		}
		for _, r := range s.EgressRates() {
			if len(r.Tiers) == 0 || r.Tiers[0].Price.IsNegative() {
				t.Errorf("rate %+v was read from %q", r, rows)
			}
		}
	})
}
