package stageplan_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// The brute force below shares nothing with the search but the inputs: it walks
// every combination and does its own arithmetic in big.Rat.

func rat(d decimal.Decimal) *big.Rat { return d.Rat() }

// round10 rounds half to even at 10 decimals.
func round10(r *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(r, big.NewRat(1e10, 1))
	quo, rem := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	twice := new(big.Int).Mul(rem, big.NewInt(2))
	switch c := twice.CmpAbs(scaled.Denom()); {
	case c > 0, c == 0 && quo.Bit(0) == 1:
		quo.Add(quo, big.NewInt(int64(rem.Sign())))
	}
	return new(big.Rat).SetFrac(quo, big.NewInt(1e10))
}

// unitsPerUSD of the two currencies of the random catalogues.
func unitsPerUSD(c catalog.Currency) *big.Rat {
	if c == "EUR" {
		return big.NewRat(9, 10)
	}
	return big.NewRat(1, 1)
}

// stageCost prices one candidate: node price x nodes x seconds, line by line.
func stageCost(c *candidate.Candidate, to catalog.Currency) *big.Rat {
	fx := new(big.Rat).Quo(unitsPerUSD(to), unitsPerUSD(c.Offer.Price.Currency))
	hourly := new(big.Rat).Mul(rat(c.Offer.Price.Amount.Decimal), fx)
	if c.Offer.Price.Basis == catalog.PerInstanceMonth {
		hourly.Quo(hourly, big.NewRat(730, 1))
	}
	line := func(seconds int64) *big.Rat {
		r := new(big.Rat).Mul(hourly, big.NewRat(seconds*c.Usage.Nodes, 3600))
		return round10(r)
	}
	occupied := c.Usage.Useful + c.Usage.Interruption + c.Usage.Setup
	billed := occupied
	for billed%c.Tariff.IncrementSeconds != 0 {
		billed++
	}
	billed = max(billed, c.Tariff.MinimumSeconds)
	total := new(big.Rat)
	for _, seconds := range []int64{c.Usage.Useful, c.Usage.Interruption, c.Usage.Setup, billed - occupied} {
		total.Add(total, line(seconds))
	}
	return total
}

// egress prices the first gb of a month at three-tier rates by walking GB by GB
// boundaries.
func egress(rate catalog.EgressRate, gb *big.Rat) *big.Rat {
	rest := new(big.Rat).Sub(gb, rat(rate.FreePerMonth))
	total, at := new(big.Rat), new(big.Rat)
	for _, tier := range rate.Tiers {
		if rest.Sign() <= 0 {
			return total
		}
		room := new(big.Rat).Set(rest)
		if tier.UpTo.Valid {
			if width := new(big.Rat).Sub(rat(tier.UpTo.Decimal), at); width.Cmp(room) < 0 {
				room = width
			}
			at = rat(tier.UpTo.Decimal)
		}
		total.Add(total, new(big.Rat).Mul(room, rat(tier.Price)))
		rest.Sub(rest, room)
	}
	return total
}

// solution is a combination with its exact figures.
type solution struct {
	choices      []*candidate.Candidate
	total        *big.Rat
	seconds, p95 int64
}

