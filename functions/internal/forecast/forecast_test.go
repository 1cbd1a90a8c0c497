package forecast_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TestMain has every property tried with 500 inputs, unless the command line says
// otherwise: "make soak" tries 10,000.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// versions is the small catalogue after twelve monthly versions: the offer on demand
// cost more by so much percent each month before. One of them has a wrong price.
func versions(t *testing.T, pctPerMonth int64, wrong bool) *catalog.Snapshot {
	t.Helper()
	parts := small(t).Parts()
	price := dec("21.9570")
	for age := range 12 {
		day := time.Date(2026, 6-time.Month(age), 30, 0, 0, 0, 0, time.UTC)
		price = price.Mul(decimal.NewFromInt(100 + pctPerMonth)).Shift(-2).Round(6)
		amount := price
		if wrong && age == 5 {
			amount = dec("0.01")
		}
		parts.History = append(parts.History, catalog.PricePoint{
			Offer: onDemand, AsOf: catalog.Date{Year: int16(day.Year()), Month: int8(day.Month()), Day: int8(day.Day())},
			Price: catalog.NewPrice(amount, catalog.PerInstanceHour, catalog.USD), Source: "a monthly version",
		})
	}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// look is a forecast of one always used instance on demand from 2027 on.
func look(t testing.TB, s *catalog.Snapshot, months int, change func(*forecast.Request)) forecast.Forecast {
	t.Helper()
	r := forecast.Request{
		First: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Months: months, Currency: catalog.USD,
		ComputedAt: time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC), Trend: forecast.Trend{Kind: forecast.FlatTrend},
		Workloads: []forecast.Workload{{Option: engine.Option{Name: "w", Resources: []engine.Resource{{
			Name: "r", Offer: onDemand, Instances: 1, Utilization: dec("1"), Slowdown: dec("1"),
		}}}}},
	}
	if change != nil {
		change(&r)
	}
	f, err := forecast.Run(engine.New(s), r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// trended asks for the trend of the history.
func trended(r *forecast.Request) { r.Trend.Kind = forecast.HistoryTrend }

// TestTrendOfTwelveVersions: prices that fell by two percent a month go on falling so,
// and one wrong price among them changes nothing.
func TestTrendOfTwelveVersions(t *testing.T) {
	for name, wrong := range map[string]bool{"twelve prices": false, "one of them is wrong": true} {
		t.Run(name, func(t *testing.T) {
			s := versions(t, 2, wrong)
			flat, falling := look(t, s, 12, nil), look(t, s, 12, trended)
			first := ratio(falling.Months[0].Expected, flat.Months[0].Expected)
			last := ratio(falling.Months[11].Expected, flat.Months[11].Expected)
			monthly := dec("0.9803") // 1 / 1.02
			near(t, "the third month after the prices'", first, monthly.Pow(decimal.NewFromInt(3)), "0.01")
			near(t, "eleven months later", last.Div(first), monthly.Pow(decimal.NewFromInt(11)), "0.01")
			if !assumes(falling, "price_trend."+onDemand, "median slope") {
				t.Errorf("the method is not among the assumptions: %v", falling.Assumptions)
			}
		})
	}
}

// TestTrendIsBounded: a history that would halve prices each month is not believed.
func TestTrendIsBounded(t *testing.T) {
	f := look(t, versions(t, 60, false), 15, trended)
	last := ratio(f.Months[14].Expected, look(t, small(t), 15, nil).Months[14].Expected)
	near(t, "seventeen months at half a year", last, dec("0.375"), "0.01")
}

// TestShortHistory: without enough prices they stay, and the answer says so.
func TestShortHistory(t *testing.T) {
	f := look(t, small(t), 3, trended)
	if !f.Total.Expected.Decimal().Equal(look(t, small(t), 3, nil).Total.Expected.Decimal()) || !assumes(f, "price_trend."+onDemand, "too short") {
		t.Errorf("a price without a history moves, or nobody says why not: %v", f.Assumptions)
	}
}

// TestCommittedPriceStays: a commitment's price is fixed, whatever the market does.
func TestCommittedPriceStays(t *testing.T) {
	falling := func(r *forecast.Request) {
		r.Trend = forecast.Trend{Kind: forecast.GivenTrend, PctPerYear: dec("-30")}
		r.Workloads[0].Resources[0].Offer = reserved
	}
	f := look(t, small(t), 12, falling)
	if got := f.Total.Expected.Decimal().RoundBank(2); !got.Equal(dec("120000")) {
		t.Errorf("a year of a commitment costs %s, want 120000", got)
	}
	if f.Total.P10.Decimal().Cmp(f.Total.P90.Decimal()) != 0 {
		t.Errorf("a fixed price is uncertain: %s to %s", f.Total.P10.Decimal(), f.Total.P90.Decimal())
	}
}

// TestPercentiles: they lie around the expectation, widen with time, are wider for
// spot, and those of a sum are narrower than the sums of those of its parts.
func TestPercentiles(t *testing.T) {
	f := look(t, small(t), 24, func(r *forecast.Request) {
		second := r.Workloads[0]
		second.Name = "spot"
		second.Resources = []engine.Resource{second.Resources[0]}
		second.Resources[0].Offer = onSpot
		r.Workloads = append(r.Workloads, second)
	})
	width := func(r forecast.Range) decimal.Decimal { return ratio(r.P90, r.Expected).Sub(ratio(r.P10, r.Expected)) }
	for i, m := range f.Months {
		if m.P10.Float() >= m.P50.Float() || m.P50.Float() >= m.P90.Float() || m.P50.Float() > m.Expected.Float() {
			t.Errorf("month %d: %v", i, m.Range)
		}
	}
	if !width(f.Months[23].Range).GreaterThan(width(f.Months[0].Range)) {
		t.Error("the far months are no wider than the near ones")
	}
	if !width(f.Workloads[1].Range).GreaterThan(width(f.Workloads[0].Range)) {
		t.Error("spot is no wider than on demand")
	}
	parts := f.Workloads[0].P90.Decimal().Add(f.Workloads[1].P90.Decimal())
	if !f.Total.P90.Decimal().LessThan(parts) {
		t.Errorf("the 90th percentile of all, %s, is no less than the sum of the parts', %s", f.Total.P90.Decimal(), parts)
	}
}

// TestBudget names the first month over it.
func TestBudget(t *testing.T) {
	f := look(t, small(t), 6, func(r *forecast.Request) {
		r.Workloads[0].GrowthPct = dec("10")
		r.PerMonth, r.InAll = decimal.NewNullDecimal(dec("18000")), decimal.NewNullDecimal(dec("40000"))
	})
	// 744 h x 21.957 = 16336, then 672 h x 1.1 = 16231, 744 h x 1.21 = 19767
	if b := f.Budget; b.MonthOver != 2 || b.TotalOver != 2 || b.MonthOverP90 > 2 || b.TotalOverP90 > 2 {
		t.Errorf("got %+v, want the third month for both", b)
	}
}

// TestStartAndEnd: what begins or ends within a month takes part of it, and grows from
// its own first month.
func TestStartAndEnd(t *testing.T) {
	day := func(month time.Month, day int) time.Time { return time.Date(2027, month, day, 0, 0, 0, 0, time.UTC) }
	f := look(t, small(t), 4, func(r *forecast.Request) {
		r.Workloads[0].From, r.Workloads[0].Until, r.Workloads[0].GrowthPct = day(2, 15), day(3, 11), dec("100")
	})
	hourly := dec("21.957")
	for i, hours := range []string{"0", "336", "480", "0"} { // 14 days, then 10 at twice the size
		if want := hourly.Mul(dec(hours)); !f.Months[i].Expected.Decimal().Equal(want) {
			t.Errorf("month %d: got %s, want %s", i+1, f.Months[i].Expected.Decimal(), want)
		}
	}
}

// TestWeekdays counts the days of the calendar.
func TestWeekdays(t *testing.T) {
	f := look(t, small(t), 2, func(r *forecast.Request) {
		r.Workloads[0].Days = forecast.Weekdays{time.Monday: true, time.Friday: true}
		r.Workloads[0].Resources[0].Schedule = tco.Schedule{StartSeconds: 3600}
	})
	for i, days := range []string{"9", "8"} { // January 2027 has four Mondays and five Fridays
		if want := dec("21.957").Mul(dec(days)); !f.Months[i].Expected.Decimal().Equal(want) {
			t.Errorf("month %d: got %s, want %s", i+1, f.Months[i].Expected.Decimal(), want)
		}
	}
}

// TestMoreNeverCostsLess: more growth, instances or months never lower a forecast, and
// the order of workloads changes nothing.
func TestMoreNeverCostsLess(t *testing.T) {
	s := small(t)
	rapid.Check(t, func(t *rapid.T) {
		growth, instances, months := rapid.Int64Range(-20, 20).Draw(t, "growth"), rapid.Int64Range(1, 20).Draw(t, "instances"), rapid.IntRange(1, 6).Draw(t, "months")
		run := func(growth, instances int64, months int, swap bool) decimal.Decimal {
			a := forecast.Workload{GrowthPct: decimal.NewFromInt(growth), Option: engine.Option{Name: "a", Resources: []engine.Resource{resource(onDemand, instances, 8)}}}
			b := forecast.Workload{Option: engine.Option{Name: "b", Resources: []engine.Resource{resource(onSpot, 1, 0)}}}
			r := forecast.Request{
				First: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Months: months, Currency: "EUR", Workloads: []forecast.Workload{a, b},
				ComputedAt: time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC), Trend: forecast.Trend{Kind: forecast.FlatTrend},
			}
			if swap {
				r.Workloads = []forecast.Workload{b, a}
			}
			f, err := forecast.Run(engine.New(s), r)
			if err != nil {
				t.Fatal(err)
			}
			return f.Total.Expected.Decimal()
		}
		base := run(growth, instances, months, false)
		if !run(growth, instances, months, true).Equal(base) {
			t.Error("the order of workloads matters")
		}
		for name, more := range map[string]decimal.Decimal{
			"growth": run(growth+1, instances, months, false), "instances": run(growth, instances+1, months, false), "months": run(growth, instances, months+1, false),
		} {
			if more.LessThan(base) {
				t.Errorf("more %s costs %s, less than %s", name, more, base)
			}
		}
	})
}

// ratio is one amount over another.
func ratio(a, b tco.Units) decimal.Decimal { return a.Decimal().DivRound(b.Decimal(), 12) }

// near tests a figure within a tolerance.
func near(t *testing.T, what string, got, want decimal.Decimal, within string) {
	t.Helper()
	if got.Sub(want).Abs().GreaterThan(dec(within)) {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// assumes reports whether an assumption about a field has a text in its reason.
func assumes(f forecast.Forecast, field, text string) bool {
	for _, a := range f.Assumptions {
		if a.Field == field && strings.Contains(fmt.Sprint(a), text) {
			return true
		}
	}
	return false
}
