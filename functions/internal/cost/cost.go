package cost

import (
	"fmt"

	"github.com/shopspring/decimal"
)

// Price is what AWS asks for in us-east-1, in dollars.
type Price struct {
	Name   string          `json:"name"`
	USD    decimal.Decimal `json:"usd"`
	Per    string          `json:"per"`
	Source string          `json:"source"`
	AsOf   string          `json:"as_of"` // of the source
}

// Prices are the public prices that a stack's cost is made of.
type Prices struct {
	Request    Price // of Lambda, for a million
	GBSecond   Price // of Lambda on arm64
	ReadUnit   Price // of DynamoDB on demand, for a million
	APIRequest Price // of an HTTP API, for a million
	LogGB      Price // of CloudWatch, taken in
}

// All are the prices in order.
func (p Prices) All() []Price {
	return []Price{p.Request, p.GBSecond, p.ReadUnit, p.APIRequest, p.LogGB}
}

// Public are the prices as sources give them.
func Public() Prices {
	usd := decimal.RequireFromString
	return Prices{
		Request: Price{"Lambda requests", usd("0.20"), "million", "git.mcrn.ar/mariano/lambda_local_runner, lambda-13-cost.md", "2026-05-11"},
		GBSecond: Price{"Lambda time on arm64", usd("0.0000133334"), "GB-second",
			"git.mcrn.ar/mariano/lambda_local_runner, lambda-13-cost.md", "2026-05-11"},
		ReadUnit: Price{"DynamoDB read units on demand", usd("0.125"), "million",
			"airbyte.com/data-engineering-resources/dynamodb-pricing", "2025-07-21"},
		APIRequest: Price{"HTTP API requests", usd("1.00"), "million",
			"blog.easecloud.io/cost-optimization/reduce-api-gateway-dynamodb-costs", "2026-11-30 (read)"},
		LogGB: Price{"CloudWatch logs taken in", usd("0.50"), "GB",
			"factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards", "2026-06-13"},
	}
}

// Measured is what was measured of one function at one memory size.
type Measured struct {
	MemoryMB  int             `json:"memory_mb"`
	WarmMS    decimal.Decimal `json:"warm_ms"`    // mean of a request to an instance that runs, at work a tenth of the time, each rounded up to whole ms
	LateMS    decimal.Decimal `json:"late_ms"`    // 99th percentile of the same, not rounded up
	BusyMS    decimal.Decimal `json:"busy_ms"`    // median of a request that follows upon another: what the share of a processor leaves of its pace
	StartMS   decimal.Decimal `json:"start_ms"`   // median of a start and its first request
	ReadUnits int             `json:"read_units"` // that a start reads
	LogBytes  int             `json:"log_bytes"`  // that a request writes
}

// Load says how a function is used.
type Load struct {
	PerMinute int64 // requests
	// LifeMinutes is how long an instance lives.
	LifeMinutes int64
}

// minutesPerMonth are those of 730 hours.
const minutesPerMonth = 43_800

// Requests are those of a month.
func (l Load) Requests() int64 { return l.PerMinute * minutesPerMonth }

// Bill is what a load costs. Amounts are dollars, exact.
type Bill struct {
	Requests decimal.Decimal `json:"requests"`
	Duration decimal.Decimal `json:"duration"`
	Reads    decimal.Decimal `json:"reads"`
	API      decimal.Decimal `json:"api"`
	Logs     decimal.Decimal `json:"logs"`
}

// Function is what Lambda and DynamoDB cost.
func (b Bill) Function() decimal.Decimal { return b.Requests.Add(b.Duration).Add(b.Reads) }

// Total is what all costs.
func (b Bill) Total() decimal.Decimal { return b.Function().Add(b.API).Add(b.Logs) }

// million is the number of requests that prices are for.
func million() decimal.Decimal { return decimal.NewFromInt(1_000_000) }

// Month is what a month of a load costs. Enough instances run for the load, each started
// anew once in its life; each asks the table once a minute which catalogue is current.
func Month(m Measured, l Load, p Prices) (Bill, error) {
	if m.MemoryMB <= 0 || !m.WarmMS.IsPositive() || l.PerMinute <= 0 || l.LifeMinutes <= 0 {
		return Bill{}, fmt.Errorf("cost of a month: want a memory size, a time and a load, got %+v at %+v", m, l)
	}
	requests := decimal.NewFromInt(l.Requests())
	instances := l.instances(m)
	starts := decimal.NewFromInt(instances * minutesPerMonth).Div(decimal.NewFromInt(l.LifeMinutes)).Ceil()
	gb := decimal.NewFromInt(int64(m.MemoryMB)).Div(decimal.NewFromInt(1024))
	milliseconds := requests.Mul(m.WarmMS).Add(starts.Mul(m.StartMS.Sub(m.WarmMS)))
	reads := decimal.NewFromInt(min(instances, l.PerMinute) * minutesPerMonth).Add(starts.Mul(decimal.NewFromInt(int64(m.ReadUnits))))
	return Bill{
		Requests: requests.Mul(p.Request.USD).Div(million()),
		Duration: milliseconds.Shift(-3).Mul(gb).Mul(p.GBSecond.USD),
		Reads:    reads.Mul(p.ReadUnit.USD).Div(million()),
		API:      requests.Mul(p.APIRequest.USD).Div(million()),
		Logs:     requests.Mul(decimal.NewFromInt(int64(m.LogBytes))).Shift(-9).Mul(p.LogGB.USD),
	}, nil
}

// instances are how many run: enough for ten times the mean of what is at work at a
// time, since requests do not come evenly, and one at least.
func (l Load) instances(m Measured) int64 {
	busy := m.WarmMS.Mul(decimal.NewFromInt(10 * l.PerMinute)).Div(decimal.NewFromInt(60_000))
	return max(1, busy.Ceil().IntPart())
}

// PerMillion is a month's bill for a million requests.
func (b Bill) PerMillion(l Load) Bill {
	by := million().Div(decimal.NewFromInt(l.Requests()))
	return Bill{b.Requests.Mul(by), b.Duration.Mul(by), b.Reads.Mul(by), b.API.Mul(by), b.Logs.Mul(by)}
}

// Usual are the loads that costs are shown for. AWS replaces an instance after some time:
// it does not say when, and two hours are what is usually seen.
func Usual() []Load {
	return []Load{{PerMinute: 1, LifeMinutes: 120}, {PerMinute: 100, LifeMinutes: 120}, {PerMinute: 1000, LifeMinutes: 120}}
}
