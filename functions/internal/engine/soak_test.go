package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// TestPrunedEqualsPlain asks random requests of small random catalogues, and holds each
// answer against one that is found by going through every plan in exact decimals:
// frontier, best plan, alternatives and ties. SOAK_REQUESTS says how many.
func TestPrunedEqualsPlain(t *testing.T) {
	requests := 500
	if text := os.Getenv("SOAK_REQUESTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		requests = n
	}
	whole, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	const perCatalogue = 25
	var e *engine.Engine
	compared, answered, near := 0, 0, 0
	for i := 0; compared < requests; i++ {
		if i == requests+requests/20 {
			t.Fatalf("of %d requests only %d could be compared", i, compared)
		}
		random := rand.New(rand.NewPCG(7, uint64(i)))
		if i%perCatalogue == 0 {
			e = engine.New(fewOffers(t, whole, random))
		}
		r := randomRequest(e, random)
		p, ok := enumerate(t, e, &r)
		if !ok {
			continue // too many plans to go through
		}
		a, err := e.Recommend(r)
		if err != nil {
			t.Fatal(err)
		}
		got, want := shown(a), p.shown()
		if got != want {
			t.Fatalf("request %d (%+v):\ngot\n%s\nwant\n%s", i, r, got, want)
		}
		compared++
		answered += min(1, len(a.Plans))
		near += p.near
	}
	t.Logf("%d requests, %d with plans, %d plans decided by simulation alone", compared, answered, near)
	if answered < requests/4 || near == 0 {
		t.Errorf("too few of %d requests had plans: %d; decided by simulation: %d", requests, answered, near)
	}
}

