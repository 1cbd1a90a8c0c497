package cost_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/functions/internal/cost"
)

// usd is an amount.
func usd(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// One million requests of 10 ms at 1 GB, worked out by hand: 0.20 for requests, 10,000
// GB-seconds at 0.0000133334 for time, and so on.
func TestMonth(t *testing.T) {
	m := cost.Measured{MemoryMB: 1024, WarmMS: usd("10"), StartMS: usd("10"), ReadUnits: 36, LogBytes: 500}
	l := cost.Load{PerMinute: 100, LifeMinutes: 120}
	bill, err := cost.Month(m, l, cost.Public())
	if err != nil {
		t.Fatal(err)
	}
	// 4,380,000 requests; one instance, started 365 times, which reads 43,800 + 365 x 36 units.
	for name, row := range map[string]struct{ got, want decimal.Decimal }{
		"requests": {bill.Requests, usd("0.876")},
		"time":     {bill.Duration, usd("0.58400292")},
		"reads":    {bill.Reads, usd("0.0071175")},
		"API":      {bill.API, usd("4.38")},
		"logs":     {bill.Logs, usd("1.095")},
		"total":    {bill.Total(), usd("6.94212042")},
	} {
		if !row.got.Equal(row.want) {
			t.Errorf("%s: got %s, want %s", name, row.got, row.want)
		}
	}
	if each := bill.PerMillion(l); !each.Requests.Round(10).Equal(usd("0.2")) || !each.API.Round(10).Equal(usd("1")) {
		t.Errorf("a million requests cost %+v, want the prices of a million", each)
	}
	if _, err := cost.Month(cost.Measured{}, l, cost.Public()); err == nil {
		t.Error("nothing measured is no error")
	}
}

// More of anything never costs less.
func TestMoreCostsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(t, name) }
		m := cost.Measured{MemoryMB: int(n("memory", 3000)), WarmMS: decimal.NewFromInt(n("warm", 1000)), ReadUnits: int(n("units", 100)), LogBytes: int(n("bytes", 2000))}
		m.StartMS = m.WarmMS.Add(decimal.NewFromInt(n("start", 1000)))
		l := cost.Load{PerMinute: n("load", 5000), LifeMinutes: 120}
		less, err := cost.Month(m, l, cost.Public())
		if err != nil {
			t.Fatal(err)
		}
		switch rapid.IntRange(0, 4).Draw(t, "which") {
		case 0:
			m.MemoryMB++
		case 1:
			m.WarmMS, m.StartMS = m.WarmMS.Add(usd("1")), m.StartMS.Add(usd("1"))
		case 2:
			m.LogBytes++
		case 3:
			l.PerMinute++
		case 4:
			m.ReadUnits++
		}
		more, err := cost.Month(m, l, cost.Public())
		if err != nil || !more.Total().GreaterThan(less.Total()) {
			t.Fatalf("got %s after %s, %v", more.Total(), less.Total(), err)
		}
	})
}

func TestChosen(t *testing.T) {
	size := func(mb int, warm, late, start string) cost.Measured {
		return cost.Measured{MemoryMB: mb, WarmMS: usd(warm), LateMS: usd(late), BusyMS: usd(warm), StartMS: usd(start), ReadUnits: 36, LogBytes: 500}
	}
	waits := size(256, "30", "40", "300")
	waits.BusyMS = usd("150")
	for name, row := range map[string]struct {
		sizes []cost.Measured
		want  int
	}{
		"the cheapest":                   {[]cost.Measured{size(256, "80", "99", "400"), size(512, "30", "40", "300"), size(1024, "25", "30", "200")}, 512},
		"of those that start in time":    {[]cost.Measured{size(256, "80", "90", "900"), size(512, "30", "40", "501"), size(1024, "25", "30", "200")}, 1024},
		"of those that answer in time":   {[]cost.Measured{size(256, "80", "120", "400"), size(512, "30", "100", "300"), size(1024, "25", "30", "200")}, 1024},
		"of those that keep their pace":  {[]cost.Measured{waits, size(512, "30", "40", "300")}, 512},
		"the largest if none is in time": {[]cost.Measured{size(256, "80", "90", "900"), size(512, "30", "40", "800")}, 512},
	} {
		got, err := cost.Figures{Sizes: row.sizes}.Chosen(cost.Limits{StartMS: 500, LateMS: 100})
		if err != nil || got.MemoryMB != row.want {
			t.Errorf("%s: got %d MB, %v, want %d", name, got.MemoryMB, err, row.want)
		}
	}
}

func TestFigures(t *testing.T) {
	f, err := cost.Latest()
	if err != nil || len(f.Sizes) < 4 || f.On == "" || f.Processor == "" {
		t.Errorf("the figures that are built in are %+v, %v", f, err)
	}
	for _, text := range []string{"", "{}", `{"sizes": []}`, `{"sizes": 1}`,
		`{"sizes": [{"memory_mb": 512, "warm_ms": "9.9", "start_ms": "338"}]}`,
		`{"sizes": [{"memory_mb": 512, "warm_ms": "9.9", "late_ms": "9.9", "start_ms": "338"}]}`} {
		if _, err := cost.ReadFigures([]byte(text)); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
	for _, p := range cost.Public().All() {
		if !p.USD.IsPositive() || p.Source == "" || p.AsOf == "" {
			t.Errorf("%+v has no source or no date", p)
		}
	}
}
