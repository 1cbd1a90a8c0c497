package engine

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// Request is a job and what its plans must meet, checked and with every default
// filled in.
type Request struct {
	// Work is the job, and so are Relative and Pool; RentalSeconds prices time on
	// Hardware instead. One of the four is set.
	Work          *workload.Spec
	Relative      *workload.Relative
	Pool          *workload.Pool
	RentalSeconds float64
	// VerifySeconds is how long the main stage's hardware is tried before the work.
	VerifySeconds int64

	Data        Data
	Critical    bool
	Constraints candidate.Constraints
	Hardware    candidate.Pin // of the main stage

	Budget          decimal.NullDecimal // in Currency
	DeadlineSeconds int64               // 0 = none
	Objective       stageplan.Objective
	Currency        catalog.Currency
	Alternatives    int // plans to return at most

	// Seed decides the draws of the simulation that deadlines are tested by. Requests
	// for the same work have the same one.
	Seed uint64
	// Language is what explanations are written in.
	Language wording.Language

	ComputedAt time.Time
	// Assumed lists the defaults that were filled in.
	Assumed []Assumption
}

// Data says where the dataset lies and where results belong; how much there is
// stands in the work. A nil place is wherever the first or last stage runs.
type Data struct {
	Place     *catalog.Place
	ResultsTo *catalog.Place
}

// Assumption is a value that nobody stated. Field is the request's name for it,
// or the thing it is about.
type Assumption struct{ Field, Value, Why string }
