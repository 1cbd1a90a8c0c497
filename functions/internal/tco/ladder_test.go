package tco_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TestLadder holds integer bounds against exact prices, and integer prices.
func TestLadder(t *testing.T) {
	volume := func(t *rapid.T, label string, most int64) decimal.Decimal {
		return decimal.New(rapid.Int64Range(0, most).Draw(t, label), -rapid.Int32Range(0, 12).Draw(t, label+" places"))
	}
	rapid.Check(t, func(t *rapid.T) {
		rate := catalog.EgressRate{
			Unit:         rapid.SampledFrom([]catalog.VolumeUnit{catalog.GB, catalog.GiB}).Draw(t, "unit"),
			FreePerMonth: volume(t, "free", 100), Currency: catalog.USD,
		}
		at := decimal.Zero
		for range rapid.IntRange(0, 3).Draw(t, "tiers") {
			at = at.Add(volume(t, "width", 1000)).Add(decimal.New(1, -3))
			rate.Tiers = append(rate.Tiers, catalog.EgressTier{UpTo: decimal.NewNullDecimal(at), Price: volume(t, "price", 9)})
		}
		rate.Tiers = append(rate.Tiers, catalog.EgressTier{Price: volume(t, "last price", 9)})
		to := tco.Conversion{
			From: catalog.FXRate{Currency: catalog.USD, UnitsPerUSD: decimal.RequireFromString(rapid.SampledFrom([]string{"1", "0.9", "7.1"}).Draw(t, "rate"))},
			To:   catalog.FXRate{Currency: "EUR", UnitsPerUSD: decimal.RequireFromString(rapid.SampledFrom([]string{"1", "0.8531"}).Draw(t, "other rate"))},
		}
		used, gb := volume(t, "used", 5000), volume(t, "volume", 5000)
		ladder, ok := tco.NewLadder(rate, to)
		before, fits := tco.LoadOf(used)
		load, alsoFits := tco.LoadOf(gb)
		if !ok || !fits || !alsoFits {
			t.Fatal("too large")
		}
		got := ladder.After(before, load)
		want := tco.BoundOf(tco.Exact(tco.EgressAfter(rate, used, gb)).Over(to.From.UnitsPerUSD))
		if got.Low > want.Low || got.High < want.High {
			t.Fatalf("got %v, want it around %v", got, want)
		}
		cost, ok := ladder.Exactly(load)
		if rounded := to.Convert(tco.Exact(tco.Egress(rate, gb))).Round(tco.Places); ok && !cost.Decimal().Equal(rounded) {
			t.Fatalf("got exactly %s, want %s", cost.Decimal(), rounded)
		}
		billionth := decimal.New(1, -9)
		beyond := tco.InUnit(gb, rate.Unit).Sub(rate.FreePerMonth)
		free, within := beyond.LessThan(billionth.Neg()), len(rate.Tiers) == 1 || beyond.Add(billionth).LessThan(rate.Tiers[0].UpTo.Decimal)
		if told := rate.FreePerMonth.IsZero() || rate.Unit == catalog.GB && rate.FreePerMonth.Exponent() >= -9; !ok && gb.Exponent() >= -9 && (free || within && told) {
			t.Fatalf("%s GB in the first tier have no exact price", gb)
		}
		slack := want.High/1e6 + 100 + tco.Nano(gb.IntPart())
		if got.High-got.Low > want.High-want.Low+slack {
			t.Fatalf("%v is too wide for %v", got, want)
		}
	})
}

// TestLoadSeconds holds the time of a load against decimals, rounded up.
func TestLoadSeconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gb := decimal.New(rapid.Int64Range(0, 1<<50).Draw(t, "volume"), -rapid.Int32Range(0, 12).Draw(t, "places"))
		gbits := rapid.Int64Range(1, 100).Draw(t, "Gbit/s")
		load, fits := tco.LoadOf(gb)
		got, ok := load.Seconds(gbits)
		if !fits {
			return
		}
		if !ok {
			if gb.Equal(gb.Truncate(9)) && gb.LessThan(decimal.New(1, 8)) {
				t.Fatalf("%s GB: no time", gb)
			}
			return
		}
		if want := gb.Mul(decimal.NewFromInt(8)).Div(decimal.NewFromInt(gbits)).Ceil().IntPart(); got != want {
			t.Fatalf("%s GB at %d Gbit/s: got %d s, want %d", gb, gbits, got, want)
		}
	})
}
