package workload

import "fmt"

// Edge is training in rounds: in each, every worker takes its step on a GPU of its own
// and exchanges what it learnt with where the workers meet. Base weights are placed on
// the workers once, ahead of the first round.
type Edge struct {
	Rounds    int
	Workers   int
	RoundGB   float64 // that each worker sends in a round, and as much that it receives
	UplinkGBs float64 // of a worker on the internet, both ways, GB/s
	WeightsGB float64 // that are placed on each worker
}

// Most of what an edge pool can be.
const (
	maxRounds  = 100_000_000
	maxWorkers = 10_000
)

// checkEdge is Check for work in rounds.
func (r *Relative) checkEdge() error {
	e := r.Edge
	field := func(name, want string) error { return FieldError{string(EdgeRounds) + "." + name, want} }
	switch {
	case e.Rounds < 1 || e.Rounds > maxRounds:
		return field("rounds", "from 1 to 100,000,000")
	case e.Workers < 1 || e.Workers > maxWorkers:
		return field("workers", fmt.Sprintf("from 1 to %d", maxWorkers))
	case !(r.Seconds > 0 && r.Seconds <= maxCoreHour*3600):
		return field("step_seconds", "steps that take more than 0 and at most 1e9 hours in all on the reference GPU")
	case !within(e.RoundGB, 0, maxGB) || !within(e.RoundGB*float64(e.Rounds)*float64(e.Workers), 0, maxGB):
		return field("bytes_per_round", "at most 1e9 GB over all rounds and workers")
	case !(e.UplinkGBs > 0):
		return field("uplink_mbit_s", "more than 0")
	case !within(e.WeightsGB, 0, maxGB):
		return field("weights_gb", "from 0 to 1e9 GB")
	case !r.compares():
		return field("reference_gpu", "a GPU that others can be compared with: measured, or with a full specification")
	}
	return nil
}

// edgeStage is the rounds as a stage. A worker that is taken away loses the step at hand.
func (r *Relative) edgeStage() Stage {
	e := r.Edge
	return Stage{
		Name: EdgeRounds, Parallel: true, InputGB: r.DatasetGB,
		DownloadGB: e.WeightsGB, DiskGB: systemDiskGB + imageDiskGB + r.DatasetGB + 2*e.WeightsGB,
		Workers: e.Workers, ExchangeGB: e.RoundGB * float64(e.Rounds) * float64(e.Workers),
		relative: r.comparison(), constants: calibrated(),
	}
}

// Rounds is how many rounds a stage takes and how long the exchange of one lasts, in
// seconds, over links of so many GB/s for each worker. It is of EdgeRounds only.
func (s *Stage) Rounds(linkGBs float64) (rounds int, exchange float64) {
	e := s.relative.Edge
	return e.Rounds, 2 * e.RoundGB / linkGBs
}

// UplinkGBs is the internet link of a worker of EdgeRounds.
func (s *Stage) UplinkGBs() float64 { return s.relative.Edge.UplinkGBs }
