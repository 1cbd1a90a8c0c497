package engine

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Answer is the plans for a request and everything needed to judge them.
type Answer struct {
	CatalogVersion catalog.Version
	ComputedAt     time.Time
	Currency       catalog.Currency
	// AsOf is the oldest price date among the plans; unknown if one has none.
	AsOf        catalog.Date
	Assumptions []Assumption
	Plans       []Plan
	Frontier    []Point
	Considered  int // offers looked at, summed over the stages
	Rejected    []StageRejection
	Nearest     []Relaxation // if there is no plan: what would give one, a constraint at a time
}

// Plan is one ranked answer.
type Plan struct {
	stageplan.Plan
	Stages   []workload.StageName
	Main     int       // index of the main stage
	Baseline *Baseline // nil if the whole job can't run on the main stage's node
	Why      string
	Flips    []string // what would make another plan win
	// ECCPremium is what the best plan on ECC memory costs more than the best of
	// all, for the first plan of critical work.
	ECCPremium decimal.NullDecimal
	Warnings   []Warning
	Spot       []SpotChoice // per stage
	// RiskPct is the share of the simulated scenarios, in percent, in which the plan
	// misses the deadline, if there is one.
	HasDeadline bool
	RiskPct     float64
}

// Baseline is the whole job on the main stage's node, under the same assumptions.
type Baseline struct {
	Description string
	Total       decimal.Decimal
	// SavingsPct is 100 x (baseline - plan) / baseline, to one decimal, half even.
	SavingsPct decimal.Decimal
}

// Point is a plan of the frontier in short. Plan is the rank of the plan that it
// is, 0 if it is not among the plans.
type Point struct {
	Total   tco.Units
	Seconds int64
	Plan    int
}

// StageRejection counts what a reason ruled out for a stage. Text says it in words.
type StageRejection struct {
	Stage workload.StageName
	candidate.Rejection
	Text string
}

// Relaxation is the smallest change of one constraint that gives a plan while the
// others hold. Field is the request's name of it and Value what it must be at
// least, at most or contain.
type Relaxation struct{ Field, Value, Why string }

// Warning is something about a plan that its reader should know.
type Warning struct {
	Code    WarningCode
	Message string
}
