package tco_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

func TestRoundHalfEven(t *testing.T) {
	for name, row := range map[string]struct {
		num, den string
		places   int32
		want     string
	}{
		"half to even, down":          {"0.5", "1", 0, "0"},
		"half to even, up":            {"1.5", "1", 0, "2"},
		"half to even, negative":      {"-2.5", "1", 0, "-2"},
		"negative half up":            {"-1.5", "1", 0, "-2"},
		"a third":                     {"1", "3", 10, "0.3333333333"},
		"two thirds":                  {"2", "3", 10, "0.6666666667"},
		"rounds once, not twice":      {"0.4999999999999999999999999999", "1", 0, "0"},
		"just above half":             {"0.5000000000000000000000000001", "1", 0, "1"},
		"month to hour":               {"1846.61330783", "730", 10, "2.5296072710"},
		"eleventh decimal is a five":  {"0.00000000005", "1", 10, "0"},
		"eleventh decimal, odd below": {"0.00000000015", "1", 10, "0.0000000002"},
		"zero":                        {"0", "7", 10, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			q := tco.Quotient{Num: decimal.RequireFromString(row.num), Den: decimal.RequireFromString(row.den)}
			if got, want := q.Round(row.places), decimal.RequireFromString(row.want); !got.Equal(want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestRoundNearest holds the rounding against big.Rat: never more than half a unit
// off, and even where it is just half.
func TestRoundNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := tco.Quotient{
			Num: decimal.New(rapid.Int64().Draw(t, "num"), rapid.Int32Range(-12, 3).Draw(t, "num exp")),
			Den: decimal.New(rapid.Int64Range(1, math.MaxInt64).Draw(t, "den"), rapid.Int32Range(-9, 3).Draw(t, "den exp")),
		}
		places := rapid.Int32Range(0, 12).Draw(t, "places")
		got := q.Round(places)
		exact := new(big.Rat).Quo(q.Num.Rat(), q.Den.Rat())
		off := new(big.Rat).Sub(got.Rat(), exact)
		half := new(big.Rat).Quo(decimal.New(1, -places).Rat(), big.NewRat(2, 1))
		switch off.Abs(off).Cmp(half) {
		case 1:
			t.Fatalf("%s / %s rounds to %s, more than half a unit off", q.Num, q.Den, got)
		case 0:
			if got.Shift(places).BigInt().Bit(0) != 0 {
				t.Fatalf("%s / %s is half way and rounds to the odd %s", q.Num, q.Den, got)
			}
		}
	})
}

func TestWholeSeconds(t *testing.T) {
	for _, row := range []struct {
		seconds float64
		want    int64
	}{
		{0, 0}, {-5, 0}, {math.NaN(), 0}, {math.Inf(-1), 0}, {0.001, 1}, {1, 1}, {1.2, 2}, {3600, 3600},
		{1e300, tco.MaxSeconds}, {math.Inf(1), tco.MaxSeconds},
	} {
		if got := tco.WholeSeconds(row.seconds); got != row.want {
			t.Errorf("WholeSeconds(%g): got %d, want %d", row.seconds, got, row.want)
		}
	}
}

func TestVolumeNeverUnderstated(t *testing.T) {
	for _, row := range []struct {
		gb   float64
		want string
	}{{0, "0"}, {-1, "0"}, {math.NaN(), "0"}, {10, "10"}, {0.1, "0.1"}, {1e-9, "0.000001"}, {2.0000004, "2.000001"}} {
		if got := tco.Volume(row.gb); !got.Equal(decimal.RequireFromString(row.want)) {
			t.Errorf("Volume(%g): got %s, want %s", row.gb, got, row.want)
		}
	}
}
