package endpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// moneyCases is how many random requests the second implementation is held against.
func moneyCases(t *testing.T, otherwise int) int {
	t.Helper()
	text := os.Getenv("MONEY_CASES")
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// secondCase is a request for the second implementation.
type secondCase struct {
	Path    string `json:"path"`
	Request any    `json:"request"`
}

// second runs the implementation in Python and reads its answers.
func second(t *testing.T, asked []secondCase, answers any) {
	t.Helper()
	document, err := json.Marshal(map[string]any{"catalogue": "../../testdata/catalogue", "computed_at": noon().Format(time.RFC3339), "cases": asked})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "python3", "testdata/second.py")
	command.Stdin = bytes.NewReader(document)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.Bytes())
	}
	if err := json.Unmarshal(out, answers); err != nil {
		t.Fatal(err)
	}
}

// chance makes random requests.
type chance struct{ *rand.Rand }

// decimalText is a random amount of at most so many whole and decimal digits.
func (c chance) decimalText(whole, places int) string {
	text := strconv.Itoa(c.IntN(pow10(whole)))
	if n := c.IntN(places + 1); n > 0 {
		text += fmt.Sprintf(".%0*d", n, c.IntN(pow10(n)))
	}
	return text
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// one is one of several texts.
func (c chance) one(texts ...string) string { return texts[c.IntN(len(texts))] }

// maybe sets a field two times in five.
func (c chance) maybe(m map[string]any, name string, value any) {
	if c.IntN(5) < 2 {
		m[name] = value
	}
}

// priced are the offers of the small catalogue that have a price.
func (c chance) offer() string {
	return c.one("alibaba.cn-hangzhou.ecs-gn7e.on_demand", "aws.eu-central-1.g6-xlarge.on_demand", "aws.us-east-1.c5-2xlarge.on_demand",
		"aws.us-east-1.c5-2xlarge.spot", "aws.us-east-1.g4dn-xlarge.on_demand", "aws.us-east-1.g4dn-xlarge.spot", "aws.us-east-1.g6f-large.on_demand",
		"aws.us-east-1.p4d-24xlarge.on_demand", "aws.us-east-1.p4d-24xlarge.reserved_1y", "aws.us-east-1.p4d-24xlarge.spot",
		"gcp.europe-west3.a2-ultragpu-1g.on_demand", "hetzner.fsn1.cx43.on_demand", "lambda.us-south-1.gpu_1x_a100.on_demand",
		"lambda.us-south-1.gpu_8x_h100.on_demand", "lambda.us-south-1.gpu_cluster_h100.on_demand", "vast.us.rtx-4090.on_demand")
}

// resource is a random resource.
func (c chance) resource() map[string]any {
	offer := c.offer()
	r := map[string]any{"offer_id": offer}
	c.maybe(r, "instances", 1+c.IntN(20))
	switch c.IntN(4) {
	case 0:
		r["hours_per_day"] = c.one("1", "8", "7.3", "23.999", "24", "0.0001", "12.345678901234"[:4+c.IntN(8)])
		c.maybe(r, "days_per_month", c.one("0", "1", "21.75", "30", "22"))
	case 1:
		if offer != "aws.us-east-1.p4d-24xlarge.reserved_1y" {
			r["hours_per_run"] = c.one("1", "0.0001", "33.3", "500", "1.999999")
			c.maybe(r, "runs_per_month", c.decimalText(3, 6))
		}
	}
	if _, days := r["hours_per_day"]; !days {
		c.maybe(r, "setup_minutes", c.decimalText(2, 3))
	}
	c.maybe(r, "utilization_pct", c.one("1", "33.333333", "80", "100", "99.5"))
	c.maybe(r, "lost_work_pct", c.one("0", "5", "12.5"))
	c.maybe(r, "disk_gb", c.IntN(5000))
	c.maybe(r, "disk_kept", c.one("always", "while_on"))
	c.maybe(r, "efficiency", c.one("0.5", "1", "0.876543"))
	c.maybe(r, "storage_penalty_pct", c.one("30", "12.34"))
	c.maybe(r, "network_penalty_pct", c.one("0", "7.5"))
	return r
}

// place is a random place.
func (c chance) place() string {
	return c.one("aws/us-east-1", "aws/eu-central-1", "gcp/europe-west3", "hetzner/fsn1", "lambda/us-south-1", "alibaba/cn-hangzhou")
}

// edge is a random transfer.
func (c chance) edge() map[string]any {
	e := map[string]any{"from": c.place(), "to": c.one("internet", c.place()), "gb_per_month": c.decimalText(1+c.IntN(6), 6)}
	if c.IntN(4) == 0 {
		e["free_gb"] = c.decimalText(3, 2)
		first := 1 + c.IntN(1000)
		e["tiers"] = []any{
			map[string]any{"up_to_gb": strconv.Itoa(first), "price": c.decimalText(1, 6)},
			map[string]any{"from_gb": strconv.Itoa(first), "up_to_gb": strconv.Itoa(first + 1 + c.IntN(9000)), "price": c.decimalText(1, 6)},
			map[string]any{"price": c.decimalText(1, 12)},
		}
	}
	return e
}

// option is a random option.
func (c chance) option() map[string]any {
	var resources, storage, network, discounts []any
	for range 1 + c.IntN(3) {
		resources = append(resources, c.resource())
	}
	for range c.IntN(3) {
		v := map[string]any{"place": c.place(), "gb": c.decimalText(5, 6)}
		c.maybe(v, "price_per_gb_month", c.decimalText(1, 9))
		storage = append(storage, v)
	}
	for range c.IntN(4) {
		network = append(network, c.edge())
	}
	for range c.IntN(3) {
		d := map[string]any{"provider": c.one("aws", "lambda", "gcp"), "discount_pct": c.one("10", "0.5", "99.999999", "33.3")}
		c.maybe(d, "purchase_model", c.one("on_demand", "spot"))
		discounts = append(discounts, d)
	}
	return map[string]any{"resources": resources, "storage": storage, "network": network, "discounts": discounts}
}

// secondOption is an option as the second implementation works it out.
type secondOption struct {
	Lines       [][]string `json:"lines"`
	Total       string     `json:"total"`
	PerHour     *string    `json:"per_effective_hour"`
	AllIn       *string    `json:"total_per_effective_hour"`
	PerPFLOP    *string    `json:"per_pflop_hour"`
	AsPublished *string    `json:"as_published"`
}

// trim is a decimal without trailing zeros.
func trim(text string) string { return display.Exact(text).String() }

func trimmed(text *string) *string {
	if text == nil {
		return nil
	}
	plain := trim(*text)
	return &plain
}

// figures are an option's answer in the form of the second implementation.
func figures(o *schemas.CostedOption) secondOption {
	out := secondOption{Lines: [][]string{}, Total: trim(o.Total.PerMonth), PerHour: trimmed(o.CostPerEffectiveHour),
		AllIn: trimmed(o.TotalPerEffectiveHour), PerPFLOP: trimmed(o.CostPerEffectivePFLOPHour), AsPublished: trimmed(o.AdjustedHourlyAsPublished)}
	for _, l := range o.Lines {
		out.Lines = append(out.Lines, []string{l.Line, l.Of, trim(l.Quantity), l.Unit, trim(l.UnitPrice),
			trim(l.Amounts.PerHour), trim(l.Amounts.PerMonth), trim(l.Amounts.PerYear), trim(l.Amounts.Per3Years)})
	}
	return out
}

// An implementation in another language, which has read nothing but the tables and the
// request, comes to the same amounts to the last digit.
func TestSecondImplementationOfTCO(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	c := chance{rand.New(rand.NewPCG(7, 1))}
	var asked []secondCase
	var got [][]secondOption
	for range moneyCases(t, 500) {
		request := c.option()
		request["currency"] = c.one("USD", "USD", "EUR", "CNY")
		if c.IntN(3) == 0 {
			request["compare"] = []any{c.option()}
		}
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		answer := serve(t, router, event("POST", TCOPath, string(body)))
		var response schemas.TCOResponse
		if err := json.Unmarshal([]byte(answer.Body), &response); err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %s", body, answer.Body)
		}
		var options []secondOption
		for i := range response.Options {
			checkOption(t, &response.Options[i])
			options = append(options, figures(&response.Options[i]))
		}
		asked, got = append(asked, secondCase{TCOPath, request}), append(got, options)
	}
	var want [][]secondOption
	second(t, asked, &want)
	for i := range got {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			body, _ := json.MarshalIndent(asked[i].Request, "", " ")
			t.Fatalf("%s\n(-second +ours):\n%s", body, diff)
		}
	}
}