// fewOffers is the catalogue with some offers at few places, so that there is
// something to be moved and something to stay.
func fewOffers(t *testing.T, whole *catalog.Snapshot, random *rand.Rand) *catalog.Snapshot {
	t.Helper()
	parts := whole.Parts()
	var cpus, gpus []catalog.Offer
	for _, o := range parts.Offers {
		if o.HasGPU() {
			gpus = append(gpus, o)
		} else {
			cpus = append(cpus, o)
		}
	}
	parts.Offers = nil
	pick := func(from []catalog.Offer, n int) {
		for range n {
			o := from[random.IntN(len(from))]
			same := func(other catalog.Offer) bool { return other.ID == o.ID }
			if !slices.ContainsFunc(parts.Offers, same) {
				parts.Offers = append(parts.Offers, o)
			}
		}
	}
	pick(cpus, 1+random.IntN(3))
	pick(gpus, 3+random.IntN(6))
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomRequest is work of any kind under constraints that it often just meets.
func randomRequest(e *engine.Engine, random *rand.Rand) engine.Request {
	r := engine.Request{
		Currency: "USD", Objective: []stageplan.Objective{stageplan.Cost, stageplan.Time, stageplan.Balanced}[random.IntN(3)],
		Alternatives: 1 + random.IntN(6), Seed: random.Uint64(), ComputedAt: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	}
	if random.IntN(3) == 0 {
		r.Currency = "EUR"
	}
	a100, _ := e.Snapshot().GPU("A100-80GB-SXM")
	switch random.IntN(8) {
	case 0:
		r.Relative = &workload.Relative{GPU: a100, Seconds: float64(random.IntN(1e6) + 1), Tasks: random.IntN(2000), Render: random.IntN(2) == 0}
	case 1:
		r.Relative = &workload.Relative{GPU: a100, Seconds: float64(random.IntN(1e5) + 1), Edge: &workload.Edge{
			Rounds: 1 + random.IntN(500), Workers: 1 + random.IntN(20), RoundGB: random.Float64() / 100, UplinkGBs: 0.01}}
	case 2:
		r.Pool = &workload.Pool{Models: 1 + random.IntN(30), VRAMGB: 1 + 10*random.Float64(), HoursPerDay: 8, Days: 1 + random.IntN(20)}
	case 3:
		r.RentalSeconds = float64(random.IntN(1e6) + 1)
	default:
		size := []float64{0.5e9, 1.3e9, 7e9}[random.IntN(3)]
		r.Work = &workload.Spec{Kind: workload.FineTune, Method: workload.QLoRA, Shape: workload.FitShape(size, size, 0, 0),
			Tokens: float64(random.IntN(100)+1) * 1e6, SeqLen: 1024, MicroBatch: 1, LoRARank: 8, Packing: true,
			PreprocessCoreHours: float64(random.IntN(2) * random.IntN(50)), DatasetGB: float64(random.IntN(300)),
			Evaluate: workload.Evaluation{Requests: random.IntN(2) * 1000, InputTokens: 256, OutputTokens: 64}}
	}
	if random.IntN(2) == 0 {
		r.DeadlineSeconds = int64(3600 * (1 + random.IntN(40)) / (1 + random.IntN(4)))
	}
	if random.IntN(3) == 0 {
		r.Budget = decimal.NewNullDecimal(decimal.New(int64(random.IntN(10_000)), -2))
	}
	if places := e.Snapshot().Places(); random.IntN(3) == 0 && r.Pool == nil && r.RentalSeconds == 0 {
		r.Data.Place = &places[random.IntN(len(places))]
		r.Data.ResultsTo = &places[random.IntN(len(places))]
	}
	if random.IntN(4) == 0 {
		r.Constraints.CommitmentMonths = 12
	}
	if random.IntN(6) == 0 {
		r.VerifySeconds = 3600
	}
	return r
}

// enumerated is every plan that meets budget and deadline, in order.
type enumerated struct {
	request *engine.Request
	main    int
	plans   []whole
	near    int // plans whose stages' percentiles add up to more than the deadline
}

// whole is a plan with its exact figures.
type whole struct {
	choices      []*candidate.Candidate
	total        decimal.Decimal
	seconds, p95 int64
}

// mostPlans is how many plans are gone through at most.
const mostPlans = 30_000

// enumerate goes through every plan. ok is false if there are too many.
func enumerate(t *testing.T, e *engine.Engine, r *engine.Request) (out enumerated, ok bool) {
	t.Helper()
	market, stages, main := engine.Stages(t, e, r)
	out = enumerated{request: r, main: main}
	chains, count := make([][]candidate.Candidate, len(stages)), 1
	for i := range stages {
		pin := candidate.Pin{}
		if i == main {
			pin = r.Hardware
		}
		chains[i] = candidate.ForStage(market, &stages[i], candidate.Demand{Constraints: &r.Constraints, Pin: pin, Now: r.ComputedAt}).Candidates
		count *= len(chains[i])
	}
	if count > mostPlans {
		return out, false
	}
	volumes := []decimal.Decimal{tco.Volume(stages[0].InputGB)}
	for i := range stages {
		volumes = append(volumes, tco.Volume(stages[i].OutputGB))
	}
	lines := make(map[*candidate.Candidate]decimal.Decimal)
	scenarios := spot.NewScenarios(r.Seed, len(stages))
	for n := range count {
		p := whole{total: decimal.Zero}
		for i := range chains {
			c := &chains[i][n%len(chains[i])]
			n /= len(chains[i])
			if _, seen := lines[c]; !seen {
				lines[c] = c.Lines().Total()
			}
			p.choices, p.total, p.seconds = append(p.choices, c), p.total.Add(lines[c]), p.seconds+c.Seconds
		}
		if r.Budget.Valid && p.total.GreaterThan(r.Budget.Decimal) {
			continue // moves only add
		}
		out.judge(market, volumes, scenarios, &p)
	}
	slices.SortFunc(out.plans, func(a, b whole) int { return byTotal(&a, &b) })
	return out, true
}

// judge adds moves to a plan and keeps it if it meets budget and deadline.
func (x *enumerated) judge(market *candidate.Market, volumes []decimal.Decimal, scenarios *spot.Scenarios, p *whole) {
	var steps []spot.Step
	sum := int64(0)
	for _, c := range p.choices {
		steps = append(steps, spot.Step{Expected: c.Seconds, P95: c.P95})
		sum += c.P95
	}
	cost, seconds := moves(market, volumes, x.request, p.choices)
	p.total, p.seconds, p.p95 = p.total.Add(cost), p.seconds+seconds, scenarios.P95(steps)+seconds
	late := x.request.DeadlineSeconds > 0 && p.p95 > x.request.DeadlineSeconds
	if late || x.request.Budget.Valid && p.total.GreaterThan(x.request.Budget.Decimal) {
		return
	}
	if x.request.DeadlineSeconds > 0 && sum+seconds > x.request.DeadlineSeconds {
		x.near++
	}
	x.plans = append(x.plans, *p)
}

// moves are what moving data along a plan costs and takes.
func moves(market *candidate.Market, volumes []decimal.Decimal, r *engine.Request, choices []*candidate.Candidate) (cost decimal.Decimal, seconds int64) {
	route := []candidate.Site{choices[0].Site}
	if r.Data.Place != nil {
		route[0] = candidate.Site{Place: *r.Data.Place}
	}
	for _, c := range choices {
		route = append(route, c.Site)
	}
	last := route[len(route)-1]
	if r.Data.ResultsTo != nil {
		last = candidate.Site{Place: *r.Data.ResultsTo}
	}
	route = append(route, last)
	left := make(map[catalog.ProviderID]decimal.Decimal)
	for i, gb := range volumes {
		from, to := route[i], route[i+1]
		if from == to || gb.IsZero() {
			continue
		}
		scope := catalog.ToInternet
		if from.Place.Provider == to.Place.Provider {
			scope = catalog.ToOtherRegion
		}
		rate, conversion, _ := market.Egress(from.Place, scope)
		before := left[from.Place.Provider]
		left[from.Place.Provider] = before.Add(gb)
		cost = cost.Add(conversion.Convert(tco.Exact(tco.EgressAfter(rate, before, gb))).Round(tco.Places))
		seconds += gb.Mul(decimal.NewFromInt(8)).Ceil().IntPart()
	}
	return cost, seconds
}

// byTotal orders plans by total, time and choices.
func byTotal(a, b *whole) int {
	if by := a.total.Cmp(b.total); by != 0 {
		return by
	}
	if a.seconds != b.seconds {
		return int(max(-1, min(1, a.seconds-b.seconds)))
	}
	for i := range a.choices {
		if by := candidate.Compare(a.choices[i], b.choices[i]); by != 0 {
			return by
		}
	}
	return 0
}

// better orders plans by the request's objective.
func (x *enumerated) better(a, b *whole) int {
	switch x.request.Objective {
	case stageplan.Time:
		if a.seconds != b.seconds {
			return int(max(-1, min(1, a.seconds-b.seconds)))
		}
	case stageplan.Balanced:
		if by := a.total.Mul(decimal.NewFromInt(a.seconds)).Cmp(b.total.Mul(decimal.NewFromInt(b.seconds))); by != 0 {
			return by
		}
	}
	return byTotal(a, b)
}

// shown is the frontier and the best plan of each kind of main stage, as text.
func (x *enumerated) shown() string {
	text, kinds := "", make(map[string]*whole)
	fastest := int64(1) << 62
	for i := range x.plans {
		p := &x.plans[i]
		if p.seconds < fastest {
			fastest = p.seconds
			text += fmt.Sprintf("%s %d\n", p.total, p.seconds)
		}
		o := p.choices[x.main].Offer
		kind := fmt.Sprint(o.Provider, o.GPU, o.Market)
		if kinds[kind] == nil || x.better(p, kinds[kind]) < 0 {
			kinds[kind] = p
		}
	}
	var best []*whole
	for _, p := range kinds {
		best = append(best, p)
	}
	slices.SortFunc(best, x.better)
	for _, p := range best[:min(len(best), x.request.Alternatives)] {
		text += line(p.total, p.seconds, p.p95, p.choices)
	}
	return text
}

// shown is an answer's frontier and plans, as text.
func shown(a engine.Answer) string {
	text := ""
	for _, p := range a.Frontier {
		text += fmt.Sprintf("%s %d\n", p.Total.Decimal(), p.Seconds)
	}
	for i := range a.Plans {
		p := &a.Plans[i]
		text += line(p.Total, p.Seconds, p.P95, p.Choices)
	}
	return text
}

// line is a plan as text.
func line(total decimal.Decimal, seconds, p95 int64, choices []*candidate.Candidate) string {
	text := fmt.Sprintf("%s in %d s, 95%% within %d:", total, seconds, p95)
	for _, c := range choices {
		text += fmt.Sprintf(" %d x %s", c.Nodes, c.Offer.ID)
	}
	return text + "\n"
}
