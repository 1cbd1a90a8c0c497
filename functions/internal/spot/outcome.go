package spot

import "math"

// Job is a stage as interruptions see it. Times are in seconds.
type Job struct {
	Useful float64 // run time without interruptions
	// CheckpointWrite is the time to write one checkpoint. It is 0 for work that
	// splits into small independent tasks, which needs none.
	CheckpointWrite float64
	Restart         float64 // time to get a new instance going again
	// TaskSeconds is the run time of one such task: an interruption loses half of it.
	TaskSeconds float64
	Instances   int // instances that must live together: any one's loss stops all
}

// Outcome is what interruptions make of a job. Times are in seconds.
type Outcome struct {
	Interval      float64 // between checkpoints; 0 if none are written
	Expected      float64 // time on top of the useful time
	P95           float64 // the same at the 95th percentile
	Interruptions float64 // expected number
}

// Of computes the outcome at an hourly interruption rate per instance.
//
// With checkpoints the interval is sqrt(2 delta / lambda) (J. W. Young, "A first
// order approximation to the optimum checkpoint interval", 1974), at most the
// useful time, and the expected time follows J. T. Daly, "A higher order estimate
// of the optimum checkpoint interval for restart dumps", 2006, equation 20:
// useful x exp(lambda R) (exp(lambda (tau + delta)) - 1) / (lambda tau). Small
// independent tasks lose half a task, on average, and the restart.
func (j Job) Of(ratePerHour float64) Outcome {
	lambda := j.perSecond(ratePerHour)
	if lambda <= 0 || j.Useful <= 0 {
		return Outcome{}
	}
	count := lambda * j.Useful
	if j.CheckpointWrite <= 0 {
		return Outcome{
			Expected:      j.expected(lambda),
			P95:           poisson95(count) * j.perTask(),
			Interruptions: count,
		}
	}
	tau, expected := j.interval(lambda), j.expected(lambda)
	writes := j.Useful * j.CheckpointWrite / tau
	perLoss := tau/2 + j.CheckpointWrite + j.Restart
	return Outcome{
		Interval:      tau,
		Expected:      expected,
		P95:           math.Max(expected, writes+poisson95(count)*perLoss),
		Interruptions: count,
	}
}

// Expected is the expected time on top of the useful one at an hourly interruption rate per
// instance, as Of has it. It grows with the rate, the useful time and that of a task.
func (j *Job) Expected(ratePerHour float64) float64 { return j.expected(j.perSecond(ratePerHour)) }

// perSecond is the rate at which any of the instances is interrupted.
func (j *Job) perSecond(ratePerHour float64) float64 {
	return ratePerHour / 3600 * float64(max(j.Instances, 1))
}

// perTask is what an interruption of small tasks takes.
func (j *Job) perTask() float64 { return j.TaskSeconds/2 + j.Restart }

// interval is the time between two checkpoints.
func (j *Job) interval(lambda float64) float64 {
	return math.Min(math.Sqrt(2*j.CheckpointWrite/lambda), j.Useful)
}

// expected is the expected time on top of the useful one.
func (j *Job) expected(lambda float64) float64 {
	if lambda <= 0 || j.Useful <= 0 {
		return 0
	}
	if j.CheckpointWrite <= 0 {
		return lambda * j.Useful * j.perTask()
	}
	tau := j.interval(lambda)
	factor := math.Exp(lambda*j.Restart) * math.Expm1(lambda*(tau+j.CheckpointWrite)) / (lambda * tau)
	return j.Useful * (factor - 1)
}

// poisson95 is the 95th percentile of a Poisson count of the given mean; above
// 500 by the normal approximation.
func poisson95(mean float64) float64 {
	const z95 = 1.6449 // standard normal quantile
	if mean > 500 {
		return mean + z95*math.Sqrt(mean)
	}
	term := math.Exp(-mean)
	sum, k := term, 0.0
	for sum < 0.95 {
		k++
		term *= mean / k
		sum += term
	}
	return k
}
