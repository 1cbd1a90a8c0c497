package tco_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TestShares: a share's lower bound is below the exact product, by little, and the price
// that it asks for is the highest with no larger bound.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(1, 1<<40).Draw(t, "seconds")
		price := tco.Nano(rapid.Int64Range(0, 1<<50).Draw(t, "price"))
		share, per := tco.HourShare(seconds), int64(3600)
		if rapid.Bool().Draw(t, "by the month") {
			share, per = tco.MonthShare(seconds), 730*3600
		}
		least := share.AtLeast(price)
		exact := new(big.Rat).Mul(big.NewRat(seconds, per), new(big.Rat).SetInt64(int64(price)))
		if least < tco.MaxNano && new(big.Rat).SetInt64(int64(least)).Cmp(exact) > 0 {
			t.Fatalf("%d of %s for %d s: at least %d", price, exact.FloatString(3), seconds, least)
		}
		if loose := new(big.Rat).SetInt64(int64(least) + 3 + int64(price)>>31); least > 0 && least < tco.MaxNano && loose.Cmp(exact) < 0 {
			t.Fatalf("%d of %s for %d s: at least %d is far below", price, exact.FloatString(3), seconds, least)
		}
		most := share.AtMost(least)
		if most < price || share.AtLeast(most) > least || most < tco.MaxNano && share.AtLeast(most+1) <= least {
			t.Fatalf("%d s: at least %d up to a price of %d, which was asked of %d", seconds, least, most, price)
		}
	})
}

// TestSharesAreExact: a share is the largest that is no more than the exact one, or the largest
// that there is.
func TestSharesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for seconds := rapid.Int64Range(1<<62, math.MaxInt64).Draw(t, "seconds"); seconds > 0; seconds /= 2 {
			for per, share := range map[int64]tco.Share{3600: tco.HourShare(seconds), 730 * 3600: tco.MonthShare(seconds)} {
				if want := scaled(seconds, 1<<32, per, false); int64(share) != want {
					t.Fatalf("%d s of %d: %d, want %d", seconds, per, share, want)
				}
			}
		}
	})
}

// TestEncloseHeld compares bounds with what they are made of, worked out in big integers.
func TestEncloseHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := tco.Rates{NodeHour: bound(t, "node-hour"), GBMonth: bound(t, "GB and month")}
		billed, gb, held := amount(t, "billed"), amount(t, "gb"), amount(t, "held")
		want := tco.Bound{
			Low: tco.Nano(scaled(int64(rates.NodeHour.Low), billed, 3600, false)), High: tco.Nano(scaled(int64(rates.NodeHour.High), billed, 3600, true)),
		}
		if rates.GBMonth.High > 0 && gb > 0 {
			low, high := scaled(int64(rates.GBMonth.Low), gb, 1, false), scaled(int64(rates.GBMonth.High), gb, 1, true)
			want = want.Add(tco.Bound{Low: tco.Nano(scaled(low, held, 730*3600, false)), High: tco.Nano(scaled(high, held, 730*3600, true))})
		}
		if got := rates.EncloseHeld(billed, gb, held); got != want.Widen() {
			t.Fatalf("got %d, want %d", got, want.Widen())
		}
	})
}

// amount is a number that is not negative, often a small one.
func amount(t *rapid.T, name string) int64 {
	return rapid.Int64Range(0, math.MaxInt64).Draw(t, name) >> rapid.IntRange(0, 63).Draw(t, name+" less")
}

// bound is one, often of one amount or two that are next to each other.
func bound(t *rapid.T, name string) tco.Bound {
	low := amount(t, name)
	more := min(amount(t, name+" more"), math.MaxInt64-low)
	return tco.Bound{Low: tco.Nano(low), High: tco.Nano(low + more)}
}

// scaled is a x b / c rounded down or up, at most the largest int64.
func scaled(a, b, c int64, up bool) int64 {
	n := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	if up {
		n.Add(n, big.NewInt(c-1))
	}
	if n.Quo(n, big.NewInt(c)); !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}
