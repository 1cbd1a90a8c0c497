package schemas

import "encoding/json"

// ForecastRequest is the body of POST /v1/forecast, and what a portfolio keeps.
type ForecastRequest struct {
	Start            string               `json:"start,omitempty"`
	Months           *int                 `json:"months,omitempty"`
	TimeZone         string               `json:"time_zone,omitempty"`
	Workloads        []ForecastWorkload   `json:"workloads,omitempty"`
	Commitments      []ForecastCommitment `json:"commitments,omitempty"`
	PriceTrend       *PriceTrend          `json:"price_trend,omitempty"`
	BudgetPerMonth   *string              `json:"budget_per_month,omitempty"`
	BudgetTotal      *string              `json:"budget_total,omitempty"`
	CommitmentMonths *int                 `json:"commitment_months,omitempty"`
	Currency         string               `json:"currency,omitempty"`
	Language         string               `json:"language,omitempty"`
}

// PriceTrend is how prices move: a word, or a percentage a year.
type PriceTrend struct {
	Word       string
	PctPerYear string
}

// UnmarshalJSON reads a text, or an object with pct_per_year.
func (t *PriceTrend) UnmarshalJSON(document []byte) error {
	if len(document) > 0 && document[0] == '"' {
		return json.Unmarshal(document, &t.Word)
	}
	var object struct {
		PctPerYear string `json:"pct_per_year"`
	}
	err := json.Unmarshal(document, &object)
	t.PctPerYear = object.PctPerYear
	return err
}

// MarshalJSON writes what UnmarshalJSON reads.
func (t PriceTrend) MarshalJSON() ([]byte, error) {
	if t.PctPerYear != "" {
		return json.Marshal(map[string]string{"pct_per_year": t.PctPerYear})
	}
	return json.Marshal(t.Word)
}

// ForecastWorkload is a job that is run again and again, or resources.
type ForecastWorkload struct {
	Name              string            `json:"name,omitempty"`
	Recommend         *RecommendRequest `json:"recommend,omitempty"`
	RunsPerMonth      *string           `json:"runs_per_month,omitempty"`
	RunsPerDay        *string           `json:"runs_per_day,omitempty"`
	Weekdays          []string          `json:"weekdays,omitempty"`
	Resources         []Resource        `json:"resources,omitempty"`
	Storage           []Volume          `json:"storage,omitempty"`
	Network           []Edge            `json:"network,omitempty"`
	Discounts         []OwnPrice        `json:"discounts,omitempty"`
	Start             string            `json:"start,omitempty"`
	End               string            `json:"end,omitempty"`
	GrowthPctPerMonth *string           `json:"growth_pct_per_month,omitempty"`
}

// ForecastCommitment is instances that are paid for every hour of a term.
type ForecastCommitment struct {
	Name      string `json:"name,omitempty"`
	OfferID   string `json:"offer_id,omitempty"`
	Instances *int   `json:"instances,omitempty"`
	Start     string `json:"start,omitempty"`
	Months    *int   `json:"months,omitempty"`
}

// ForecastResponse is the answer of /v1/forecast. Expected amounts add up exactly;
// percentiles do not.
type ForecastResponse struct {
	CatalogVersion string  `json:"catalog_version"`
	AsOf           *string `json:"as_of"`
	ComputedAt     string  `json:"computed_at"`
	Staleness
	Currency    string             `json:"currency"`
	TimeZone    string             `json:"time_zone"`
	Method      []string           `json:"method"`
	Months      []ForecastMonth    `json:"months"`
	Workloads   []WorkloadForecast `json:"workloads"`
	Lines       []LineForecast     `json:"lines"`
	Total       AmountRange        `json:"total"`
	Budget      *BudgetForecast    `json:"budget"`
	Assumptions []Assumption       `json:"assumptions"`
	Warnings    []Warning          `json:"warnings"`
	Charts      *Charts            `json:"charts,omitempty"` // if asked for
}

// AmountRange is an expectation and the percentiles around it.
type AmountRange struct {
	Expected string `json:"expected"`
	P10      string `json:"p10"`
	P50      string `json:"p50"`
	P90      string `json:"p90"`
}

// ForecastMonth is a month of all workloads.
type ForecastMonth struct {
	Month      string      `json:"month"`
	Hours      string      `json:"hours"`
	Spend      AmountRange `json:"spend"`
	Cumulative AmountRange `json:"cumulative"`
}

// WorkloadForecast is a workload or a commitment.
type WorkloadForecast struct {
	Name   string              `json:"name"`
	Spend  AmountRange         `json:"spend"`
	Months []WorkloadMonthCost `json:"months"`
}

// WorkloadMonthCost is a month of a workload, with its lines by name.
type WorkloadMonthCost struct {
	Month string            `json:"month"`
	Spend AmountRange       `json:"spend"`
	Lines map[string]string `json:"lines"`
}

// LineForecast is a cost line over all months.
type LineForecast struct {
	Line  string      `json:"line"`
	Spend AmountRange `json:"spend"`
}

// BudgetForecast says which months exceed the budgets.
type BudgetForecast struct {
	PerMonth     *string `json:"per_month"`
	MonthOver    *string `json:"month_over"`
	MonthOverP90 *string `json:"month_over_p90"`
	Total        *string `json:"total"`
	TotalOver    *string `json:"total_over"`
	TotalOverP90 *string `json:"total_over_p90"`
}

// Portfolio is a request for a forecast that is kept for its owner.
type Portfolio struct {
	ID        string          `json:"id"`
	Revision  int64           `json:"revision"`
	ChangedAt string          `json:"changed_at"`
	Forecast  json.RawMessage `json:"forecast"` // as it was sent
}