// every lists all combinations that meet budget and deadline, in order.
func every(p stageplan.Problem) []solution {
	combos := [][]*candidate.Candidate{nil}
	for _, stage := range p.Stages {
		var next [][]*candidate.Candidate
		for _, head := range combos {
			for i := range stage {
				next = append(next, append(slices.Clone(head), &stage[i]))
			}
		}
		combos = next
	}
	var all []solution
	for _, choices := range combos {
		s := price(p, choices)
		if p.Budget.Valid && s.total.Cmp(rat(p.Budget.Decimal)) > 0 {
			continue
		}
		s.p95 = percentile(p, s)
		if p.DeadlineSeconds > 0 && s.p95 > p.DeadlineSeconds {
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, compare)
	return all
}

// percentile is the 95th percentile of a solution's time by the simulation of the
// whole plan that the search uses, its moves added.
func percentile(p stageplan.Problem, s solution) int64 {
	moves := s.seconds
	var steps []spot.Step
	for _, c := range s.choices {
		steps = append(steps, spot.Step{Expected: c.Seconds, P95: c.P95})
		moves -= c.Seconds
	}
	return spot.NewScenarios(p.Seed, len(steps)).P95(steps) + moves
}

func price(p stageplan.Problem, choices []*candidate.Candidate) solution {
	to := p.Market.Converter.Target()
	s := solution{choices: choices, total: new(big.Rat)}
	route := []candidate.Site{choices[0].Site}
	if p.From != nil {
		route[0] = *p.From
	}
	for _, c := range choices {
		route = append(route, c.Site)
		s.total.Add(s.total, stageCost(c, to))
		s.seconds += c.Seconds
	}
	if p.To != nil {
		route = append(route, *p.To)
	} else {
		route = append(route, choices[len(choices)-1].Site)
	}
	used := map[catalog.ProviderID]*big.Rat{}
	for i, gb := range p.VolumesGB {
		from, dest := route[i], route[i+1]
		if from == dest || gb.IsZero() {
			continue
		}
		scope := catalog.ToInternet
		if from.Place.Provider == dest.Place.Provider {
			scope = catalog.ToOtherRegion
		}
		rate, ok := p.Market.Snapshot.Egress(from.Place, scope)
		if !ok {
			rate, _ = p.Market.Snapshot.DearestEgress(scope)
		}
		before := used[from.Place.Provider]
		if before == nil {
			before = new(big.Rat)
		}
		after := new(big.Rat).Add(before, rat(gb))
		used[from.Place.Provider] = after
		cost := new(big.Rat).Sub(egress(rate, after), egress(rate, before))
		cost.Mul(cost, new(big.Rat).Quo(unitsPerUSD(to), unitsPerUSD(rate.Currency)))
		s.total.Add(s.total, round10(cost))
		seconds := new(big.Rat).Mul(rat(gb), big.NewRat(8, 1))
		whole := new(big.Int).Quo(new(big.Int).Add(seconds.Num(), new(big.Int).Sub(seconds.Denom(), big.NewInt(1))), seconds.Denom()).Int64()
		s.seconds += whole
	}
	return s
}

func compare(a, b solution) int {
	if by := a.total.Cmp(b.total); by != 0 {
		return by
	}
	if a.seconds != b.seconds {
		return int(min(1, max(-1, a.seconds-b.seconds)))
	}
	for i := range a.choices {
		if by := candidate.Compare(a.choices[i], b.choices[i]); by != 0 {
			return by
		}
	}
	return 0
}

// pareto keeps of ordered solutions those with less time than all before.
func pareto(all []solution) []solution {
	var front []solution
	for _, s := range all {
		if len(front) == 0 || s.seconds < front[len(front)-1].seconds {
			front = append(front, s)
		}
	}
	return front
}

// better orders by an objective.
func better(o stageplan.Objective) func(a, b solution) int {
	return func(a, b solution) int {
		switch o {
		case stageplan.Time:
			if a.seconds != b.seconds {
				return int(min(1, max(-1, a.seconds-b.seconds)))
			}
		case stageplan.Balanced:
			x := new(big.Rat).Mul(a.total, big.NewRat(a.seconds, 1))
			y := new(big.Rat).Mul(b.total, big.NewRat(b.seconds, 1))
			if by := x.Cmp(y); by != 0 {
				return by
			}
		}
		return compare(a, b)
	}
}

// bestOfKinds are the best solutions of each kind of main stage, in order.
func bestOfKinds(p stageplan.Problem, all []solution) []solution {
	best := map[string]solution{}
	for _, s := range all {
		o := s.choices[p.Main].Offer
		key := fmt.Sprint(o.Provider, o.GPU, o.Market)
		if old, ok := best[key]; !ok || better(p.Objective)(s, old) < 0 {
			best[key] = s
		}
	}
	var list []solution
	for _, s := range best {
		list = append(list, s)
	}
	slices.SortFunc(list, better(p.Objective))
	return list[:min(len(list), p.Alternatives)]
}

func describe(choices []*candidate.Candidate) string {
	var b strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&b, "%s x%d ", c.Offer.ID, c.Nodes)
	}
	return b.String()
}