// checkOption tests that lines add up to the total, over every span, and that idle
// time is none or some.
func checkOption(t *testing.T, o *schemas.CostedOption) {
	t.Helper()
	hour, month, year := display.Exact("0"), display.Exact("0"), display.Exact("0")
	for _, l := range o.Lines {
		hour, month, year = hour.Add(display.Exact(l.Amounts.PerHour)), month.Add(display.Exact(l.Amounts.PerMonth)), year.Add(display.Exact(l.Amounts.PerYear))
		if amount := display.Exact(l.Amounts.PerMonth); amount.IsNegative() != (l.Line == "discount" && !amount.IsZero()) {
			t.Errorf("%s of %s is %s", l.Line, l.Of, amount)
		}
	}
	if !hour.Equal(display.Exact(o.Total.PerHour)) || !month.Equal(display.Exact(o.Total.PerMonth)) || !year.Equal(display.Exact(o.Total.PerYear)) {
		t.Errorf("lines add up to %s, %s and %s; the total is %+v", hour, month, year, o.Total)
	}
	if twelve := month.Mul(display.Exact("12")); !twelve.Equal(year) {
		t.Errorf("twelve months are %s, a year is %s", twelve, year)
	}
}

// ahead is a random request for a forecast, of amounts that need no plan.
func (c chance) ahead() map[string]any {
	var workloads, commitments []any
	for i := range 1 + c.IntN(4) {
		w := c.option()
		w["name"] = fmt.Sprintf("w%d", i)
		c.maybe(w, "weekdays", []string{"mon", "wed", "sun"}[:1+c.IntN(3)])
		c.maybe(w, "start", c.one("2027-11-15", "2028-01", "2027-06", "2028-02-29"))
		c.maybe(w, "end", c.one("2028-03-10", "2028-03", "2028-12"))
		c.maybe(w, "growth_pct_per_month", c.one("5", "-3.5", "0.123456", "50"))
		workloads = append(workloads, w)
	}
	for range c.IntN(3) {
		held := map[string]any{"offer_id": "aws.us-east-1.p4d-24xlarge.reserved_1y"}
		c.maybe(held, "instances", 1+c.IntN(8))
		c.maybe(held, "start", c.one("2027-01", "2028-02"))
		c.maybe(held, "months", 1+c.IntN(20))
		commitments = append(commitments, held)
	}
	r := map[string]any{"start": c.one("2027-11", "2028-01", "2028-02"), "months": 2 + c.IntN(14), "workloads": workloads, "commitments": commitments}
	c.maybe(r, "time_zone", c.one("Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe"))
	c.maybe(r, "currency", c.one("EUR", "USD"))
	c.maybe(r, "price_trend", map[string]string{"pct_per_year": c.one("-10", "7.25", "99")})
	return r
}

