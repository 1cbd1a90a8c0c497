package workload

// mostNodes bounds the search for hardware that is large enough.
const mostNodes = 64

// Smallest is the fewest GPUs of hardware's kind that a stage fits on: 1, 2, 4, 8, ...
// of one node up to perNode, then whole nodes. ok is false if it does not fit on
// mostNodes of them, or can't be estimated.
func (s *Stage) Smallest(h Hardware, perNode int) (smallest Hardware, ok bool) {
	h.Nodes = 1
	for h.GPUsPerNode = 1; h.GPUsPerNode <= perNode; h.GPUsPerNode *= 2 {
		if fit, err := s.FitOn(h); err == nil && fit == Fits {
			return h, true
		}
	}
	h.GPUsPerNode = perNode
	for h.Nodes = 2; h.Nodes <= mostNodes; h.Nodes *= 2 {
		if fit, err := s.FitOn(h); err == nil && fit == Fits {
			return h, true
		}
	}
	return Hardware{}, false
}
