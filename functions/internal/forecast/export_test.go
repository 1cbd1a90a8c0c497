package forecast_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/xuri/excelize/v2"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/forecast"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// small is the catalogue of functions/testdata.
func small(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := seed.Read(os.DirFS("../../testdata/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// resource is instances of an offer that are on for so many hours a day; 0 is always.
func resource(offer catalog.OfferID, instances, hoursPerDay int64) engine.Resource {
	return engine.Resource{
		Name: "r", Offer: offer, Instances: instances, Schedule: tco.Schedule{StartSeconds: hoursPerDay * 3600},
		Utilization: dec("0.8"), Slowdown: dec("1"), DiskGB: 100, DiskStays: true,
	}
}

// The offers that tests use.
const (
	onDemand = "aws.us-east-1.p4d-24xlarge.on_demand"
	onSpot   = "aws.us-east-1.p4d-24xlarge.spot"
	reserved = "aws.us-east-1.p4d-24xlarge.reserved_1y"
)

// mixed is a forecast with everything that exports tell apart: spot, a commitment that
// takes over and one of its own, own prices, traffic within the free volume and beyond,
// a provider without a price of traffic, and names that spreadsheets might run.
func mixed(t testing.TB, s *catalog.Snapshot) forecast.Forecast {
	t.Helper()
	own := catalog.Overrides{Rules: []catalog.Override{{Provider: "aws", Market: catalog.Spot, DiscountPct: decimal.NewNullDecimal(dec("10"))}}}
	named := func(name string, o engine.Option) forecast.Workload {
		o.Name = name
		return forecast.Workload{Option: o, GrowthPct: dec("3.5")}
	}
	f, err := forecast.Run(engine.New(s), forecast.Request{
		First: time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC), Months: 3, Currency: catalog.USD,
		ComputedAt: time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC), Trend: forecast.Trend{Kind: forecast.GivenTrend, PctPerYear: dec("-10")},
		Workloads: []forecast.Workload{
			named(`=cmd|' /C calc'!A0`, engine.Option{Resources: []engine.Resource{resource(onDemand, 3, 8)}}),
			named("spot, \"cheap\"", engine.Option{Resources: []engine.Resource{resource(onSpot, 1, 0)}, Own: own}),
			named("kept", engine.Option{Resources: []engine.Resource{resource(reserved, 1, 12)}}),
			named("traffic", engine.Option{
				Disks:     []engine.Disk{{Name: "data", Place: catalog.Place{Provider: "gcp", Region: "europe-west3"}, GB: dec("1000")}},
				Transfers: []engine.Transfer{{Name: "out", From: catalog.Place{Provider: "aws", Region: "us-east-1"}, Scope: catalog.ToInternet, GB: dec("11000")}},
			}),
		},
		Commitments: []forecast.Commitment{{Name: "two", Offer: reserved, Instances: 2, From: time.Date(2028, 2, 1, 0, 0, 0, 0, time.UTC), Months: 12}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rowsOf reads a CSV file as its header and rows by column.
func rowsOf(t *testing.T, f forecast.File) (header []string, rows []map[string]string) {
	t.Helper()
	if !bytes.Contains(f.Content, []byte("\r\n")) {
		t.Error("lines do not end with CRLF")
	}
	all, err := csv.NewReader(bytes.NewReader(f.Content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := make(map[string]string)
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// TestCSVAddsUp: the lines of the file add up to its totals and the forecast's, and
// no cell begins like a formula.
func TestCSVAddsUp(t *testing.T) {
	f := mixed(t, small(t))
	_, rows := rowsOf(t, forecast.CSV(&f))
	lines, totals, all := decimal.Zero, decimal.Zero, decimal.Zero
	for _, row := range rows {
		for column, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("%s is %q, which a spreadsheet may run", column, cell)
			}
		}
		switch {
		case row["workload"] == "(all)":
			all = all.Add(dec(row["expected"]))
		case row["line"] == "total":
			totals = totals.Add(dec(row["expected"]))
		default:
			lines = lines.Add(dec(row["expected"]))
		}
	}
	if want := f.Total.Expected.Decimal(); !lines.Equal(want) || !totals.Equal(want) || !all.Equal(want) {
		t.Errorf("lines add up to %s, workloads to %s, months to %s; the total is %s", lines, totals, all, want)
	}
}

func TestSafe(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "＝1": "'＝1", "\rx": "'\rx",
	} {
		if got := forecast.Safe(text); got != want {
			t.Errorf("Safe(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestWorkbook opens the workbook again: amounts are numbers, and every formula
// computes to the value that it carries.
func TestWorkbook(t *testing.T) {
	f := mixed(t, small(t))
	file, err := forecast.XLSX(&f)
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(file.Content))
	if err != nil {
		t.Fatal(err)
	}
	if got := book.GetSheetList(); !slices.Equal(got, []string{"Summary", "Workloads", "Lines", "Assumptions"}) {
		t.Errorf("the sheets are %v", got)
	}
	formulas := 0
	for _, sheet := range []string{"Summary", "Workloads", "Lines"} {
		formulas += checkSheet(t, book, sheet)
	}
	if formulas < 20 {
		t.Errorf("%d formulas", formulas)
	}
	total, err := book.GetCellValue("Workloads", "E7", excelize.Options{RawCellValue: true})
	if want := f.Total.Expected.Decimal(); err != nil || dec(total).Sub(want).Abs().GreaterThan(dec("0.0000001")) {
		t.Errorf("the total of all workloads is %s (%v), want %s", total, err, want)
	}
}

// checkSheet tests the cells of a sheet and counts its formulas.
func checkSheet(t *testing.T, book *excelize.File, sheet string) int {
	t.Helper()
	rows, err := book.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	formulas := 0
	for r, row := range rows {
		for c, value := range row {
			cell, _ := excelize.CoordinatesToCellName(c+1, r+1)
			formula, err := book.GetCellFormula(sheet, cell)
			if err != nil || formula == "" {
				continue
			}
			formulas++
			got, err := book.CalcCellValue(sheet, cell, excelize.Options{RawCellValue: true})
			if err != nil || dec(got).Sub(dec(value)).Abs().GreaterThan(dec("0.000001")) {
				t.Errorf("%s!%s %s computes to %s (%v), and carries %s", sheet, cell, formula, got, err, value)
			}
		}
	}
	return formulas
}
