package forecast

import (
	"math"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// What a history must have to say something, and how far it is believed.
const (
	leastPoints  = 3
	leastYears   = 0.5
	mostFall     = -0.5 // a year
	mostRise     = 0.5
	daysPerYear  = 365.2425
	monthsInYear = 12
)

// movement is how an offer's price moves.
type movement struct {
	perYear    float64 // relative
	volatility float64 // relative standard deviation after a year
	points     int     // prices that it rests on; 0 if it rests on none
}

// usualVolatility is the volatility of a price without a history: an assumption that
// answers list. A commitment's price is fixed.
func usualVolatility(m catalog.PurchaseModel) float64 {
	switch {
	case m.TermMonths() > 0:
		return 0
	case m == catalog.Spot:
		return 0.30
	default:
		return 0.05
	}
}

// priceAt is the logarithm of a price at a time in years.
type priceAt struct{ years, log float64 }

// moved is how an offer's price moved so far: the median of the slopes between every
// two prices on a logarithmic scale (P. K. Sen, "Estimates of the regression
// coefficient based on Kendall's tau", 1968), which a single wrong price can't turn;
// and the volatility from the steps that the slope leaves. ok is false if there are
// too few prices, or over too short a time.
func moved(history []catalog.PricePoint, now *catalog.Offer) (m movement, ok bool) {
	prices := dated(history, now)
	n := len(prices)
	if n < leastPoints || prices[n-1].years-prices[0].years < leastYears {
		return movement{}, false
	}
	var slopes []float64
	for i := range prices {
		for j := i + 1; j < n; j++ {
			if step := prices[j].years - prices[i].years; step > 0 {
				slopes = append(slopes, (prices[j].log-prices[i].log)/step)
			}
		}
	}
	slope := median(slopes)
	sum, steps := 0.0, 0
	for i := 1; i < n; i++ {
		if step := prices[i].years - prices[i-1].years; step > 0 {
			left := prices[i].log - prices[i-1].log - slope*step
			sum, steps = sum+left*left/step, steps+1
		}
	}
	return movement{
		perYear:    min(max(math.Expm1(slope), mostFall), mostRise),
		volatility: math.Sqrt(sum / float64(max(steps, 1))), points: n,
	}, true
}

// dated are the dated prices in the unit and currency of today's, oldest first.
func dated(history []catalog.PricePoint, now *catalog.Offer) []priceAt {
	var prices []priceAt
	add := func(at catalog.Date, p catalog.Price) {
		if at.Known() && p.Known() && p.Basis == now.Price.Basis && p.Currency == now.Price.Currency {
			years := float64(at.Time().Unix()) / 86400 / daysPerYear
			prices = append(prices, priceAt{years, math.Log(p.Amount.Decimal.InexactFloat64())})
		}
	}
	for _, p := range history {
		add(p.AsOf, p.Price)
	}
	add(now.AsOf, now.Price)
	slices.SortStableFunc(prices, func(a, b priceAt) int {
		switch {
		case a.years < b.years:
			return -1
		case a.years > b.years:
			return 1
		}
		return 0
	})
	return prices
}

// median is the middle of some numbers, the mean of the two middle ones; 0 of none.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// factors are those of a price from the month that it is known in to the n-th after
// it, each rounded from the one before. At mostRise none is too large within the
// longest forecast.
func (m movement) factors(n int) []tco.Multiple {
	monthly, _ := tco.MultipleOf(tco.Factor(math.Pow(1+m.perYear, 1.0/monthsInYear)))
	all, _ := monthly.Powers(n)
	return all
}

// given is the movement by a stated percentage a year.
func given(pctPerYear decimal.Decimal) movement {
	return movement{perYear: pctPerYear.InexactFloat64() / 100}
}

// percent writes a relative change for people.
func percent(x float64) string { return tco.Factor(x*100).Round(1).String() + "%" }
