package window

import "time"

// Rules say how samples become windows. Both thresholds of a busy sample are guesses,
// to be tuned on real cards: so a report carries the rules it was made with, and how
// many windows each of them rejected.
type Rules struct {
	Window           time.Duration // how long a window is
	BusyShare        float64       // of its samples, how many must be busy
	UtilizationBusy  float64       // percent: at least this
	PowerBusy        float64       // and at least this share of the enforced power limit
	SMUtilization    float64       // or this share of the SMs, where the hardware says
	Cold             time.Duration // of each busy episode, what is kept apart
	SufficientBusy   time.Duration // busy time that makes a report count
	SufficientSteady time.Duration // and how much of it must not be cold
}

// DefaultRules are the rules that reports are made with.
func DefaultRules() Rules {
	return Rules{
		Window: time.Minute, BusyShare: 0.8, UtilizationBusy: 90, PowerBusy: 0.5, SMUtilization: 0.5,
		Cold: 2 * time.Minute, SufficientBusy: 15 * time.Minute, SufficientSteady: 10 * time.Minute,
	}
}

// Class says what a window counts as.
type Class string

// The classes.
const (
	Steady      Class = "steady"
	Cold        Class = "cold"        // busy, but at the start of an episode
	Unused      Class = "unused"      // rejected by utilisation
	LowPower    Class = "low_power"   // utilisation says busy, power does not: a kernel that spins, or waits
	Unavailable Class = "unavailable" // the device was lost or could not be read
)

// Busy reports whether the device worked.
func (c Class) Busy() bool { return c == Steady || c == Cold }

// Tier is the strength of the evidence behind a figure.
type Tier string

// The tiers, strongest first.
const (
	TierActive   Tier = "A" // a benchmark was run
	TierWorkload Tier = "B" // the user's own program reported its rate
	TierPassive  Tier = "C" // counters only
)

// TierOf is the tier of a report.
func TierOf(benchmarks, throughputs int) Tier {
	switch {
	case benchmarks > 0:
		return TierActive
	case throughputs > 0:
		return TierWorkload
	}
	return TierPassive
}
