package accuracy

import (
	"math"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Score is one row against its prediction.
type Score struct {
	ID, Source, Method string
	Predicted, Actual  float64 // seconds per token and GPU, GB per GPU, or tokens per second and GPU
	Low, High          float64 // the prediction's own 80% interval; of time only
	Whole              bool    // a whole run, not a steady rate
	Single             bool    // one request at a time
	DidNotFit          bool    // memory ran out: Actual is not known
	Fit                workload.Fit
}

// LogError is ln(predicted / actual).
func (s *Score) LogError() float64 { return math.Log(s.Predicted / s.Actual) }

// covered reports whether the actual value lies in the interval.
func (s *Score) covered() bool { return s.Actual >= s.Low && s.Actual <= s.High }

// scorer collects the scores of rows and the reasons for leaving rows out.
type scorer struct {
	snapshot *catalog.Snapshot
	fitted   workload.Fitted

	training, memory, inference []Score
	baselines                   map[string][]Score
	skipped                     map[string]int
}

// row scores a row in every way that it can be scored.
func (c *scorer) row(r *Row) {
	for _, flag := range flags {
		if strings.Contains(r.Notes, flag) {
			c.skip("flag " + flag)
			return
		}
	}
	switch r.Kind {
	case "pretrain", "full-finetune", "lora", "qlora":
		c.time(r)
		c.peak(r, r.Kind)
	case "memory":
		c.peak(r, methodIn(r))
	case "inference":
		c.rate(r)
		c.peak(r, "inference")
	default:
		c.skip("kind " + r.Kind + " is not scored")
	}
}

// skip counts a row that is left out.
func (c *scorer) skip(why string) { c.skipped[why]++ }

// methodIn reads what a memory row is about from its model's name.
func methodIn(r *Row) string {
	name := strings.ToLower(r.Model)
	for _, word := range []string{"qlora", "lora", "inference"} {
		if strings.Contains(name, word) {
			return word
		}
	}
	if strings.Contains(name, "full") {
		return "full-finetune"
	}
	return ""
}

// time scores a training row's seconds per token and GPU.
func (c *scorer) time(r *Row) {
	actual, whole := measuredTime(r)
	if !(actual > 0) {
		c.skip("training: no measured time, or no tokens")
		return
	}
	j, why := jobOf(c.snapshot, r, r.Kind)
	if why != "" {
		c.skip("training: " + string(why))
		return
	}
	whole = whole && !j.said.is(fieldSteady)
	j.Spec.SteadyState = !whole
	e, err := c.estimate(&j)
	if err != nil {
		c.skip("training: " + err.Error())
		return
	}
	gpus := float64(j.Hardware.GPUsPerNode * j.Hardware.Nodes)
	perToken := gpus / j.Spec.Tokens
	s := Score{
		ID: r.ID, Source: r.origin(), Method: r.Kind, Actual: actual, Whole: whole,
		Predicted: e.Expected * perToken, Low: e.Low * perToken, High: e.High * perToken, Fit: e.Fit,
	}
	c.training = append(c.training, s)
	for _, b := range baselines(r, &j) {
		s.Predicted = b.seconds
		c.baselines[b.name] = append(c.baselines[b.name], s)
	}
}

// measuredTime is the seconds per token and GPU that a row reports, and whether they
// are those of a whole run: GPU-hours over tokens, or else the inverse of a rate.
func measuredTime(r *Row) (seconds float64, whole bool) {
	switch {
	case known(r.measuredGPUHours) && known(r.TokensB):
		return r.measuredGPUHours * 3600 / (r.TokensB * 1e9), true
	case known(r.measuredTokensPerSec):
		return 1 / r.measuredTokensPerSec, false
	}
	return math.NaN(), false
}

// estimate runs the public estimator on a job's main stage.
func (c *scorer) estimate(j *Job) (workload.Estimate, error) {
	stages, err := workload.SizeWith(c.fitted, j.Spec)
	if err != nil {
		return workload.Estimate{}, err
	}
	return stages[len(stages)-1].On(j.Hardware)
}

// peak scores a row's peak memory per GPU, or that there was not enough of it.
func (c *scorer) peak(r *Row, method string) {
	ranOut := readNotes(r).is(fieldOutOfMemory) && !known(r.measuredPeakGB)
	switch {
	case !ranOut && !(r.measuredPeakGB > 0):
		if r.Kind == "memory" {
			c.skip("memory: no measured peak")
		}
		return
	case method == "":
		c.skip("memory: no method stated")
		return
	}
	j, why := jobOf(c.snapshot, r, method)
	if why != "" {
		c.skip("memory: " + string(why))
		return
	}
	if j.Spec.Kind == workload.Inference && j.Spec.Evaluate.Batch == 0 {
		j.Spec.Evaluate.Batch = 1
	}
	e, err := c.estimate(&j)
	if err != nil {
		c.skip("memory: " + err.Error())
		return
	}
	actual := r.measuredPeakGB
	if j.said.is(fieldTotalMemory) {
		actual /= float64(j.Hardware.GPUsPerNode * j.Hardware.Nodes)
	}
	c.memory = append(c.memory, Score{
		ID: r.ID, Source: r.origin(), Method: method, Predicted: e.RequiredGB, Actual: actual, DidNotFit: ranOut, Fit: e.Fit,
	})
}

// rate scores an inference row's tokens per second and GPU.
func (c *scorer) rate(r *Row) {
	if !(r.measuredTokensPerSec > 0) {
		c.skip("inference: no measured rate")
		return
	}
	j, why := jobOf(c.snapshot, r, "inference")
	if why != "" {
		c.skip("inference: " + string(why))
		return
	}
	e, err := c.estimate(&j)
	if err != nil {
		c.skip("inference: " + err.Error())
		return
	}
	c.inference = append(c.inference, Score{
		ID: r.ID, Source: r.origin(), Method: r.Kind, Predicted: e.TokensPerSecondPerGPU, Actual: r.measuredTokensPerSec, Fit: e.Fit,
		Single: j.Spec.Evaluate.Batch == 1,
	})
}
