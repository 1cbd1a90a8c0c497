package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// outlook is what "tierwise forecast" asks.
type outlook struct {
	request    schemas.ForecastRequest
	file       string
	language   string
	computedAt string
	format     string
	focus      string
	out        string
}

// forecast prints the spend of months ahead, or writes it as a file for spreadsheets
// and finance.
func (p *program) forecast(ctx context.Context, args []string) error {
	q, err := p.outlook(args)
	if err != nil {
		return err
	}
	body, err := requestBody(p, source{q.file, q.language}, q.request)
	if err != nil {
		return err
	}
	query := dated(q.computedAt)
	if q.format != "text" {
		query.Set("format", q.format)
	}
	if q.focus != "" {
		query.Set("focus_version", q.focus)
	}
	answer, err := p.post(ctx, endpoint.ForecastPath, body, query)
	if err != nil {
		return err
	}
	content := []byte(answer.Body)
	if answer.IsBase64Encoded {
		if content, err = base64.StdEncoding.DecodeString(answer.Body); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
	}
	if q.format == "text" {
		var response schemas.ForecastResponse
		if err := json.Unmarshal(content, &response); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		content = []byte(forecastText(&response))
	}
	return p.deliver(q.out, content)
}

// deliver writes to a file, or to standard output for "".
func (p *program) deliver(name string, content []byte) error {
	if name == "" {
		_, err := p.stdout.Write(content)
		return err
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return fmt.Errorf("write the forecast: %w", err)
	}
	_, err := fmt.Fprintf(p.stdout, "Wrote %s, %d bytes\n", name, len(content))
	return err
}

// outlook reads the command line. Each word is a workload of its own.
func (p *program) outlook(args []string) (outlook, error) {
	q := outlook{format: "text"}
	var shared schemas.Resource
	var like schemas.ForecastWorkload
	flags := flag.NewFlagSet("forecast", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&q.file, "file", "", "")
	flags.StringVar(&q.computedAt, "computed-at", "", "")
	flags.Func("language", "", oneOf(&q.language, "en", "zh"))
	flags.StringVar(&q.out, "out", "", "")
	flags.StringVar(&q.focus, "focus-version", "", "")
	flags.Func("format", "", oneOf(&q.format, "text", "json", "csv", "xlsx", "focus"))
	flags.BoolFunc("json", "", func(string) error { q.format = "json"; return nil })
	aheadFlags(flags, &q.request, &like)
	described := describedFlags(flags)
	resourceFlags(flags, &shared)
	words, err := interleaved(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, usage)
		return q, err
	case err != nil:
		return q, usageError{"forecast: " + err.Error()}
	case (q.file == "") == (len(words) == 0):
		return q, usageError{"forecast: want either offers, such as 8xA100 or an offer's id, or --file"}
	case q.format == "xlsx" && q.out == "":
		return q, usageError{"forecast: want --out FILE for a workbook"}
	}
	for _, word := range words {
		w := like
		w.Name, w.Resources = word, []schemas.Resource{named(word, shared, *described)}
		q.request.Workloads = append(q.request.Workloads, w)
	}
	return q, nil
}

// aheadFlags are the flags about time, growth and prices.
func aheadFlags(flags *flag.FlagSet, r *schemas.ForecastRequest, w *schemas.ForecastWorkload) {
	flags.StringVar(&r.Start, "start", "", "")
	flags.Func("months", "", wholeNumber(&r.Months))
	flags.StringVar(&r.TimeZone, "time-zone", "", "")
	flags.StringVar(&r.Currency, "currency", "", "")
	flags.Func("commitment-months", "", wholeNumber(&r.CommitmentMonths))
	flags.Func("budget-per-month", "", func(text string) error { r.BudgetPerMonth = &text; return nil })
	flags.Func("growth-pct", "", func(text string) error { w.GrowthPctPerMonth = &text; return nil })
	flags.Func("weekdays", "", func(text string) error { w.Weekdays = strings.Split(text, ","); return nil })
	flags.Func("price-trend", "", func(text string) error {
		r.PriceTrend = &schemas.PriceTrend{Word: text}
		if strings.ContainsAny(text, "0123456789") {
			r.PriceTrend = &schemas.PriceTrend{PctPerYear: text}
		}
		return nil
	})
}

