package tco_test

import (
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
