package accuracy

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Report is every figure of a comparison. Errors are of ln(predicted / actual).
type Report struct {
	Training  Training       `json:"training"`
	Memory    Memory         `json:"memory"`
	Inference Inference      `json:"inference"`
	Skipped   map[string]int `json:"skipped"` // rows by reason; one that is scored for memory alone counts for its time

	// Worst are the rows that are furthest off, worst first.
	Worst []Score `json:"-"`
	// Fits is the confusion of fit and no fit, for people: rows that ran and rows that
	// ran out of memory, by the answer.
	Fits Confusion `json:"-"`
	// Sources are the training figures of each source.
	Sources []SourceFigures `json:"-"`
	// SingleStreams are the inference figures of rows that answer one request at a time.
	SingleStreams Inference `json:"-"`
}

// Figure is a number that is null where there were no rows.
type Figure float64

// MarshalJSON writes the figure to four decimals.
func (f Figure) MarshalJSON() ([]byte, error) {
	x := float64(f)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(math.Round(x*1e4) / 1e4)
}

// Errors are the figures of a set of training rows.
type Errors struct {
	Rows    int `json:"rows"`
	Sources int `json:"sources"`
	// MacroMdALE is the median over sources of the source's median absolute error,
	// MeanOfSourceMedians their mean, WholeRunsMdALE the median over rows of whole runs.
	MacroMdALE          Figure `json:"macro_mdale"`
	MeanOfSourceMedians Figure `json:"mean_of_source_medians"`
	WholeRunsMdALE      Figure `json:"whole_runs_mdale"`
	Within1_5           Figure `json:"within_1_5"` // share of rows within a factor of 1.5
	Within2             Figure `json:"within_2"`
	P90Factor           Figure `json:"p90_factor"`  // factor that 90% of rows are within
	BiasFactor          Figure `json:"bias_factor"` // median of predicted / actual
}

// Training is the figures of training time.
type Training struct {
	Errors
	IntervalCoverage Figure            `json:"interval_coverage"` // share of rows in their own 80% interval
	ByMethod         map[string]Errors `json:"by_method"`
	Baselines        map[string]Errors `json:"baselines"` // on the same rows
}

// Memory is the figures of peak memory per GPU.
type Memory struct {
	Rows         int    `json:"rows"`
	FalseFits    int    `json:"false_fits"`    // said to fit, and ran out of memory
	CoveredShare Figure `json:"covered_share"` // peaks predicted at 0.95 x measured or above
	MdALE        Figure `json:"mdale"`
}

// Inference is the figures of generated tokens per second.
type Inference struct {
	Rows  int    `json:"rows"`
	MdALE Figure `json:"mdale"`
}

// Confusion counts memory rows by answer: what was said of rows that ran, and of
// rows that ran out of memory.
type Confusion struct{ Ran, RanOut [workload.Fits + 1]int }

// SourceFigures are one source's training rows.
type SourceFigures struct {
	Source        string
	Rows, Covered int
	MdALE, Bias   float64
}

// worstShown is how many of the worst rows a report keeps.
const worstShown = 20

// coveredFrom is the share of a measured peak from which a prediction covers it.
const coveredFrom = 0.95

// Run scores rows with the constants that every estimate uses.
func Run(snapshot *catalog.Snapshot, rows []Row) Report {
	return scored(snapshot, rows, workload.Calibrated()).report()
}

// scored scores rows with given constants.
func scored(snapshot *catalog.Snapshot, rows []Row, fitted workload.Fitted) *scorer {
	c := &scorer{snapshot: snapshot, fitted: fitted, baselines: make(map[string][]Score), skipped: make(map[string]int)}
	for i := range rows {
		c.row(&rows[i])
	}
	return c
}

// report turns scores into figures.
func (c *scorer) report() Report {
	r := Report{Skipped: c.skipped, Sources: bySource(c.training), Fits: confusionOf(c.memory), Memory: memoryOf(c.memory)}
	r.Training = Training{
		Errors: errorsOf(c.training), IntervalCoverage: coverageOf(c.training),
		ByMethod: make(map[string]Errors), Baselines: make(map[string]Errors),
	}
	for name, scores := range c.baselines {
		r.Training.Baselines[name] = errorsOf(scores)
	}
	for _, method := range []string{"pretrain", "full-finetune", "lora", "qlora"} {
		if of := only(c.training, func(s *Score) bool { return s.Method == method }); len(of) > 0 {
			r.Training.ByMethod[method] = errorsOf(of)
		}
	}
	r.Inference = inferenceOf(c.inference)
	r.SingleStreams = inferenceOf(only(c.inference, func(s *Score) bool { return s.Single }))
	r.Worst = worst(c.training)
	return r
}

// worst are the rows furthest off.
func worst(scores []Score) []Score {
	all := slices.Clone(scores)
	slices.SortStableFunc(all, func(a, b Score) int { return cmp.Compare(math.Abs(b.LogError()), math.Abs(a.LogError())) })
	return all[:min(worstShown, len(all))]
}

// inferenceOf is the inference figures.
func inferenceOf(scores []Score) Inference {
	return Inference{Rows: len(scores), MdALE: Figure(median(absolute(scores)))}
}

// memoryOf is the memory figures.
func memoryOf(scores []Score) Memory {
	m := Memory{Rows: len(scores)}
	ran := only(scores, func(s *Score) bool { return !s.DidNotFit })
	covered := 0
	for i := range scores {
		if scores[i].DidNotFit && scores[i].Fit == workload.Fits {
			m.FalseFits++
		}
	}
	for i := range ran {
		if ran[i].Predicted >= coveredFrom*ran[i].Actual {
			covered++
		}
	}
	m.CoveredShare = share(covered, len(ran))
	m.MdALE = Figure(median(absolute(ran)))
	return m
}

// confusionOf counts answers against what happened.
func confusionOf(scores []Score) Confusion {
	var c Confusion
	for i := range scores {
		if scores[i].DidNotFit {
			c.RanOut[scores[i].Fit]++
		} else {
			c.Ran[scores[i].Fit]++
		}
	}
	return c
}
