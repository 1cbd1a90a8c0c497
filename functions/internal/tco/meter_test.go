package tco_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// metered is a random tariff of any of the shapes that sources have: a monthly price,
// many digits, another currency, storage in GiB, nothing to pay.
func metered(t *rapid.T) tco.Tariff {
	tariff := randomTariff(t)
	switch rapid.IntRange(0, 5).Draw(t, "node") {
	case 0:
		tariff.Node.Num = decimal.Zero
	case 1: // many digits
		tariff.Node.Num = decimal.New(rapid.Int64Min(1).Draw(t, "long"), -17).Mul(decimal.New(rapid.Int64Min(1).Draw(t, "longer"), -18))
	case 2: // per GPU, of eight
		tariff.Node.Num = decimal.New(8*rapid.Int64Range(1, 1e6).Draw(t, "per GPU"), -4)
	}
	if rapid.Bool().Draw(t, "disk in another currency") {
		tariff.StorageConversion.From = catalog.FXRate{Currency: "EUR", UnitsPerUSD: decimal.New(rapid.Int64Range(5000, 20000).Draw(t, "euros"), -4)}
	}
	if rapid.Bool().Draw(t, "answer in another currency") {
		to := catalog.FXRate{Currency: "KRW", UnitsPerUSD: decimal.New(rapid.Int64Range(1, 2e7).Draw(t, "to"), -4)}
		tariff.Conversion.To, tariff.StorageConversion.To = to, to
	}
	return tariff
}

// usage is a random usage, short or as long as can be.
func usage(t *rapid.T) tco.Usage {
	span := func(name string) int64 {
		return rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 1e7), rapid.Int64Range(0, tco.MaxSeconds)).Draw(t, name)
	}
	return tco.Usage{
		Nodes:  rapid.Int64Range(1, 4096).Draw(t, "nodes"),
		Useful: span("useful"), Interruption: span("interruption"), Setup: span("setup"), Verification: span("verification"), Stopped: span("stopped"),
		DiskGB: rapid.Int64Range(0, 1_000_000).Draw(t, "disk"),
	}
}

// reckoned are the lines of a usage by fractions, each rounded once, half to even.
func reckoned(tariff *tco.Tariff, u tco.Usage) tco.Lines {
	round := func(x *big.Rat, to tco.Conversion) decimal.Decimal {
		if to.From.Currency != to.To.Currency {
			x.Mul(x, to.To.UnitsPerUSD.Rat()).Quo(x, to.From.UnitsPerUSD.Rat())
		}
		x.Mul(x, big.NewRat(1e10, 1))
		whole, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
		if c := rest.Lsh(rest, 1).Cmp(x.Denom()); c > 0 || c == 0 && whole.Bit(0) == 1 {
			whole.Add(whole, big.NewInt(1))
		}
		return decimal.NewFromBigInt(whole, -10)
	}
	times := func(a, b int64) *big.Rat { return new(big.Rat).Mul(big.NewRat(a, 1), big.NewRat(b, 1)) }
	node := func(seconds int64) decimal.Decimal {
		hour := new(big.Rat).Quo(tariff.Node.Num.Rat(), tariff.Node.Den.Rat())
		return round(hour.Mul(hour, times(seconds, u.Nodes)).Quo(hour, big.NewRat(3600, 1)), tariff.Conversion)
	}
	occupied := u.Occupied()
	disk := tariff.Storage.Price.Rat()
	disk.Mul(disk, times(u.DiskGB, u.Nodes)).Mul(disk, times(occupied+u.Stopped, 1)).Quo(disk, big.NewRat(730*3600, 1))
	if tariff.Storage.Unit == catalog.GiB {
		disk.Mul(disk, big.NewRat(1e9, 1<<30))
	}
	return tco.Lines{
		Instance: node(u.Useful), Idle: node(tariff.Billed(occupied) - occupied), Storage: round(disk, tariff.StorageConversion),
		Interruption: node(u.Interruption), Setup: node(u.Setup), Verification: node(u.Verification),
	}
}

// TestMeterIsThePrice: every line is rounded once, whatever the tariff, and a meter's
// total is their sum.
func TestMeterIsThePrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tariff := metered(t)
		meter := tariff.Meter()
		for range 4 {
			u := usage(t)
			want, lines := reckoned(&tariff, u), tariff.Price(u)
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Fatalf("%+v (-want +got):\n%s", u, diff)
			}
			sum := decimal.Sum(want.Instance, want.Idle, want.Storage, want.Interruption, want.Setup, want.Verification)
			if got := meter.Total(&tariff, u).Decimal(); !got.Equal(sum) || !lines.Total().Equal(sum) {
				t.Fatalf("%+v: got %s and %s, want %s", u, got, lines.Total(), sum)
			}
			amount, _ := tco.UnitsOf(decimal.New(rapid.Int64Range(0, 1<<60).Draw(t, "amount"), -tco.Places))
			held, some := meter.Held(&tariff, u, amount)
			if want, any := (&tco.Meter{}).Held(&tariff, u, amount); held != want || some != any {
				t.Fatalf("%+v for %s: got %d s, want %d s", u, amount.Decimal(), held, want)
			}
			if lines.Network = decimal.New(rapid.Int64().Draw(t, "network"), -14); !lines.Total().Equal(sum.Add(lines.Network)) {
				t.Fatalf("with %s: got %s", lines.Network, lines.Total())
			}
		}
	})
}

// TestMeterRoundsHalfToEven: each line lies half way between two units.
func TestMeterRoundsHalfToEven(t *testing.T) {
	for price, want := range map[string]string{"0.00000018": "0", "0.00000054": "0.0000000002"} { // half a unit a second, and one and a half
		tariff := dollars(price)
		meter := tariff.Meter()
		u := tco.Usage{Nodes: 1, Useful: 1}
		if got := meter.Total(&tariff, u).Decimal(); !got.Equal(dec(want)) || !got.Equal(tariff.Price(u).Total()) {
			t.Errorf("a second at %s an hour: got %s, want %s", price, got, want)
		}
	}
}