// secondForecast is a forecast as the second implementation works it out.
type secondForecast struct {
	Months    [][]string `json:"months"`
	Workloads []struct {
		Name   string              `json:"name"`
		Months []map[string]string `json:"months"`
	} `json:"workloads"`
}

// The forecast's exact part is the second implementation's too, to the last digit.
func TestSecondImplementationOfForecast(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	c := chance{rand.New(rand.NewPCG(7, 2))}
	var asked []secondCase
	var got []secondForecast
	for range moneyCases(t, 500) / 5 {
		request := c.ahead()
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		answer := serve(t, router, event("POST", ForecastPath, string(body)))
		var response schemas.ForecastResponse
		if err := json.Unmarshal([]byte(answer.Body), &response); err != nil || answer.StatusCode != 200 {
			t.Fatalf("%s: %s", body, answer.Body)
		}
		checkForecast(t, &response)
		asked, got = append(asked, secondCase{ForecastPath, request}), append(got, exactPart(&response))
	}
	var want []secondForecast
	second(t, asked, &want)
	for i := range got {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			body, _ := json.MarshalIndent(asked[i].Request, "", " ")
			t.Fatalf("%s\n(-second +ours):\n%s", body, diff)
		}
	}
}

// exactPart is a forecast in the form of the second implementation.
func exactPart(r *schemas.ForecastResponse) secondForecast {
	var out secondForecast
	for _, m := range r.Months {
		out.Months = append(out.Months, []string{m.Month, trim(m.Hours), trim(m.Spend.Expected), trim(m.Cumulative.Expected)})
	}
	for _, w := range r.Workloads {
		one := struct {
			Name   string              `json:"name"`
			Months []map[string]string `json:"months"`
		}{Name: w.Name}
		for _, m := range w.Months {
			lines := make(map[string]string)
			for name, amount := range m.Lines {
				lines[name] = trim(amount)
			}
			one.Months = append(one.Months, lines)
		}
		out.Workloads = append(out.Workloads, one)
	}
	return out
}

