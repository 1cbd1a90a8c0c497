package endpoint

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/display"
	"github.com/tierwise/tierwise/schemas"
)

// costed answers a request for a TCO that must be fine.
func costed(t *testing.T, router *apigw.Router, body string) schemas.TCOResponse {
	t.Helper()
	e := event("POST", TCOPath, body)
	answer := serve(t, router, e)
	checkDocument(t, e, answer)
	var response schemas.TCOResponse
	if err := json.Unmarshal([]byte(answer.Body), &response); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %v: %s", body, err, answer.Body)
	}
	return response
}

// foreseen answers a request for a forecast that must be fine.
func foreseen(t *testing.T, router *apigw.Router, body string) schemas.ForecastResponse {
	t.Helper()
	e := event("POST", ForecastPath, body)
	answer := serve(t, router, e)
	checkDocument(t, e, answer)
	var response schemas.ForecastResponse
	if err := json.Unmarshal([]byte(answer.Body), &response); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %v: %s", body, err, answer.Body)
	}
	checkForecast(t, &response)
	return response
}

// lineOf is the first line of a name.
func lineOf(t *testing.T, o *schemas.CostedOption, name string) schemas.BillLine {
	t.Helper()
	for _, l := range o.Lines {
		if l.Line == name {
			return l
		}
	}
	t.Fatalf("there is no line %s in %+v", name, o.Lines)
	return schemas.BillLine{}
}