// forecastText is a forecast for people.
func forecastText(r *schemas.ForecastResponse) string {
	text := fmt.Sprintf("Spend in %s; months of %s\n", r.Currency, r.TimeZone) + monthTable(r)
	if b := r.Budget; b != nil {
		text += budgetText(b, r.Currency)
	}
	if len(r.Workloads) > 1 {
		text += "\nBy workload\n" + shareTable(r)
	}
	text += "\nBy line\n" + lineShareTable(r)
	if len(r.Warnings) > 0 {
		text += "\nWarnings\n"
	}
	for _, w := range r.Warnings {
		text += wrap("  - ", "    ", w.Message+" ["+w.Code+"]")
	}
	text += "\nMethod\n"
	for _, m := range r.Method {
		text += wrap("  - ", "    ", m)
	}
	text += assumed(&schemas.RecommendResponse{Assumptions: r.Assumptions})
	return text + wrap("\n", "", fmt.Sprintf("Catalogue %s, computed at %s; oldest price of %s.", r.CatalogVersion, r.ComputedAt, display.OrUnknown(r.AsOf)))
}

// rangeColumns are the columns of rangeCells.
func rangeColumns() []column {
	return []column{{title: "expected", right: true}, {title: "p10", right: true}, {title: "p50", right: true}, {title: "p90", right: true}}
}

// rangeCells shows an expectation and its percentiles.
func rangeCells(r schemas.AmountRange, currency string) []string {
	return []string{display.Rounded(r.Expected, currency), display.Rounded(r.P10, currency), display.Rounded(r.P50, currency), display.Rounded(r.P90, currency)}
}

// monthTable is the months and the total. What is expected is rounded so that it adds up.
func monthTable(r *schemas.ForecastResponse) string {
	columns := append([]column{{title: "month"}, {title: "hours", right: true}}, rangeColumns()...)
	columns = append(columns, column{title: "so far", right: true})
	var expected []string
	for _, m := range r.Months {
		expected = append(expected, m.Spend.Expected)
	}
	shown := display.ShownTexts(expected, r.Currency)
	var rows [][]string
	for i, m := range r.Months {
		cells := rangeCells(m.Spend, r.Currency)
		cells[0] = shown[i]
		rows = append(rows, append(append([]string{m.Month, m.Hours}, cells...), display.Rounded(m.Cumulative.Expected, r.Currency)))
	}
	rows = append(rows, append(append([]string{"total", ""}, rangeCells(r.Total, r.Currency)...), ""))
	return table(columns, rows)
}

// budgetText says which months exceed the budgets.
func budgetText(b *schemas.BudgetForecast, currency string) string {
	text := ""
	if b.PerMonth != nil {
		text += fmt.Sprintf("Budget of %s %s a month: first exceeded in %s; by the 90th percentile in %s.\n",
			display.Rounded(*b.PerMonth, currency), currency, orNo(b.MonthOver), orNo(b.MonthOverP90))
	}
	if b.Total != nil {
		text += fmt.Sprintf("Budget of %s %s in all: exceeded in %s; by the 90th percentile in %s.\n",
			display.Rounded(*b.Total, currency), currency, orNo(b.TotalOver), orNo(b.TotalOverP90))
	}
	return "\n" + text
}

// orNo shows a month that may be none.
func orNo(month *string) string {
	if month == nil {
		return "no month"
	}
	return *month
}

// shareTable is what each workload takes.
func shareTable(r *schemas.ForecastResponse) string {
	var rows [][]string
	for i := range r.Workloads {
		rows = append(rows, append([]string{r.Workloads[i].Name}, rangeCells(r.Workloads[i].Spend, r.Currency)...))
	}
	return table(append([]column{{title: "workload", most: 50}}, rangeColumns()...), rows)
}

// lineShareTable is what each cost line takes.
func lineShareTable(r *schemas.ForecastResponse) string {
	var rows [][]string
	for _, l := range r.Lines {
		rows = append(rows, append([]string{l.Line}, rangeCells(l.Spend, r.Currency)...))
	}
	return table(append([]column{{title: "line"}}, rangeColumns()...), rows)
}
