package chart

import "fmt"

// Spec is a picture. Exactly one of its parts is there.
type Spec struct {
	Title    string    `json:"t"`
	Currency string    `json:"c"`
	Forecast *Forecast `json:"f,omitempty"`
	Plan     *Plan     `json:"p,omitempty"`
	Frontier *Frontier `json:"r,omitempty"`
}

// Forecast is spend by month.
type Forecast struct {
	Months []Month  `json:"m"`
	Budget *float64 `json:"b,omitempty"` // a month; nil without one
}

// Month is a month's spend.
type Month struct {
	Name     string  `json:"n"` // "2027-01"
	Expected float64 `json:"e"`
	P10      float64 `json:"l"`
	P90      float64 `json:"h"`
}

// Plan is the stages of a job, one after the other.
type Plan struct {
	Stages []Stage `json:"s"`
}

// Stage is a stage with its time and its cost by line.
type Stage struct {
	Name  string    `json:"n"`
	Hours float64   `json:"h"`
	Lines []float64 `json:"l"` // in the order of LineNames
}

// Frontier is plans that no other beats in both cost and time, cheapest first.
type Frontier struct {
	Points []Point `json:"p"`
}

// Point is a plan of a frontier. Marked ones are among the answer's plans.
type Point struct {
	Hours  float64 `json:"h"`
	Total  float64 `json:"t"`
	Marked bool    `json:"m,omitempty"`
}

// LineNames are the cost lines that a stage's cost is drawn by.
func LineNames() []string {
	return []string{"instance", "idle", "storage", "network", "interruption", "setup", "verification"}
}

// How much a picture shows at most.
const (
	mostMonths = 60
	mostStages = 12
	mostPoints = 400
	mostText   = 120
)

// Check says what of a picture can't be drawn.
func (s *Spec) Check() error {
	parts := 0
	for _, there := range []bool{s.Forecast != nil, s.Plan != nil, s.Frontier != nil} {
		if there {
			parts++
		}
	}
	switch {
	case parts != 1:
		return fmt.Errorf("draw: want one of forecast, plan and frontier, got %d", parts)
	case len(s.Title) > mostText || len(s.Currency) > mostText:
		return fmt.Errorf("draw: a text has more than %d bytes", mostText)
	case s.Forecast != nil && !within(len(s.Forecast.Months), mostMonths),
		s.Plan != nil && !within(len(s.Plan.Stages), mostStages),
		s.Frontier != nil && !within(len(s.Frontier.Points), mostPoints):
		return fmt.Errorf("draw: want 1 to %d months, %d stages or %d points", mostMonths, mostStages, mostPoints)
	}
	return nil
}

// within reports whether a number is from 1 to a most.
func within(n, most int) bool { return n >= 1 && n <= most }