// equal fails unless a decimal of an answer is an amount.
func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if !display.Exact(got).Equal(decimal.RequireFromString(want)) {
		t.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// to the cent.
func cents(text string) string { return display.Exact(text).RoundBank(2).StringFixed(2) }

// awsNode is a resource of eight GPUs in the small catalogue, with more of its fields.
func awsNode(more string) string {
	return `{"resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand"` + more + `}]}`
}

// What users of tools of this kind reported about hidden cost, rounding, billing and
// currency.
func TestReportedCosts(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	t.Run("dstack 1553: a disk is a line of its own, running or stopped", func(t *testing.T) {
		o := costed(t, router, awsNode(`, "hours_per_day": "8", "disk_gb": 500`)).Options[0]
		equal(t, "quantity", lineOf(t, &o, "storage").Quantity, "500") // a whole month, though it runs for a third
		equal(t, "cost", lineOf(t, &o, "storage").Amounts.PerMonth, "40")
		o = costed(t, router, awsNode(`, "hours_per_day": "8", "disk_gb": 500, "disk_kept": "while_on"`)).Options[0]
		equal(t, "only while on", cents(lineOf(t, &o, "storage").Amounts.PerMonth), "13.33")
	})
	t.Run("skypilot 1819: each transfer is a line, and distance slows the work", func(t *testing.T) {
		near := costed(t, router, awsNode("")).Options[0]
		far := costed(t, router, `{"resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand", "storage_penalty_pct": "30"}],
			"network": [{"from": "gcp/europe-west3", "to": "aws/us-east-1", "gb_per_month": "100"}, {"from": "aws/us-east-1", "to": "aws/eu-central-1", "gb_per_month": "50"}]}`).Options[0]
		lines := 0
		for _, l := range far.Lines {
			if l.Line == "network" {
				lines++
			}
		}
		if lines < 2 {
			t.Errorf("%d lines of traffic, want one for each transfer at least", lines)
		}
		slower := display.Exact(*far.CostPerEffectiveHour).Div(display.Exact(*near.CostPerEffectiveHour))
		if slower.LessThan(decimal.RequireFromString("1.3")) {
			t.Errorf("an effective hour costs %s times as much, want 1.3 and the traffic", slower)
		}
	})
	t.Run("SkyPilot's tier code: cost is continuous and does not fall", func(t *testing.T) {
		for gb, want := range map[string]string{"10240": "921.51", "50176": "4316.07", "51200": "4403.11", "61440": "5119.91", "154624": "11622.31"} {
			o := costed(t, router, `{"network": [{"from": "aws/us-east-1", "to": "internet", "gb_per_month": "`+gb+`", "tiers": [{"up_to_gb": "1", "price": "0"},
				{"up_to_gb": "10240", "price": "0.09"}, {"up_to_gb": "51200", "price": "0.085"}, {"up_to_gb": "153600", "price": "0.07"}, {"price": "0.05"}]}]}`).Options[0]
			equal(t, gb+" GB", o.Total.PerMonth, want)
		}
	})
	t.Run("vast-cli PR 64: the storage that a quote rests on is part of it", func(t *testing.T) {
		small, large := costed(t, router, awsNode(`, "disk_gb": 5`)), costed(t, router, awsNode(`, "disk_gb": 500`))
		equal(t, "small", lineOf(t, &small.Options[0], "storage").Quantity, "5")
		equal(t, "large", lineOf(t, &large.Options[0], "storage").Quantity, "500")
	})
	t.Run("vast-cli 49: memory just at the limit is enough", func(t *testing.T) {
		for gb, sku := range map[string]string{"16": "g4dn.xlarge", "24": "rtx-4090", "80": "gpu_8x_h100"} {
			answer := serve(t, router, event("GET", OffersPath+"?min_vram_gb="+gb, ""))
			if !strings.Contains(answer.Body, `"sku":"`+sku+`"`) {
				t.Errorf("%s GB does not find %s", gb, sku)
			}
		}
	})
	t.Run("ovh 562: twenty minutes at a provider that rounds to the hour are an hour", func(t *testing.T) {
		o := costed(t, router, `{"resources": [{"offer_id": "hetzner.fsn1.cx43.on_demand", "hours_per_run": "0.333333333333", "setup_minutes": "0"}], "currency": "EUR"}`).Options[0]
		equal(t, "an hour", o.Total.PerMonth, "0.0314")
		equal(t, "of which idle", (*lineOf(t, &o, "idle").Hours)[:6], "0.6666")
	})
	t.Run("infracost 2673: quantities are resources times hours", func(t *testing.T) {
		l := lineOf(t, &costed(t, router, awsNode(`, "instances": 2`)).Options[0], "instance")
		equal(t, "quantity", l.Quantity, "1460")
		equal(t, "hours", *l.Hours, "730")
		if *l.Instances != 2 {
			t.Errorf("%d instances, want 2", *l.Instances)
		}
	})
	t.Run("month length: 730 hours in a TCO, the calendar's in a forecast", func(t *testing.T) {
		equal(t, "TCO", costed(t, router, awsNode("")).HoursPerMonth, "730")
		for start, hours := range map[string]string{"2027-02": "672", "2028-02": "696", "2027-01": "744", "2027-04": "720"} {
			equal(t, start, foreseen(t, router, `{"start": "`+start+`", "months": 1, "workloads": [`+awsNode("")+`]}`).Months[0].Hours, hours)
		}
		equal(t, "clocks go forward", foreseen(t, router, `{"start": "2027-03", "months": 1, "time_zone": "Europe/Berlin", "workloads": [`+awsNode("")+`]}`).Months[0].Hours, "743")
	})
	t.Run("ec2instances.info 59: the native price stays, the rate and its month are named", func(t *testing.T) {
		r := costed(t, router, `{"resources": [{"offer_id": "alibaba.cn-hangzhou.ecs-gn7e.on_demand"}]}`)
		l := lineOf(t, &r.Options[0], "instance")
		if *l.NativeCurrency != "CNY" || !display.Exact(*l.NativeUnitPrice).Equal(decimal.RequireFromString("34.5")) {
			t.Errorf("native price %s %s", *l.NativeUnitPrice, *l.NativeCurrency)
		}
		if !assumesWith(r.Assumptions, "exchange_rate", "2026-01") {
			t.Errorf("no dated exchange rate among %+v", r.Assumptions)
		}
	})
	t.Run("skypilot 1962: own prices stand beside list prices", func(t *testing.T) {
		o := costed(t, router, `{"resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand"}], "discounts": [{"provider": "aws", "sku": "p4d.24xlarge", "price_per_instance_hour": "20"}]}`).Options[0]
		equal(t, "list", lineOf(t, &o, "instance").UnitPrice, "21.957")
		equal(t, "own", *lineOf(t, &o, "discount").NativeUnitPrice, "20")
		equal(t, "paid", o.Total.PerMonth, "14600")
	})
	t.Run("opencost 3387: idle is never negative, and time adds up to what is billed", func(t *testing.T) {
		o := costed(t, router, awsNode(`, "hours_per_day": "7.3", "days_per_month": "21", "utilization_pct": "33.3", "setup_minutes": "9"`)).Options[0]
		hours := decimal.Zero
		for _, l := range o.Lines {
			if display.Exact(l.Quantity).IsNegative() {
				t.Errorf("%s is %s", l.Line, l.Quantity)
			}
			hours = hours.Add(display.Exact(l.Quantity))
		}
		if off := hours.Sub(decimal.RequireFromString("153.3")).Abs(); off.GreaterThan(decimal.New(1, -9)) {
			t.Errorf("time adds up to %s hours, want 7.3 x 21", hours)
		}
	})
	t.Run("opencost 2215: a missing price is unknown, never nothing", func(t *testing.T) {
		answer := serve(t, router, event("POST", TCOPath, `{"resources": [{"offer_id": "lambda.us-south-1.gpu_1x_a100_old.on_demand"}]}`))
		if p := problemIn(t, answer); answer.StatusCode != 400 || len(p.Errors) == 0 || p.Errors[0].Pointer != "/resources/0" || !strings.Contains(p.Errors[0].Message, "price_unknown") {
			t.Errorf("got %d %s", answer.StatusCode, answer.Body)
		}
	})
	t.Run("opencost 3900: another efficiency, another effective cost", func(t *testing.T) {
		usual, worse := costed(t, router, awsNode("")).Options[0], costed(t, router, awsNode(`, "efficiency": "0.46"`)).Options[0]
		twice := display.Exact(*usual.CostPerEffectiveHour).Mul(decimal.NewFromInt(2))
		if off := twice.Sub(display.Exact(*worse.CostPerEffectiveHour)).Abs(); off.GreaterThan(decimal.New(1, -9)) {
			t.Errorf("at half the efficiency an hour costs %s, want %s", *worse.CostPerEffectiveHour, twice)
		}
		if display.Exact(*worse.AdjustedHourlyAsPublished).GreaterThanOrEqual(display.Exact(*usual.AdjustedHourlyAsPublished)) {
			t.Error("the published product does not make the worse box look cheaper, as it does")
		}
	})
}

// assumesWith reports whether an assumption about a field has a text in its reason.
func assumesWith(all []schemas.Assumption, field, text string) bool {
	for _, a := range all {
		if a.Field == field && strings.Contains(a.Why, text) {
			return true
		}
	}
	return false
}

// Plan, TCO and forecast of one input cost the same to the last digit (opencost 2901).
func TestPlanTCOAndForecastAgree(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for name, request := range map[string]string{
		"a fine-tune of three stages": `{"workload": {"kind": "finetune", "model": {"name": "llama-2-7b"}}, "data": {"place": "aws/us-east-1", "results_to": "aws/us-east-1"}}`,
		"on demand":                   `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "constraints": {"purchase_models": ["on_demand"]}}`,
		"a rental":                    `{"rental": {"hours": "168"}, "hardware": {"gpu": "A100", "gpu_count": 8}}`,
		"batch":                       `{"workload": {"kind": "batch", "batch": {"gpu_hours": "100", "reference_gpu": "A100-80GB-SXM"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var plans schemas.RecommendResponse
			answer := serve(t, router, event("POST", RecommendPath, request))
			if err := json.Unmarshal([]byte(answer.Body), &plans); err != nil || len(plans.Plans) == 0 {
				t.Fatalf("no plan: %s", answer.Body)
			}
			want := plans.Plans[0].Total
			tco := costed(t, router, `{"jobs": [{"recommend": `+request+`}]}`)
			equal(t, "TCO of a month", tco.Options[0].Total.PerMonth, want)
			forecast := foreseen(t, router, `{"start": "2028-02", "months": 2, "workloads": [{"recommend": `+request+`}]}`)
			equal(t, "forecast of a month", forecast.Months[0].Spend.Expected, want)
			thrice := foreseen(t, router, `{"start": "2028-02", "months": 1, "workloads": [{"recommend": `+request+`, "runs_per_month": "3"}]}`)
			equal(t, "three runs", thrice.Total.Expected, display.Exact(want).Mul(decimal.NewFromInt(3)).String())
		})
	}
}

// A year of a TCO is a year of the calendar without a leap day, to the cent, whatever
// the schedule.
func TestTCOYearIsAForecastYear(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	for name, more := range map[string]string{
		"always on": `, "instances": 3, "disk_gb": 700`, "days": `, "hours_per_day": "8"`, "stated days": `, "hours_per_day": "8", "days_per_month": "20", "disk_gb": 100, "utilization_pct": "60"`,
		"runs": `, "hours_per_run": "5.5", "runs_per_month": "7"`,
	} {
		t.Run(name, func(t *testing.T) {
			year := costed(t, router, awsNode(more)).Options[0].Total.PerYear
			forecast := foreseen(t, router, `{"start": "2027-01", "months": 12, "workloads": [`+awsNode(more)+`]}`)
			if got := cents(forecast.Total.Expected); got != cents(year) {
				t.Errorf("the forecast of 2027 is %s, the TCO of a year %s", got, cents(year))
			}
		})
	}
}

// A committed instance that is always on costs less than it would by the hour, and
// what it takes over is not paid twice.
func TestCommitmentTakesOver(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	byHour := foreseen(t, router, `{"start": "2027-01", "months": 12, "workloads": [`+awsNode(`, "instances": 2`)+`]}`)
	committed := foreseen(t, router, `{"start": "2027-01", "months": 12, "workloads": [`+awsNode(`, "instances": 2`)+`],
		"commitments": [{"offer_id": "aws.us-east-1.p4d-24xlarge.reserved_1y", "instances": 1}]}`)
	equal(t, "left by the hour", committed.Workloads[0].Spend.Expected, display.Exact(byHour.Total.Expected).Div(decimal.NewFromInt(2)).String())
	equal(t, "a year of the commitment", cents(committed.Workloads[1].Spend.Expected), "120000.00")
	for _, m := range committed.Workloads[1].Months {
		if idle, is := m.Lines["idle"]; is {
			t.Errorf("%s of it is idle in %s, though it is always used", idle, m.Month)
		}
	}
}

// The same request gets the same bytes, however many ask at once.
func TestConcurrentForecasts(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	body := `{"start": "2027-01", "months": 24, "price_trend": "history", "workloads": [` + awsNode(`, "hours_per_day": "8"`) + `,
		{"recommend": {"workload": {"kind": "finetune", "model": {"name": "llama-2-7b"}}}, "growth_pct_per_month": "5"}]}`
	const runs = 40
	answers := make([]string, runs)
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() { answers[i] = serve(t, router, event("POST", ForecastPath, body)).Body })
	}
	wait.Wait()
	for i := range answers {
		if answers[i] != answers[0] || !strings.Contains(answers[i], `"total"`) {
			t.Fatalf("run %d differs: %s", i, answers[i])
		}
	}
}

// Bad input is named, with a pointer.
func TestBadCosts(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	workload := func(more string) string {
		return `{"workloads": [{"resources": [{"offer": {"gpu": "L4"}}]` + more + `}]}`
	}
	for _, c := range []struct{ name, path, body, pointer, message string }{
		{"negative hours", TCOPath, awsNode(`, "hours_per_day": "-1"`), "/resources/0/hours_per_day", "from \"0\" to \"24\""},
		{"25 hours a day", TCOPath, awsNode(`, "hours_per_day": "25"`), "/resources/0/hours_per_day", "from \"0\" to \"24\""},
		{"no hours a day", TCOPath, awsNode(`, "hours_per_day": "0"`), "/resources/0/hours_per_day", "more than 0"},
		{"more work than time", TCOPath, awsNode(`, "utilization_pct": "101"`), "/resources/0/utilization_pct", "to \"100\""},
		{"no efficiency", TCOPath, awsNode(`, "efficiency": "0.0"`), "/resources/0/efficiency", "more than 0"},
		{"setup longer than the run", TCOPath, awsNode(`, "hours_per_day": "1", "setup_minutes": "90"`), "/resources/0/setup_minutes", "no longer"},
		{"unknown currency", TCOPath, `{"storage": [{"place": "aws/us-east-1", "gb": "1"}], "currency": "XYZ"}`, "/currency", "no exchange rate"},
		{"mixed currencies", TCOPath, `{"currency": "EUR", "jobs": [{"recommend": {"currency": "USD", "rental": {}, "hardware": {"gpu": "A100"}}}]}`, "/jobs/0/recommend/currency", "several currencies"},
		{"tiers with a gap", TCOPath, `{"network": [{"from": "aws/us-east-1", "to": "internet", "gb_per_month": "1", "tiers": [{"up_to_gb": "5", "price": "1"}, {"from_gb": "6", "price": "1"}]}]}`, "/network/0/tiers/1/from_gb", "gap"},
		{"tiers that fall", TCOPath, `{"network": [{"from": "aws/us-east-1", "to": "internet", "gb_per_month": "1", "tiers": [{"up_to_gb": "5", "price": "1"}, {"up_to_gb": "5", "price": "1"}, {"price": "1"}]}]}`, "/network/0/tiers/1/up_to_gb", "more than 5"},
		{"tiers that end", TCOPath, `{"network": [{"from": "aws/us-east-1", "to": "internet", "gb_per_month": "1", "tiers": [{"up_to_gb": "5", "price": "1"}]}]}`, "/network/0/tiers/0/up_to_gb", "no end"},
		{"own price above the list", TCOPath, `{"resources": [{"offer_id": "aws.us-east-1.p4d-24xlarge.on_demand"}], "discounts": [{"provider": "aws", "price_per_instance_hour": "99"}]}`, "/resources/0", "above the list price"},
		{"nothing described", TCOPath, `{"resources": [{"offer": {"gpu": "L4", "provider": "lambda"}}]}`, "/resources/0/offer", "no priced offer matches"},
		{"end before start", ForecastPath, workload(`, "start": "2027-03-02", "end": "2027-03-01"`), "/workloads/0/end", "not before start"},
		{"end before the forecast", ForecastPath, `{"start": "2027-04", ` + workload(`, "end": "2027-03"`)[1:], "/workloads/0/end", "forecast's start, 2027-04-01"},
		{"negative hours of a forecast", ForecastPath, `{"workloads": [{"resources": [{"offer": {"gpu": "L4"}, "hours_per_run": "-2"}]}]}`, "/workloads/0/resources/0/hours_per_run", "want hours"},
		{"25 hours a day in a forecast", ForecastPath, `{"workloads": [{"resources": [{"offer": {"gpu": "L4"}, "hours_per_day": "25"}]}]}`, "/workloads/0/resources/0/hours_per_day", "from \"0\" to \"24\""},
		{"unknown currency of a forecast", ForecastPath, `{"currency": "XYZ", ` + workload("")[1:], "/currency", "no exchange rate"},
		{"mixed currencies in a forecast", ForecastPath, `{"currency": "EUR", "workloads": [{"recommend": {"currency": "USD", "rental": {}, "hardware": {"gpu": "A100"}}}]}`, "/workloads/0/recommend/currency", "several currencies"},
		{"tiers with a gap in a forecast", ForecastPath, `{"workloads": [{"network": [{"from": "aws/us-east-1", "to": "internet", "gb_per_month": "1", "tiers": [{"up_to_gb": "5", "price": "1"}, {"from_gb": "6", "price": "1"}]}]}]}`, "/workloads/0/network/0/tiers/1/from_gb", "gap"},
		{"no such day", ForecastPath, workload(`, "end": "2027-02-29"`), "/workloads/0/end", "no such day"},
		{"no growth beyond everything", ForecastPath, `{"months": 60, ` + workload(`, "growth_pct_per_month": "100"`)[1:], "/workloads/0", "nine million"},
		{"no such zone", ForecastPath, `{"time_zone": "Mars/Olympus", ` + workload("")[1:], "/time_zone", "IANA"},
		{"local zone", ForecastPath, `{"time_zone": "Local", ` + workload("")[1:], "/time_zone", "IANA"},
		{"zone of a path", ForecastPath, `{"time_zone": "../../etc/passwd", ` + workload("")[1:], "/time_zone", "IANA"},
		{"61 months", ForecastPath, `{"months": 61, ` + workload("")[1:], "/months", "from 1 to 60"},
		{"commitment to nothing", ForecastPath, `{"commitments": [{"offer_id": "aws.us-east-1.p4d-24xlarge.spot"}], ` + workload("")[1:], "/commitments/0/offer_id", "binds nobody"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event("POST", c.path, c.body)
			answer := serve(t, router, e)
			checkProblem(t, e, answer, 400)
			if p := problemIn(t, answer); len(p.Errors) == 0 || p.Errors[0].Pointer != c.pointer || !strings.Contains(p.Errors[0].Message, c.message) {
				t.Errorf("got %+v, want %s: ...%s...", p.Errors, c.pointer, c.message)
			}
		})
	}
}

// Tiers are monotone and continuous at every boundary, whatever was moved before.
func TestTrafficGrowsSmoothly(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	total := func(gb string) decimal.Decimal {
		o := costed(t, router, `{"network": [{"from": "aws/us-east-1", "to": "internet", "gb_per_month": "`+gb+`"}, {"from": "aws/us-east-1", "to": "internet", "gb_per_month": "50"}]}`).Options[0]
		return display.Exact(o.Total.PerMonth)
	}
	for _, edge := range []int{0, 50, 100, 10290, 10340} {
		before := total(fmt.Sprintf("%d", max(edge-1, 0)))
		for _, gb := range []string{fmt.Sprintf("%d", edge), fmt.Sprintf("%d.000001", edge), fmt.Sprintf("%d", edge+1)} {
			now := total(gb)
			if now.LessThan(before) || now.Sub(before).GreaterThan(decimal.RequireFromString("0.1")) {
				t.Errorf("%s GB cost %s, a little less cost %s", gb, now, before)
			}
			before = now
		}
	}
}
