package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/cost"
)

// costs shows what a deployed stack costs, as measured and at public prices.
func (p *program) costs(args []string) error {
	flags, asJSON, file := flag.NewFlagSet("costs", flag.ContinueOnError), false, ""
	flags.SetOutput(io.Discard)
	flags.BoolVar(&asJSON, "json", false, "")
	flags.StringVar(&file, "measured", "", "")
	if _, err := parsed(flags, args); err != nil {
		return err
	}
	figures, err := cost.Latest()
	if file != "" {
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			figures, err = cost.ReadFigures(text)
		}
	}
	if err != nil {
		return err
	}
	summary, err := summarise(figures)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(p.stdout).Encode(summary)
	}
	_, err = io.WriteString(p.stdout, summary.text())
	return err
}

// costSummary is what costs shows.
type costSummary struct {
	Figures  cost.Figures `json:"measured"`
	Chosen   int          `json:"chosen_memory_mb"`
	Sizes    []sizeCost   `json:"usd_per_million"`
	Monthly  []monthCost  `json:"usd_per_month"`
	Prices   []cost.Price `json:"prices"`
	Excluded string       `json:"excluded"`
}

// sizeCost is what a million recommendations cost at a memory size.
type sizeCost struct {
	MemoryMB int             `json:"memory_mb"`
	Function decimal.Decimal `json:"lambda_and_dynamodb"`
	API      decimal.Decimal `json:"api_gateway"`
	Logs     decimal.Decimal `json:"logs"`
	parts    cost.Bill
}

// monthCost is what a load costs in a month, at the chosen size.
type monthCost struct {
	PerMinute int64           `json:"requests_per_minute"`
	Function  decimal.Decimal `json:"lambda_and_dynamodb"`
	API       decimal.Decimal `json:"api_gateway"`
	Logs      decimal.Decimal `json:"logs"`
	Total     decimal.Decimal `json:"total"`
	parts     cost.Bill
}

// cents rounds what is shown.
const cents = 4

// summarise works the costs out.
func summarise(f cost.Figures) (costSummary, error) {
	out := costSummary{Figures: f, Prices: cost.Public().All(), Excluded: "free tiers, tax, transfer out of AWS, storage, metrics and alarms"}
	chosen, err := f.Chosen(cost.Deployed())
	if err != nil {
		return out, err
	}
	out.Chosen = chosen.MemoryMB
	loads := cost.Usual()
	for _, m := range f.Sizes {
		bill, err := cost.Month(m, loads[1], cost.Public())
		if err != nil {
			return out, err
		}
		each := bill.PerMillion(loads[1])
		out.Sizes = append(out.Sizes, sizeCost{m.MemoryMB, each.Function().Round(cents), each.API.Round(cents), each.Logs.Round(cents), each})
	}
	for _, l := range loads {
		bill, err := cost.Month(chosen, l, cost.Public())
		if err != nil {
			return out, err
		}
		out.Monthly = append(out.Monthly, monthCost{l.PerMinute, bill.Function().Round(cents), bill.API.Round(cents), bill.Logs.Round(cents),
			bill.Total().Round(cents), bill})
	}
	return out, nil
}

// text is the summary for people.
func (s costSummary) text() string {
	text := fmt.Sprintf("Measured on %s, function %s: %s\n\nA million recommendations at 100 a minute, in USD\n", s.Figures.On, s.Figures.Function, s.Figures.Processor)
	columns := []column{{title: "MB", right: true}, {title: "start ms", right: true}, {title: "warm ms", right: true}, {title: "p99", right: true}, {title: "busy", right: true}, {title: "requests", right: true},
		{title: "time", right: true}, {title: "DynamoDB", right: true}, {title: "sum", right: true}, {title: "API Gateway", right: true}, {title: "logs", right: true}}
	var rows [][]string
	for i, x := range s.Sizes {
		m := s.Figures.Sizes[i]
		rows = append(rows, []string{strconv.Itoa(x.MemoryMB), m.StartMS.StringFixed(0), m.WarmMS.StringFixed(1), m.LateMS.StringFixed(1), m.BusyMS.StringFixed(1), x.parts.Requests.StringFixed(cents),
			x.parts.Duration.StringFixed(cents), x.parts.Reads.StringFixed(cents), x.Function.StringFixed(cents), x.API.StringFixed(cents), x.Logs.StringFixed(cents)})
	}
	text += table(columns, rows) + fmt.Sprintf("\nA month at %d MB, in USD\n", s.Chosen)
	columns = []column{{title: "a minute", right: true}, {title: "requests", right: true}, {title: "time", right: true}, {title: "DynamoDB", right: true},
		{title: "sum", right: true}, {title: "API Gateway", right: true}, {title: "logs", right: true}, {title: "total", right: true}}
	rows = nil
	for _, x := range s.Monthly {
		rows = append(rows, []string{strconv.FormatInt(x.PerMinute, 10), x.parts.Requests.StringFixed(2), x.parts.Duration.StringFixed(2), x.parts.Reads.StringFixed(2),
			x.Function.StringFixed(2), x.API.StringFixed(2), x.Logs.StringFixed(2), x.Total.StringFixed(2)})
	}
	text += table(columns, rows) + "\nPrices in us-east-1\n"
	columns = []column{{title: "what"}, {title: "USD", right: true}, {title: "per"}, {title: "as of"}, {title: "source", most: 40}}
	rows = nil
	for _, x := range s.Prices {
		rows = append(rows, []string{x.Name, x.USD.String(), x.Per, x.AsOf, x.Source})
	}
	return text + table(columns, rows) + "Not in it: " + s.Excluded + ".\n"
}
