package convert

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/schemas"
)

// Forecast writes a forecast.
func Forecast(f *forecast.Forecast) schemas.ForecastResponse {
	out := schemas.ForecastResponse{
		CatalogVersion: string(f.CatalogVersion),
		AsOf:           known(f.AsOf.String()),
		ComputedAt:     instant(f.ComputedAt),
		Currency:       string(f.Currency),
		TimeZone:       f.Zone.String(),
		Method:         method(f.Language),
		Months:         make([]schemas.ForecastMonth, 0, len(f.Months)),
		Workloads:      make([]schemas.WorkloadForecast, 0, len(f.Workloads)),
		Lines:          make([]schemas.LineForecast, 0, len(f.Lines)),
		Total:          amountRange(f.Total),
		Budget:         budget(f),
		Assumptions:    assumptions(f.Assumptions),
		Warnings:       warnings(f.Warnings),
	}
	for i := range f.Months {
		m := &f.Months[i]
		out.Months = append(out.Months, schemas.ForecastMonth{
			Month: monthOf(m.Begin), Hours: calendarHours(m.Seconds()), Spend: amountRange(m.Range), Cumulative: amountRange(m.Cumulative),
		})
	}
	for i := range f.Workloads {
		out.Workloads = append(out.Workloads, workloadForecast(f, &f.Workloads[i]))
	}
	for _, l := range f.Lines {
		out.Lines = append(out.Lines, schemas.LineForecast{Line: string(l.Line), Spend: amountRange(l.Range)})
	}
	return out
}

// method says how a forecast is computed.
func method(in wording.Language) []string {
	return []string{
		in.Say("a month has the hours and days that the calendar gives it in the time zone; a month of storage or of a monthly price is 730 hours"),
		in.Say("growth and prices are factors of twelve decimals, compounded month by month; every line of a month is rounded once, to ten decimals, half to even"),
		in.Say("percentiles are of a lognormal variable with the expected amount as its mean; errors of one workload's hours and interruptions are shared by its months, errors of prices by all offers of a purchase model, and the two are independent"),
	}
}

// monthOf writes a month.
func monthOf(t time.Time) string { return t.Format(monthLayout) }

// calendarHours writes the hours of a month.
func calendarHours(seconds int64) string {
	return decimal.NewFromInt(seconds).DivRound(decimal.NewFromInt(secondsPerHour), 4).String()
}

// amountRange writes an expectation and its percentiles.
func amountRange(r forecast.Range) schemas.AmountRange {
	return schemas.AmountRange{
		Expected: amount(r.Expected.Decimal()), P10: amount(r.P10.Decimal()), P50: amount(r.P50.Decimal()), P90: amount(r.P90.Decimal()),
	}
}

// workloadForecast writes a workload.
func workloadForecast(f *forecast.Forecast, w *forecast.Sum) schemas.WorkloadForecast {
	out := schemas.WorkloadForecast{Name: w.Name, Spend: amountRange(w.Range), Months: make([]schemas.WorkloadMonthCost, 0, len(w.Months))}
	names := tco.LineNames()
	for i := range w.Months {
		m := &w.Months[i]
		month := schemas.WorkloadMonthCost{Month: monthOf(f.Months[i].Begin), Spend: amountRange(m.Range), Lines: make(map[string]string)}
		for n, name := range names {
			if !m.Lines[n].IsZero() {
				month.Lines[string(name)] = amount(m.Lines[n].Decimal())
			}
		}
		out.Months = append(out.Months, month)
	}
	return out
}

// budget writes which months exceed the budgets; nil without one.
func budget(f *forecast.Forecast) *schemas.BudgetForecast {
	b := &f.Budget
	if !b.PerMonth.Valid && !b.InAll.Valid {
		return nil
	}
	over := func(m int) *string {
		if m < 0 {
			return nil
		}
		return known(monthOf(f.Months[m].Begin))
	}
	return &schemas.BudgetForecast{
		PerMonth: maybe(b.PerMonth), MonthOver: over(b.MonthOver), MonthOverP90: over(b.MonthOverP90),
		Total: maybe(b.InAll), TotalOver: over(b.TotalOver), TotalOverP90: over(b.TotalOverP90),
	}
}