// samePlans holds plans against what brute force finds, and their totals against their lines.
func samePlans(t *rapid.T, plans []stageplan.Plan, want []solution) {
	got := make([]stageplan.Outline, len(plans))
	for i := range plans {
		got[i] = plans[i].Outline
		sum := decimal.Zero
		for _, lines := range plans[i].Lines {
			sum = sum.Add(lines.Total())
		}
		if !sum.Equal(plans[i].Total) || !sum.Equal(got[i].Units.Decimal()) {
			t.Fatalf("plan %d: lines sum to %s, total is %s, exactly %s", i, sum, plans[i].Total, got[i].Units.Decimal())
		}
	}
	sameAs(t, "plans", got, want)
}

func sameAs(t *rapid.T, what string, got []stageplan.Outline, want []solution) {
	if len(got) != len(want) {
		t.Fatalf("%s: got %d plans, want %d", what, len(got), len(want))
	}
	for i := range got {
		w := want[i]
		late := what == "plans" && got[i].P95 != w.p95
		if rat(got[i].Units.Decimal()).Cmp(w.total) != 0 || got[i].Seconds != w.seconds || late ||
			describe(got[i].Choices) != describe(w.choices) {
			t.Fatalf("%s, plan %d: got %s %s s (p95 %d) %s, want %s %d s (p95 %d) %s", what, i,
				got[i].Units.Decimal(), fmt.Sprint(got[i].Seconds), got[i].P95, describe(got[i].Choices),
				w.total.FloatString(10), w.seconds, w.p95, describe(w.choices))
		}
	}
}

// TestSolveEqualsBruteForce compares frontier, best plan, alternatives and ties
// with the brute force on random small problems.
func TestSolveEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProblem(t)
		all := every(p)
		got := stageplan.Solve(p)
		sameAs(t, "frontier", got.Frontier, pareto(all))
		samePlans(t, got.Plans(), bestOfKinds(p, all))
		for i := range p.Stages {
			p.Stages[i] = sieved(p, i)
		}
		got = stageplan.Solve(p)
		sameAs(t, "frontier of what a sieve keeps", got.Frontier, pareto(all))
		samePlans(t, got.Plans(), bestOfKinds(p, all))
	})
}

// sieved are the candidates of a stage that a sieve keeps.
func sieved(p stageplan.Problem, stage int) []candidate.Candidate {
	sieve := stageplan.NewSieve(stage == p.Main, p.DeadlineSeconds > 0, p.Market.Sites())
	var kept []candidate.Candidate
	for i := range p.Stages[stage] {
		if c := &p.Stages[stage][i]; sieve.Keep(c) {
			kept = append(kept, *c)
		}
	}
	return kept
}

// TestOrderNeverMatters shuffles candidates: the answer stays the same.
func TestOrderNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProblem(t)
		want := stageplan.Solve(p)
		for i := range p.Stages {
			p.Stages[i] = rapid.Permutation(p.Stages[i]).Draw(t, "order")
		}
		got := stageplan.Solve(p)
		for i := range want.Best {
			if describe(got.Best[i].Choices) != describe(want.Best[i].Choices) || got.Best[i].Units.Cmp(want.Best[i].Units) != 0 {
				t.Fatalf("plan %d: got %s, want %s", i, describe(got.Best[i].Choices), describe(want.Best[i].Choices))
			}
		}
	})
}

