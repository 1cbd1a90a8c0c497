package tco_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// dollars is a tariff of so many dollars per node-hour.
func dollars(hourly string) tco.Tariff {
	usd := catalog.FXRate{Currency: catalog.USD, UnitsPerUSD: dec("1")}
	same := tco.Conversion{From: usd, To: usd}
	return tco.Tariff{
		Node:       catalog.Rate{Num: dec(hourly), Den: dec("1"), Currency: catalog.USD},
		Conversion: same, StorageConversion: same, IncrementSeconds: 1,
	}
}

// TestBilled: twenty minutes on a provider that bills by the hour are an hour.
func TestBilled(t *testing.T) {
	for name, row := range map[string]struct {
		seconds, step, least, want int64
	}{
		"20 minutes by the hour":        {1200, 3600, 0, 3600},
		"by the second":                 {1201, 1, 0, 1201},
		"by the minute":                 {1201, 60, 0, 1260},
		"exactly one step":              {60, 60, 0, 60},
		"a minimum of a minute":         {10, 1, 60, 60},
		"beyond the minimum":            {61, 1, 60, 61},
		"nothing used, minimum is paid": {0, 1, 60, 60},
		"a year's commitment":           {3600, 1, 8760 * 3600, 8760 * 3600},
	} {
		t.Run(name, func(t *testing.T) {
			tariff := tco.Tariff{IncrementSeconds: row.step, MinimumSeconds: row.least}
			if got := tariff.Billed(row.seconds); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

func TestPriceLines(t *testing.T) {
	tariff := dollars("3.6")
	tariff.IncrementSeconds = 3600
	tariff.Storage = tco.StorageTariff{Price: dec("0.073"), Unit: catalog.GB}
	got := tariff.Price(tco.Usage{Nodes: 2, Useful: 3000, Interruption: 100, Setup: 300, DiskGB: 100})
	want := tco.Lines{
		Instance:     dec("6"),            // 3000 s x 2 x 0.001
		Interruption: dec("0.2"),          // 100 s
		Setup:        dec("0.6"),          // 300 s
		Idle:         dec("0.4"),          // 3600 - 3400 s
		Storage:      dec("0.0188888889"), // 200 GB x 0.073 / 730 / 3600 x 3400 s
		Network:      dec("0"), Verification: dec("0"), Discount: dec("0"),
	}
	for _, line := range []struct {
		name      string
		got, want decimal.Decimal
	}{
		{"instance", got.Instance, want.Instance}, {"idle", got.Idle, want.Idle}, {"storage", got.Storage, want.Storage},
		{"interruption", got.Interruption, want.Interruption}, {"setup", got.Setup, want.Setup},
		{"total", got.Total(), dec("7.2188888889")},
	} {
		if !line.got.Equal(line.want) {
			t.Errorf("%s: got %s, want %s", line.name, line.got, line.want)
		}
	}
}

// TestMonthlyPriceIsNotRoundedFirst: a monthly price is divided once, at the end.
func TestMonthlyPriceIsNotRoundedFirst(t *testing.T) {
	tariff := dollars("1846.61330783")
	tariff.Node.Den = dec("730")
	got := tariff.Price(tco.Usage{Nodes: 1, Useful: 730 * 3600})
	if !got.Instance.Equal(dec("1846.61330783")) {
		t.Errorf("a month of a monthly price: got %s, want the price itself", got.Instance)
	}
}

func TestConversion(t *testing.T) {
	tariff := dollars("7.2")
	tariff.Conversion.From = catalog.FXRate{Currency: "CNY", UnitsPerUSD: dec("7.2")}
	got := tariff.Price(tco.Usage{Nodes: 1, Useful: 3600})
	if !got.Instance.Equal(dec("1")) {
		t.Errorf("7.2 CNY at 7.2 per dollar: got %s, want 1", got.Instance)
	}
}

// TestBoundsEnclose: the integer bounds always hold the exact amount, and idle is
// never negative.
func TestBoundsEnclose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tariff := randomTariff(t)
		usage := tco.Usage{
			Nodes:        rapid.Int64Range(1, 64).Draw(t, "nodes"),
			Useful:       rapid.Int64Range(0, 1e8).Draw(t, "useful"),
			Interruption: rapid.Int64Range(0, 1e6).Draw(t, "interruption"),
			Setup:        rapid.Int64Range(0, 1e4).Draw(t, "setup"),
			DiskGB:       rapid.Int64Range(0, 100_000).Draw(t, "disk"),
		}
		lines := tariff.Price(usage)
		if lines.Idle.IsNegative() {
			t.Fatalf("idle is negative: %s", lines.Idle)
		}
		bound := tco.Rates{NodeHour: tariff.NodeBound(), GBMonth: tariff.StorageBound()}.Enclose(&tariff, usage)
		total := lines.Total() // in dollars
		if total.LessThan(decimal.New(int64(bound.Low), -9)) || total.GreaterThan(decimal.New(int64(bound.High), -9)) {
			t.Fatalf("total %s outside [%d, %d] nanos", total, bound.Low, bound.High)
		}
	})
}

func randomTariff(t *rapid.T) tco.Tariff {
	tariff := dollars("1")
	tariff.Node.Num = decimal.New(rapid.Int64Range(1, 1e15).Draw(t, "price"), -13)
	if rapid.Bool().Draw(t, "monthly") {
		tariff.Node.Den = dec("730")
	}
	if rapid.Bool().Draw(t, "foreign") {
		tariff.Conversion.From = catalog.FXRate{Currency: "CNY", UnitsPerUSD: decimal.New(rapid.Int64Range(1, 1e9).Draw(t, "fx"), -6)}
		tariff.Conversion.From.UnitsPerUSD = tariff.Conversion.From.UnitsPerUSD.Add(dec("0.5"))
	}
	tariff.Storage = tco.StorageTariff{
		Price: decimal.New(rapid.Int64Range(0, 1e6).Draw(t, "storage"), -6),
		Unit:  rapid.SampledFrom([]catalog.VolumeUnit{catalog.GB, catalog.GiB}).Draw(t, "unit"),
	}
	tariff.IncrementSeconds = rapid.SampledFrom([]int64{1, 60, 3600}).Draw(t, "step")
	tariff.MinimumSeconds = rapid.SampledFrom([]int64{0, 60, 8760 * 3600}).Draw(t, "minimum")
	return tariff
}