// checkForecast tests that lines add up to workloads and months, and months and lines
// to the total, and that percentiles are in order.
func checkForecast(t *testing.T, r *schemas.ForecastResponse) {
	t.Helper()
	sum := func(into *decimal.Decimal, text string) { *into = into.Add(display.Exact(text)) }
	var months, workloads, lines decimal.Decimal
	for m, month := range r.Months {
		var all decimal.Decimal
		for _, w := range r.Workloads {
			var one decimal.Decimal
			for _, amount := range w.Months[m].Lines {
				sum(&one, amount)
			}
			if !one.Equal(display.Exact(w.Months[m].Spend.Expected)) {
				t.Errorf("%s in %s: lines add up to %s, not %s", w.Name, month.Month, one, w.Months[m].Spend.Expected)
			}
			all = all.Add(one)
		}
		if !all.Equal(display.Exact(month.Spend.Expected)) {
			t.Errorf("%s: workloads add up to %s, not %s", month.Month, all, month.Spend.Expected)
		}
		sum(&months, month.Spend.Expected)
		inOrder(t, month.Spend)
		inOrder(t, month.Cumulative)
	}
	for _, w := range r.Workloads {
		sum(&workloads, w.Spend.Expected)
		inOrder(t, w.Spend)
	}
	for _, l := range r.Lines {
		sum(&lines, l.Spend.Expected)
	}
	if total := display.Exact(r.Total.Expected); !months.Equal(total) || !workloads.Equal(total) || !lines.Equal(total) {
		t.Errorf("months, workloads and lines add up to %s, %s and %s; the total is %s", months, workloads, lines, total)
	}
}

// inOrder tests the percentiles of a range.
func inOrder(t *testing.T, r schemas.AmountRange) {
	t.Helper()
	if p10, p50, p90 := display.Exact(r.P10), display.Exact(r.P50), display.Exact(r.P90); p10.GreaterThan(p50) || p50.GreaterThan(p90) {
		t.Errorf("percentiles out of order: %+v", r)
	}
}
