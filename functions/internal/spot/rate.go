package spot

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
)

// Rate is how often one instance is interrupted, per hour of running.
type Rate struct {
	Low, Central, High float64
	// Known is false if no source gives a band for the offer and the worst
	// published one stands in.
	Known bool
}

// meanRunHours is the median length of a run between interruptions in published
// traces of V100 and K80 spot instances (range 0.7 to 10.5 hours); no traces of
// newer classes are public, so it is used for them too.
const meanRunHours = 2.3

// worstBandPct is the upper end of the published monthly bands: "above 20%" has
// no other end, and an unknown band counts as that one.
const worstBandPct = 20

// RateOf turns a monthly band into an hourly rate. The low end takes the band's
// upper end p as a probability over a month, -ln(1-p)/730; the high end is one
// over the mean run of published traces; the central rate is their geometric
// mean, an assumption, since bands do not convert exactly to hours.
func RateOf(band *catalog.Band) Rate {
	pct := float64(worstBandPct)
	if band.Known() && band.High.Valid {
		pct = min(band.High.Decimal.InexactFloat64(), 99)
	}
	low := -math.Log(1-pct/100) / catalog.HoursPerMonth
	high := 1 / meanRunHours
	return Rate{Low: low, Central: math.Sqrt(low * high), High: high, Known: band.Known()}
}