// TestMeterAllocatesNothing: usual prices fit, in any currency.
func TestMeterAllocatesNothing(t *testing.T) {
	for name, tariff := range benchTariffs() {
		meter := tariff.Meter()
		u := tco.Usage{Nodes: 64, Useful: 1e7, Setup: 180, DiskGB: 10_000}
		if n := testing.AllocsPerRun(10, func() { meter.Total(&tariff, u) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestUnitsCompare: units compare and multiply as their decimals do, of any size.
func TestUnitsCompare(t *testing.T) {
	amount := func(t *rapid.T, name string) (tco.Units, decimal.Decimal) {
		d := decimal.New(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-100, 100)).Draw(t, name), rapid.Int32Range(-12, 9).Draw(t, name+" exp"))
		u, exact := tco.UnitsOf(d)
		if down := d.RoundFloor(tco.Places); !u.Decimal().Equal(down) || exact != down.Equal(d) {
			t.Fatalf("%s is %s units, exact %t", d, u.Decimal(), exact)
		}
		return u, u.Decimal()
	}
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3))
		u, du := amount(t, "u")
		v, dv := amount(t, "v")
		if rapid.IntRange(0, 9).Draw(t, "alike") == 0 {
			v, dv = u, du
		}
		n, m := times.Draw(t, "n"), times.Draw(t, "m")
		if got, want := u.Cmp(v), du.Cmp(dv); got != want || u.Sign() != du.Sign() {
			t.Fatalf("%s to %s: got %d, want %d", du, dv, got, want)
		}
		if got, want := u.CmpSize(v), du.Abs().Cmp(dv.Abs()); got != want || !u.Minus(v).Decimal().Equal(du.Sub(dv)) {
			t.Fatalf("%s and %s: sizes compare %d, want %d; the difference is %s", du, dv, got, want, u.Minus(v).Decimal())
		}
		places := rapid.IntRange(0, tco.Places).Draw(t, "places")
		if got, want := string(u.AppendFixed(nil, places)), du.RoundBank(int32(places)).StringFixed(int32(places)); got != want {
			t.Fatalf("%s with %d places: got %s, want %s", du, places, got, want)
		}
		if got, want := string(u.AppendPlain(nil)), string(tco.AppendPlain(nil, u.Decimal())); got != want {
			t.Fatalf("%s in full: got %s, want %s", du, got, want)
		}
		if got, want := u.Times(n).Decimal(), du.Mul(decimal.NewFromInt(n)); !got.Equal(want) {
			t.Fatalf("%s x %d: got %s, want %s", du, n, got, want)
		}
		if got, want := u.CmpTimes(n, v, m), du.Mul(decimal.NewFromInt(n)).Cmp(dv.Mul(decimal.NewFromInt(m))); got != want {
			t.Fatalf("%s x %d to %s x %d: got %d, want %d", du, n, dv, m, got, want)
		}
	})
	if least, _ := tco.UnitsOf(decimal.New(math.MinInt64, -tco.Places)); least.Times(-1).Cmp(least) != 1 || least.Times(math.MinInt64).Sign() != 1 {
		t.Error("the least amount of 64 bits does not multiply")
	} else if got := string(least.AppendFixed(nil, 2)); got != "-922337203.69" || (tco.Units{}).Minus(least).Sign() != 1 {
		t.Errorf("the least amount of 64 bits is shown as %s", got)
	}
}

// BenchmarkMeter is a total of useful time, setup, idling and a disk.
func BenchmarkMeter(b *testing.B) {
	for name, tariff := range benchTariffs() {
		b.Run(name, func(b *testing.B) {
			meter, u := tariff.Meter(), tco.Usage{Nodes: 4, Useful: 12345, Setup: 180, Interruption: 77, DiskGB: 250}
			b.ReportAllocs()
			for b.Loop() {
				if meter.Total(&tariff, u).IsZero() {
					b.Fatal("nothing")
				}
				u.Useful++
			}
		})
	}
}

// BenchmarkPrice is the same line by line.
func BenchmarkPrice(b *testing.B) {
	for name, tariff := range benchTariffs() {
		b.Run(name, func(b *testing.B) {
			u := tco.Usage{Nodes: 4, Useful: 12345, Setup: 180, Interruption: 77, DiskGB: 250}
			b.ReportAllocs()
			for b.Loop() {
				if lines := tariff.Price(u); lines.Total().IsZero() {
					b.Fatal("nothing")
				}
			}
		})
	}
}

// BenchmarkNewMeter is what an offer's meter takes.
func BenchmarkNewMeter(b *testing.B) {
	for name, tariff := range benchTariffs() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if tariff.Meter() == (tco.Meter{}) {
					b.Fatal("nothing fits")
				}
			}
		})
	}
}

// benchTariffs are an hourly price in dollars, and a monthly one of many digits in
// euros.
func benchTariffs() map[string]tco.Tariff {
	plain := dollars("2.48")
	plain.IncrementSeconds = 3600
	plain.Storage = tco.StorageTariff{Price: dec("0.08"), Unit: catalog.GiB}
	foreign := plain
	foreign.Node = catalog.Rate{Num: dec("1846.61330783"), Den: dec("730"), Currency: "EUR"}
	foreign.Conversion.From = catalog.FXRate{Currency: "EUR", UnitsPerUSD: dec("0.8641")}
	foreign.StorageConversion = foreign.Conversion
	return map[string]tco.Tariff{"dollars": plain, "euros": foreign}
}
