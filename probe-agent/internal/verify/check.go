package verify

import (
	"fmt"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
)

// Status is the outcome of a check.
type Status string

// The outcomes.
const (
	Pass         Status = "pass"
	Warn         Status = "warn"
	Fail         Status = "fail"
	Skip         Status = "skip"         // not made, with the reason
	Inconclusive Status = "inconclusive" // made, and it decides nothing
)

// Check is one question and its answer.
type Check struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Status   Status   `json:"status"`
	Actual   string   `json:"actual,omitempty"`
	Required string   `json:"required,omitempty"`
	Unit     string   `json:"unit,omitempty"`
	Evidence string   `json:"evidence,omitempty"`
	Remedy   string   `json:"remediation,omitempty"`
	Value    *float64 `json:"value,omitempty"` // Actual, where it is one number
}

// skipped is a check that was not made.
func skipped(id, title, reason string) Check {
	return Check{ID: id, Title: title, Status: Skip, Evidence: reason}
}

// withValue sets the number and its unit.
func (c Check) withValue(v float64, unit string) Check {
	c.Value, c.Unit = &v, unit
	if c.Actual == "" {
		c.Actual = fmt.Sprintf("%.4g", v)
	}
	return c
}

// Failed reports whether the rental is not what was sold.
func Failed(checks []Check) bool { return has(checks, Fail) }

// Decided reports whether something passed, and nothing warns or stays open.
func Decided(checks []Check) bool {
	return has(checks, Pass) && !has(checks, Warn) && !has(checks, Inconclusive)
}

func has(checks []Check, status Status) bool {
	for _, c := range checks {
		if c.Status == status {
			return true
		}
	}
	return false
}

// Wire are the checks as a report holds them: without their texts.
func Wire(checks []Check) []report.Check {
	wire := make([]report.Check, len(checks))
	for i, c := range checks {
		wire[i] = report.Check{ID: c.ID, Status: string(c.Status), Actual: c.Value, Unit: c.Unit}
	}
	return wire
}
