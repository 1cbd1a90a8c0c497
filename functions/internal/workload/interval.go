package workload

import "math"

// remember sets what the estimate says about memory.
func (e *Estimate) remember(parts Memory, margin, cardGB float64) {
	e.Memory, e.PerGPUGB = parts, cardGB
	e.RequiredGB = parts.Total() * (1 + margin)
	e.Fit = fitOf(parts, margin, cardGB)
	if e.Fit != Fits {
		e.LacksGB = e.RequiredGB - fitsBelow*cardGB
	}
}

// spread sets the expected seconds and the 80% interval of a half-width in ln.
func (e *Estimate) spread(expected, half float64) {
	factor := math.Exp(half)
	e.Low, e.Expected, e.High = expected/factor, expected, expected*factor
}

// halfWidth is the half-width of an 80% interval in ln(training time): the widths
// of everything that is uncertain about this job on this machine, in quadrature.
func (s *Spec) halfWidth(m *machine, micro float64) float64 {
	tuning := s.Kind == FineTune
	slowLink := m.gpus > 1 && (m.nvlink == 0 || m.nodes > 1 && !m.fabricKnown)
	return math.Sqrt(square(widthBase, true) +
		square(widthTeam, true) +
		square(widthEager, tuning && s.Framework == Eager) +
		square(widthRun, !s.SteadyState) +
		square(widthAssumed, s.Assumed != Assumed{}) +
		square(widthLength, tuning && s.Assumed.SeqLen) +
		square(widthSmall, tuning && micro < smallTokens) +
		square(widthLink, tuning && slowLink) +
		square(widthSharding, tuning && s.Method == Full && s.Sharding == ShardAuto && s.Framework == Eager) +
		square(widthOffload, s.Offload) +
		square(widthExperts, s.Shape.mixture()) +
		square(widthNewGPU, m.unproven))
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