// TestCheaperNeverRaises lowers one price: the optimum does not rise.
func TestCheaperNeverRaises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomProblem(t)
		p.Objective = stageplan.Cost
		before := stageplan.Solve(p)
		if len(before.Best) == 0 {
			return
		}
		stage := rapid.IntRange(0, len(p.Stages)-1).Draw(t, "stage")
		c := &p.Stages[stage][rapid.IntRange(0, len(p.Stages[stage])-1).Draw(t, "candidate")]
		quote := *c.Quote
		quote.Tariff.Node.Num = quote.Tariff.Node.Num.Mul(decimal.New(rapid.Int64Range(1, 99).Draw(t, "percent"), -2))
		quote.Rates.NodeHour, quote.Meter = quote.Tariff.NodeBound(), quote.Tariff.Meter()
		c.Quote = &quote
		c.Bound = quote.Rates.Enclose(&quote.Tariff, c.Usage)
		after := stageplan.Solve(p)
		if from, to := before.Best[0].Units, after.Best[0].Units; to.Cmp(from) > 0 {
			t.Fatalf("a cheaper price raised the optimum from %s to %s", from.Decimal(), to.Decimal())
		}
	})
}

// randomProblem draws a chain of 1 to 4 stages of up to 12 candidates over a few
// places, with coarse prices and times so that ties are common.
func randomProblem(t *rapid.T) stageplan.Problem {
	market := randomMarket(t)
	stages := rapid.IntRange(1, 4).Draw(t, "stages")
	most := []int{0, 12, 12, 8, 5}[stages]
	p := stageplan.Problem{
		Market:       market,
		Main:         rapid.IntRange(0, stages-1).Draw(t, "main"),
		Objective:    rapid.SampledFrom([]stageplan.Objective{stageplan.Cost, stageplan.Time, stageplan.Balanced}).Draw(t, "objective"),
		Alternatives: rapid.IntRange(1, 6).Draw(t, "alternatives"),
	}
	for range stages {
		var stage []candidate.Candidate
		for range rapid.IntRange(1, most).Draw(t, "candidates") {
			c := randomCandidate(t, market)
			if !slices.ContainsFunc(stage, func(o candidate.Candidate) bool { return candidate.Compare(&o, &c) == 0 }) {
				stage = append(stage, c)
			}
		}
		p.Stages = append(p.Stages, stage)
	}
	for range stages + 1 {
		p.VolumesGB = append(p.VolumesGB, decimal.New(rapid.Int64Range(0, 300).Draw(t, "gb"), 0).Mul(decimal.New(1, -rapid.Int32Range(0, 1).Draw(t, "shift"))))
	}
	p.From, p.To = randomSite(t), randomSite(t)
	if rapid.Bool().Draw(t, "has budget") {
		p.Budget = decimal.NewNullDecimal(decimal.New(rapid.Int64Range(0, 4000).Draw(t, "budget"), -2))
	}
	if rapid.Bool().Draw(t, "has deadline") {
		p.DeadlineSeconds = rapid.Int64Range(1, 40_000).Draw(t, "deadline")
		p.Seed = rapid.Uint64().Draw(t, "seed")
	}
	return p
}

var places = []catalog.Place{{Provider: "a", Region: "r1"}, {Provider: "a", Region: "r2"}, {Provider: "b", Region: "r1"}, {Provider: "c", Region: "global"}}

func randomSite(t *rapid.T) *candidate.Site {
	i := rapid.IntRange(-1, len(places)-1).Draw(t, "site")
	if i < 0 {
		return nil
	}
	return &candidate.Site{Place: places[i]}
}

