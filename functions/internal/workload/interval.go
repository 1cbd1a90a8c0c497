package workload

import "math"

// remember sets what the estimate says about memory.
func (e *Estimate) remember(parts *Memory, margin, cardGB float64) {
	total := parts.Total()
	e.Memory, e.PerGPUGB, e.RequiredGB, e.Fit = *parts, cardGB, total*(1+margin), fitOf(total, margin, cardGB)
	if e.Fit != Fits {
		e.LacksGB = e.RequiredGB - fitsBelow*cardGB
	}
}

// spread sets the expected seconds and the ends of the 80% interval, a factor away.
func (e *Estimate) spread(expected, factor float64) {
	e.Low, e.Expected, e.High = expected/factor, expected, expected*factor
}

// What of a machine, and of how a job runs on it, the half-width depends on.
const (
	shortSteps    = 1 << iota // fewer than smallTokens in a micro-step
	slowLinks                 // PCIe, or a fabric that is not known
	newGPU                    // an architecture with few published runs
	circumstances             // how many sets of them there are
)

// circumstance is the set of those that hold for a training in micro-steps of micro tokens.
func (m *machine) circumstance(micro float64) (set int) {
	if micro < smallTokens {
		set |= shortSteps
	}
	if m.gpus > 1 && (m.nvlink == 0 || m.nodes > 1 && !m.fabricKnown) {
		set |= slowLinks
	}
	if m.unproven {
		set |= newGPU
	}
	return set
}

// halfWidth is the half-width of an 80% interval in ln(training time): the widths
// of everything that is uncertain about this job on this machine, in quadrature.
func (s *Spec) halfWidth(set int) float64 {
	tuning := s.Kind == FineTune
	return math.Sqrt(square(widthBase, true) +
		square(widthTeam, true) +
		square(widthEager, tuning && s.Framework == Eager) +
		square(widthRun, !s.SteadyState) +
		square(widthAssumed, s.Assumed != Assumed{}) +
		square(widthLength, tuning && s.Assumed.SeqLen) +
		square(widthSmall, tuning && set&shortSteps != 0) +
		square(widthLink, tuning && set&slowLinks != 0) +
		square(widthSharding, tuning && s.Method == Full && s.Sharding == ShardAuto && s.Framework == Eager) +
		square(widthOffload, s.Offload) +
		square(widthExperts, s.Shape.mixture()) +
		square(widthNewGPU, set&newGPU != 0))
}

// square is width^2 if it applies.
func square(width float64, applies bool) float64 {
	if !applies {
		return 0
	}
	return width * width
}

// outOfRange reports whether a utilisation is outside of what published runs of the
// kind reach.
func (s *Spec) outOfRange(mfu float64) bool {
	low, high := usualFineTuneLow, usualHigh
	if s.Kind == Pretrain {
		low = usualPretrainLow
	}
	if s.Shape.mixture() {
		high = usualExpertsHigh
	}
	return mfu < low || mfu > high
}
