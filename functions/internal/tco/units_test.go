package tco_test

import (
	"math"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// quotient is a random quotient of any size.
func quotient(t *rapid.T, name string) tco.Quotient {
	num := decimal.New(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1000, 1000)).Draw(t, name), rapid.Int32Range(-12, 6).Draw(t, name+" exp"))
	den := decimal.New(rapid.OneOf(rapid.Int64Range(1, math.MaxInt64), rapid.Int64Range(1, 1000)).Draw(t, name+" den"), rapid.Int32Range(-9, 3).Draw(t, name+" den exp"))
	if rapid.Bool().Draw(t, name+" plain") {
		den = decimal.NewFromInt(1)
	}
	return tco.Quotient{Num: num, Den: den}
}

// TestUnitsRoundAlike: the fast path rounds every product as the one rounding does,
// and sums of units are sums of decimals.
func TestUnitsRoundAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, exact := tco.Units{}, decimal.Zero
		for range rapid.IntRange(1, 6).Draw(t, "terms") {
			cost, factor := quotient(t, "cost"), quotient(t, "factor")
			got, want := tco.Round(ratioOf(cost, t), factor.InUnits()), cost.Mul(factor).Round(tco.Places)
			if !got.Decimal().Equal(want) || got.Sign() != want.Sign() || got.IsZero() != want.IsZero() {
				t.Fatalf("%v x %v: got %s, want %s", cost, factor, got.Decimal(), want)
			}
			sum, exact = sum.Plus(got), exact.Add(want)
		}
		if !sum.Decimal().Equal(exact) {
			t.Fatalf("the units add up to %s, the decimals to %s", sum.Decimal(), exact)
		}
	})
}

// ratioOf is a ratio, or the product of two that make it.
func ratioOf(q tco.Quotient, t *rapid.T) tco.Ratio {
	if by := rapid.Int64Range(1, 1e15).Draw(t, "by"); by > 1 {
		n := decimal.NewFromInt(by)
		return tco.NewRatio(q.Over(n)).Times(tco.NewRatio(tco.Exact(n)))
	}
	return tco.NewRatio(q)
}

// TestHalves rounds what lies half way between two units.
func TestHalves(t *testing.T) {
	for _, row := range []struct{ cost, want string }{
		{"0.00000000005", "0"}, {"0.00000000015", "0.0000000002"}, {"-0.00000000015", "-0.0000000002"}, {"-0.00000000025", "-0.0000000002"},
		{"922337203.68547758075", "922337203.6854775808"}, {"12345678901234567890.00000000005", "12345678901234567890"},
	} {
		got := tco.Round(tco.NewRatio(tco.Exact(dec(row.cost))), tco.Exact(dec("1")).InUnits())
		if !got.Decimal().Equal(dec(row.want)) {
			t.Errorf("%s: got %s, want %s", row.cost, got.Decimal(), row.want)
		}
	}
}

// TestPartsOfATransfer: the parts of a volume add up to it, and what they cost to the
// price of the whole, across every boundary.
func TestPartsOfATransfer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := awsTiers("GB", rapid.SampledFrom([]string{"0", "1", "100"}).Draw(t, "free"))
		if rapid.Bool().Draw(t, "GiB") {
			rate.Unit = "GiB"
		}
		used, gb := decimal.New(rapid.Int64Range(0, 2e11).Draw(t, "used"), -6), decimal.New(rapid.Int64Range(0, 2e11).Draw(t, "gb"), -6)
		volume, cost := decimal.Zero, decimal.Zero
		for _, p := range tco.PartsAfter(rate, used, gb) {
			volume, cost = volume.Add(p.Volume), cost.Add(p.Volume.Mul(p.Price))
		}
		if want := tco.InUnit(gb, rate.Unit); !volume.Equal(want) {
			t.Fatalf("the parts are %s, want %s", volume, want)
		}
		if want := tco.EgressAfter(rate, used, gb); !cost.Equal(want) {
			t.Fatalf("the parts cost %s, want %s", cost, want)
		}
	})
}

// TestBytes: the fast way to bytes rounds up as the exact one does, or says that it
// can't.
func TestBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := tco.Quotient{Num: decimal.New(rapid.Int64Range(0, 1e15).Draw(t, "volume"), rapid.Int32Range(-9, 3).Draw(t, "exp")), Den: decimal.NewFromInt(rapid.Int64Range(1, 31).Draw(t, "den"))}
		growth, _ := tco.MultipleOf(decimal.New(rapid.Int64Range(0, 1e15).Draw(t, "growth"), -12))
		got, ok := tco.Bytes(tco.NewRatio(q).Times(growth.Ratio()))
		want := tco.KilobytesUp(q.Times(growth.Decimal())).Shift(9)
		if ok && !want.Equal(decimal.NewFromInt(got)) {
			t.Fatalf("got %d, want %s", got, want)
		}
		if !ok && growth == tco.Once && want.LessThan(decimal.New(1, 15)) && q.Num.Exponent() >= -6 {
			t.Fatalf("%s bytes can't be told", want)
		}
	})
}

// TestSteps: bytes are split as volumes are.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := awsTiers("GB", rapid.SampledFrom([]string{"0", "1", "100"}).Draw(t, "free"))
		if rapid.Bool().Draw(t, "GiB") {
			rate.Unit = "GiB"
		}
		transfer := tco.Transfer{Rate: rate, Conversion: dollars("1").Conversion}
		steps, ok := transfer.Steps()
		used, bytes := rapid.Int64Range(0, 2e14).Draw(t, "used")/1000*1000, rapid.Int64Range(0, 2e14).Draw(t, "bytes")/1000*1000
		got := decimal.Zero
		steps.Split(used, bytes, func(tier int, n int64) {
			item := steps.Tiers[tier]
			got = got.Add(item.Cost().Times(decimal.NewFromInt(n)).Round(15))
		})
		want := tco.EgressAfter(rate, decimal.New(used, -9), decimal.New(bytes, -9))
		if !ok || got.Sub(want).Abs().GreaterThan(decimal.New(1, -13)) {
			t.Fatalf("%d bytes after %d cost %s, want %s", bytes, used, got, want)
		}
		if n, ok := tco.Bytes(tco.NewRatio(tco.Exact(decimal.New(bytes, -9)))); !ok || n != bytes {
			t.Fatalf("%d bytes are %d", bytes, n)
		}
	})
}