// randomMarket has three providers with offers in two currencies, tiered egress
// for some, and none known for the third.
func randomMarket(t *rapid.T) *candidate.Market {
	parts := catalog.Parts{
		Version:   "test",
		Providers: []catalog.Provider{{ID: "a", Class: catalog.Hyperscaler, BillingIncrementSeconds: 60}, {ID: "b", Class: catalog.Specialist, BillingIncrementSeconds: 1, BillingMinimumSeconds: 600}, {ID: "c", Class: catalog.Community}},
		GPUs:      []catalog.GPUModel{{ID: "X"}, {ID: "Y"}},
		FX:        []catalog.FXRate{{Currency: "EUR", Month: catalog.Date{Year: 2026, Month: 1}, UnitsPerUSD: decimal.New(9, -1)}},
	}
	for _, place := range places {
		for n := range 4 {
			o := catalog.Offer{
				Place: place,
				Instance: &catalog.Instance{SKU: catalog.SKU(fmt.Sprintf("s%d", n)), Service: catalog.VirtualMachine,
					GPU:  rapid.SampledFrom([]catalog.GPUID{"X", "Y"}).Draw(t, "gpu"),
					GPUs: decimal.NewNullDecimal(decimal.NewFromInt(1))},
				Provenance: &catalog.Provenance{Source: "test"},
				Market:     rapid.SampledFrom([]catalog.PurchaseModel{catalog.OnDemand, catalog.Spot}).Draw(t, "market"),
				AsOf:       catalog.Date{Year: 2026, Month: 6, Day: 1},
				Price: catalog.NewPrice(decimal.New(rapid.Int64Range(1, 12).Draw(t, "price"), rapid.Int32Range(-2, 0).Draw(t, "exp")),
					rapid.SampledFrom([]catalog.Basis{catalog.PerInstanceHour, catalog.PerGPUHour, catalog.PerInstanceMonth}).Draw(t, "basis"),
					rapid.SampledFrom([]catalog.Currency{"USD", "EUR"}).Draw(t, "currency")),
			}
			o.ID = catalog.NewOfferID(o.Place, o.SKU, "", o.Market)
			parts.Offers = append(parts.Offers, o)
		}
	}
	for _, r := range []catalog.EgressRate{
		{Place: catalog.Place{Provider: "a"}, Scope: catalog.ToInternet, FreePerMonth: decimal.NewFromInt(100)},
		{Place: catalog.Place{Provider: "a"}, Scope: catalog.ToOtherRegion},
		{Place: places[2], Scope: catalog.ToInternet, FreePerMonth: decimal.NewFromInt(20)},
	} {
		first := rapid.Int64Range(0, 20).Draw(t, "egress")
		r.Unit, r.Currency = catalog.GB, rapid.SampledFrom([]catalog.Currency{"USD", "EUR"}).Draw(t, "egress currency")
		r.AsOf = catalog.Date{Year: 2026, Month: 5}
		r.Tiers = []catalog.EgressTier{
			{UpTo: decimal.NewNullDecimal(decimal.NewFromInt(50)), Price: decimal.New(first, -2)},
			{UpTo: decimal.NewNullDecimal(decimal.NewFromInt(200)), Price: decimal.New(first/2, -2)},
			{Price: decimal.New(first/4, -2)},
		}
		parts.Egress = append(parts.Egress, r)
	}
	snapshot, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	market, ok := candidate.NewMarket(snapshot, rapid.SampledFrom([]catalog.Currency{"USD", "EUR"}).Draw(t, "answer currency"))
	if !ok {
		t.Fatal("no market")
	}
	return market
}

func randomCandidate(t *rapid.T, m *candidate.Market) candidate.Candidate {
	q := &m.Quotes()[rapid.IntRange(0, len(m.Quotes())-1).Draw(t, "offer")]
	nodes := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "nodes")
	c := candidate.Candidate{
		Quote:  q,
		Sizing: &candidate.Sizing{Nodes: nodes, GPUsPerNode: 1, HasGPU: true},
		Usage: tco.Usage{
			Nodes:  int64(nodes),
			Useful: rapid.Int64Range(1, 8).Draw(t, "useful") * 1000,
			Setup:  300,
		},
	}
	if q.Offer.Market == catalog.Spot {
		c.Usage.Interruption = rapid.Int64Range(0, 900).Draw(t, "interruption")
	}
	c.Seconds = c.Usage.Occupied()
	c.P95 = c.Seconds + rapid.Int64Range(0, 3).Draw(t, "late")*500
	c.Bound = q.Rates.Enclose(&q.Tariff, c.Usage)
	return c
}
