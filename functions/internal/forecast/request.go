package forecast

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// Request is what to look ahead at, checked and with every default filled in.
type Request struct {
	First       time.Time // midnight of the first of a month, in the zone that months are counted in
	Months      int
	Workloads   []Workload
	Commitments []Commitment
	Trend       Trend
	PerMonth    decimal.NullDecimal // budgets
	InAll       decimal.NullDecimal
	Currency    catalog.Currency
	ComputedAt  time.Time
	Assumed     []engine.Assumption
	Language    wording.Language // of assumptions, warnings and the method
}

// Workload is an option that is had from one day to another.
type Workload struct {
	At string // where the request has it, for errors
	engine.Option
	From, Until time.Time // midnights; Until is the one after the last day, zero for no end
	// GrowthPct is by how much it grows each month after its first; above -100.
	GrowthPct decimal.Decimal
	Days      Weekdays // on which instances with a daily schedule are on, and daily jobs run
}

// Commitment is instances that are paid for every hour of a term. They take over what
// workloads' resources on demand of the same SKU at the same place do meanwhile.
type Commitment struct {
	At, Name  string // At is where the request has it
	Offer     catalog.OfferID
	Instances int64
	From      time.Time // the first of a month
	Months    int
}

// Trend is how prices move.
type Trend struct {
	Kind       TrendKind
	PctPerYear decimal.Decimal // of the kind GivenTrend
}

// TrendKind names a way that prices move.
type TrendKind string

// The kinds of trends: prices stay, move as they did, or move by so much a year.
const (
	FlatTrend    TrendKind = "flat"
	HistoryTrend TrendKind = "history"
	GivenTrend   TrendKind = "given"
)
