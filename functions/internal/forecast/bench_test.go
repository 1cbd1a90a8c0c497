package forecast_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// large is a forecast of so many workloads over so many months, each of two resources
// with disks and traffic.
func large(s *catalog.Snapshot, workloads, months int) forecast.Request {
	r := forecast.Request{
		First: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Months: months, Currency: catalog.USD,
		ComputedAt: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), Trend: forecast.Trend{Kind: forecast.HistoryTrend},
	}
	offers := s.Query(catalog.Query{Markets: []catalog.PurchaseModel{catalog.OnDemand, catalog.Spot}, MinVRAMGB: 16}, 0, 4*workloads).Offers
	for i := range workloads {
		w := forecast.Workload{GrowthPct: decimal.New(int64(i%7), -1)}
		w.Name = fmt.Sprintf("workload %d", i+1)
		for j := range 2 {
			w.Resources = append(w.Resources, engine.Resource{
				Name: fmt.Sprintf("resource %d", j+1), Offer: offers[2*i+j].ID, Instances: int64(1 + i%5),
				Schedule: tco.Schedule{StartSeconds: 8 * 3600}, Utilization: decimal.New(8, -1), Slowdown: decimal.NewFromInt(1),
				DiskGB: 100, DiskStays: true,
			})
		}
		w.Transfers = []engine.Transfer{{Name: "out", From: offers[2*i].Place, Scope: catalog.ToInternet, GB: decimal.NewFromInt(int64(100 * i))}}
		r.Workloads = append(r.Workloads, w)
	}
	return r
}

// BenchmarkForecast is 200 workloads over 36 months on the embedded catalogue.
func BenchmarkForecast(b *testing.B) {
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	e := engine.New(s)
	r := large(s, 200, 36)
	b.ReportAllocs()
	for b.Loop() {
		f, err := forecast.Run(e, r)
		if err != nil {
			b.Fatal(err)
		}
		if len(f.Months) != 36 {
			b.Fatal("months")
		}
	}
}

// BenchmarkXLSX is the workbook of 200 workloads over 36 months.
func BenchmarkXLSX(b *testing.B) {
	f := ahead(b, 200, 36)
	for b.Loop() {
		book, err := forecast.XLSX(&f)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(book.Content)), "bytes")
	}
}

// BenchmarkFocus is the same forecast in FOCUS.
func BenchmarkFocus(b *testing.B) {
	f := ahead(b, 200, 36)
	s, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.ReportMetric(float64(len(forecast.Focus(&f, forecast.Focus12, s).Content)), "bytes")
	}
}

// ahead is a large forecast on the embedded catalogue.
func ahead(tb testing.TB, workloads, months int) forecast.Forecast {
	tb.Helper()
	s, err := seed.Load()
	if err != nil {
		tb.Fatal(err)
	}
	f, err := forecast.Run(engine.New(s), large(s, workloads, months))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}
