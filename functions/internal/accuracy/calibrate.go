package accuracy

import (
	"math"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Calibration is the fitted constants, refitted, and what the fit is worth.
type Calibration struct {
	Fitted workload.Fitted
	// Current is the figures of the constants in use, Refitted those of Fitted on the
	// same rows, LeftOut those of every source's rows under constants that were fitted
	// without that source.
	Current, Refitted, LeftOut Errors
	LeftOutCoverage            Figure
}

// Constant is one fitted constant: as refitted, as in use, and as expected before any
// row is looked at.
type Constant struct {
	Name                    string
	Fitted, InUse, Expected float64
}

// Constants are all of them.
func (c *Calibration) Constants() []Constant {
	inUse := workload.Calibrated()
	fitted, used := constants(&c.Fitted), constants(&inUse)
	all := make([]Constant, len(fitted))
	for i := range fitted {
		all[i] = Constant{fitted[i].name, *fitted[i].value, *used[i].value, fitted[i].prior}
	}
	return all
}

// How the search for constants goes: it starts from what is expected of them, tries
// each alone a step up and down in its logarithm, and halves the steps when nothing
// helps.
const (
	firstStep = 0.12
	lastStep  = 0.02
	// shrinkage is the cost of a constant's distance in ln from what is expected of it,
	// over the square of priorSpread: without it a constant that few rows speak of would
	// follow their noise.
	shrinkage   = 0.03
	priorSpread = 0.15
)

// Calibrate refits the constants on all sources, and once without each. It is
// deterministic.
func Calibrate(snapshot *catalog.Snapshot, rows []Row) Calibration {
	f := fitterOf(snapshot, rows)
	c := Calibration{Fitted: f.fit("")}
	in, refitted := f.scores(workload.Calibrated(), ""), f.scores(c.Fitted, "")
	var left []Score
	for _, source := range f.sources() {
		without := f.fit(source)
		for _, s := range f.scores(without, "") {
			if s.Source == source {
				left = append(left, s)
			}
		}
	}
	c.Current, c.Refitted, c.LeftOut = errorsOf(in), errorsOf(refitted), errorsOf(left)
	c.LeftOutCoverage = coverageOf(left)
	return c
}

// fitter is the training rows as jobs, ready to be estimated again and again.
type fitter struct {
	jobs   []Job
	scored []Score // Actual, Source and Method; the rest changes with the constants
}

// fitterOf makes the jobs once.
func fitterOf(snapshot *catalog.Snapshot, rows []Row) *fitter {
	c := scorer{snapshot: snapshot, fitted: workload.Calibrated(), baselines: make(map[string][]Score), skipped: make(map[string]int)}
	f := &fitter{}
	for i := range rows {
		before := len(c.training)
		c.row(&rows[i])
		if len(c.training) == before {
			continue
		}
		j, _ := jobOf(snapshot, &rows[i], rows[i].Kind)
		s := c.training[before]
		j.Spec.SteadyState = !s.Whole
		f.jobs, f.scored = append(f.jobs, j), append(f.scored, s)
	}
	return f
}

// sources are the sources in order of appearance.
func (f *fitter) sources() []string {
	var all []string
	seen := make(map[string]bool)
	for i := range f.scored {
		if s := f.scored[i].Source; !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return all
}

// scores estimates every row but those of a source with given constants.
func (f *fitter) scores(k workload.Fitted, without string) []Score {
	all := make([]Score, 0, len(f.scored))
	for i := range f.scored {
		if s := f.scored[i]; s.Source != without {
			all = append(all, f.estimate(i, k, s))
		}
	}
	return all
}

// estimate is one row's score with given constants.
func (f *fitter) estimate(i int, k workload.Fitted, s Score) Score {
	stages, err := workload.SizeWith(k, f.jobs[i].Spec)
	if err != nil {
		return s
	}
	h := f.jobs[i].Hardware
	e, err := stages[len(stages)-1].On(h)
	if err != nil {
		return s
	}
	perToken := float64(h.GPUsPerNode*h.Nodes) / f.jobs[i].Spec.Tokens
	s.Predicted, s.Low, s.High = e.Expected*perToken, e.Low*perToken, e.High*perToken
	return s
}

// fit searches the constants that minimise loss without a source.
func (f *fitter) fit(without string) workload.Fitted {
	k := prior()
	best := f.loss(k, without)
	for step := firstStep; step >= lastStep; step /= 2 {
		for improved := true; improved; {
			k, best, improved = f.improve(k, best, step, without)
		}
	}
	return k
}

// improve takes every move of a step's size that lowers the loss.
func (f *fitter) improve(k workload.Fitted, best, step float64, without string) (_ workload.Fitted, _ float64, improved bool) {
	for _, change := range moves(step) {
		next := k
		change(&next)
		if l := f.loss(next, without); l < best-1e-9 {
			k, best, improved = next, l, true
		}
	}
	return k, best, improved
}

// moves are the changes of one constant by a step, up and down.
func moves(step float64) []func(*workload.Fitted) {
	var all []func(*workload.Fitted)
	for i := range constants(&workload.Fitted{}) {
		for _, factor := range []float64{math.Exp(step), math.Exp(-step)} {
			all = append(all, func(k *workload.Fitted) { *constants(k)[i].value *= factor })
		}
	}
	return all
}

// constant is one of the fitted constants, what is expected of it before any row is
// looked at, and what physics allows at most (0 = anything).
type constant struct {
	name        string
	value       *float64
	prior, most float64
}

// constants are the fields of k. The priors: matrix products a tenth below the best
// measured (0.87 on A100, 0.80 on H100), attention kernels as good; clocks by the cube
// root of the power budget (dynamic power goes with the cube of the clock); FP8 a
// little worse than 16 bits; element-wise traffic of the 34 bytes per token, layer and
// width that training keeps (Korthikanti et al. 2022), each written and read about
// three times in each of three passes, twice that in eager programs; some 120 kernels
// of 10 microseconds per layer and pass, three times that where each layer's weights
// are gathered, with little overlap; 4-bit weights read, written in 16 bits and read
// again, GPTQ several times slower; collectives at the usual 0.6 of a link and a third
// of PCIe 4.0 x16; a tenth of a run lost.
func constants(k *workload.Fitted) []constant {
	return []constant{
		{"MatrixEfficiency", &k.MatrixEfficiency, 0.75, 0.87}, {"AttentionEfficiency", &k.AttentionEfficiency, 0.75, 1},
		{"PowerExponent", &k.PowerExponent, 1.0 / 3, 1}, {"FP8Efficiency", &k.FP8Efficiency, 0.9, 1},
		{"ElementBytes", &k.ElementBytes, 300, 0}, {"ElementEager", &k.ElementEager, 2, 0},
		{"LaunchPerLayer", &k.LaunchPerLayer, 1.2e-3, 0}, {"LaunchSharded", &k.LaunchSharded, 3, 0},
		{"EagerOverlap", &k.EagerOverlap, 0.2, 1}, {"DequantNF4", &k.DequantNF4, 3, 0}, {"DequantGPTQ", &k.DequantGPTQ, 10, 0},
		{"BusEfficiency", &k.BusEfficiency, 0.6, 1}, {"PCIeLink", &k.PCIeLink, 8e9, 0}, {"Goodput", &k.Goodput, 0.9, 0.98},
	}
}

// prior is the constants before any row is looked at.
func prior() workload.Fitted {
	var k workload.Fitted
	for _, c := range constants(&k) {
		*c.value = c.prior
	}
	return k
}

// loss is the mean over sources of the mean absolute error, which no source dominates
// by its number of rows, and the cost of leaving what is expected.
func (f *fitter) loss(k workload.Fitted, without string) float64 {
	total := 0.0
	for _, c := range constants(&k) {
		if c.most > 0 && *c.value > c.most {
			return math.Inf(1)
		}
		away := math.Log(*c.value / c.prior)
		total += shrinkage * away * away / (priorSpread * priorSpread)
	}
	sums, rows := make(map[string]float64), make(map[string]float64)
	for _, s := range f.scores(k, without) {
		sums[s.Source] += math.Abs(s.LogError())
		rows[s.Source]++
	}
	for _, source := range f.sources() { // not in the map's order: sums must not depend on it
		if rows[source] > 0 {
			total += sums[source] / rows[source] / float64(len(sums))
		}
	}
	return total
}
