package aggregate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
)

// now is when coefficients are made.
func now() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

const peak = 1410 // MHz

// catalogue is a small catalogue with a GPU of a known clock, and coefficients.
func catalogue(t testing.TB, published ...catalog.Coefficient) *catalog.Snapshot {
	t.Helper()
	parts := catalog.Parts{
		Version: "v1",
		GPUs: []catalog.GPUModel{
			{ID: "X1-80GB", Family: "X1", Class: catalog.DataCentre, MemoryGB: 80, PeakClockMHz: peak, GEMMTFLOPS: 270, CopyGBs: 1500,
				NVLink: catalog.Yes, NVLinkGBs: 600},
			{ID: "Y2-24GB", Family: "Y2", Class: catalog.Consumer, MemoryGB: 24},
		},
		Priors: []catalog.Prior{
			{Class: catalog.DataCentre, Value: 0.92, Low: 0.90, High: 1},
			{Class: catalog.Consumer, Value: 0.70, Low: 0.60, High: 0.80},
		},
		Coefficients: published,
	}
	s, err := catalog.NewSnapshot(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ofBox is an hour's report of a tenant's box, some hours ago, with its clock against
// the peak.
func ofBox(tenant, box string, hoursAgo int, ratio float64) catalog.Report {
	at := now().Add(-time.Duration(hoursAgo) * time.Hour)
	id := tenant + "/" + box
	return catalog.Report{
		ID: catalog.ReportID(fmt.Sprintf("%s %d", id, hoursAgo)), Box: catalog.BoxID(id), Tenant: catalog.TenantID(tenant),
		Kind: catalog.WatchReport, ReceivedAt: at, From: at.Add(-time.Hour), Until: at, Provider: "p",
		Readings: []catalog.Reading{{
			GPU: "X1-80GB", Devices: []catalog.Device{{Hash: catalog.GPUHash(id)}}, Evidence: catalog.Passive, Sufficient: true,
			ObservedSeconds: 3600, BusySeconds: 3600, Clock: catalog.Mean{N: 3600, Sum: 3600 * ratio * peak}, ClockMax: peak,
		}},
	}
}

// near fails the test unless a figure is what is wanted.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 5e-4 {
		t.Errorf("%s is %.4f, want %.4f", what, got, want)
	}
}

// one is the only coefficient of a result.
func one(t *testing.T, r Result) catalog.Coefficient {
	t.Helper()
	if len(r.Coefficients) != 1 {
		t.Fatalf("%d coefficients, want 1: %+v", len(r.Coefficients), r)
	}
	return r.Coefficients[0]
}

// The example of the design: an all-reduce at 0.6 with a link share of 0.2.
func TestAddsTimes(t *testing.T) {
	terms := []catalog.Term{{Resource: catalog.Compute, Ratio: 1}, {Resource: catalog.Memory, Ratio: 1}, {Resource: catalog.Link, Ratio: 0.6}, {Resource: catalog.IO, Ratio: 1}}
	near(t, "speed", catalog.TrainingShares().Speed(terms), 1/(0.8+0.2/0.6))
	near(t, "speed on one GPU", catalog.TuningShares().Speed(terms), 1)
	near(t, "speed without terms", catalog.TrainingShares().Speed(nil), 1)
}

func TestThreeTenants(t *testing.T) {
	reports := []catalog.Report{ofBox("a", "1", 3, 0.5), ofBox("a", "1", 2, 0.5), ofBox("b", "1", 3, 0.5), ofBox("c", "1", 3, 0.5)}
	if r := Run(reports[:3], Input{catalogue(t), now()}); len(r.Coefficients) != 0 {
		t.Errorf("two tenants have %+v, want nothing published", r.Coefficients)
	}
	c := one(t, Run(reports, Input{catalogue(t), now()}))
	// Compute at half the speed, the rest at the prior.
	measured := 1 / (0.6/0.5 + 0.4/0.92)
	near(t, "measured", c.Measured, measured)
	near(t, "value", c.Value, (3*0.92+3*measured)/6)
	near(t, "low", c.Interval.Low, measured*(0.6/0.5+0.4/0.92)/(0.6/0.5+0.4/0.90))
	if c.GPU != "X1-80GB" || c.Provider != "p" || c.Tenants != 3 || c.Boxes != 3 || c.Reports != 4 || c.Evidence != catalog.Passive ||
		c.Kinds.Passive != 3 || c.Reference != catalog.SpecReference || !c.NewestAt.Equal(now().Add(-2*time.Hour)) {
		t.Errorf("got %+v", c)
	}
	want := []catalog.Term{{Resource: catalog.Compute, Ratio: 0.5, Measured: true}, {Resource: catalog.Memory, Ratio: 0.92}, {Resource: catalog.Link, Ratio: 0.92}, {Resource: catalog.IO, Ratio: 0.92}}
	if diff := cmp.Diff(want, c.Terms, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	near(t, "of one GPU", c.For(catalog.TuningShares()).Measured, 1/(0.7/0.5+0.3/0.92))
}

// A box counts by time, a tenant by the median of its boxes, and each tenant once.
func TestVotes(t *testing.T) {
	short := ofBox("a", "1", 2, 0.2)
	short.Readings[0].BusySeconds = 36
	reports := []catalog.Report{ofBox("a", "1", 2, 0.9), short, ofBox("b", "1", 2, 0.8), ofBox("c", "1", 2, 0.9)}
	reports[1].ID = "short"
	for i := range 40 {
		reports = append(reports, ofBox("c", fmt.Sprintf("x%d", i), 2, 0.95))
	}
	result := Run(reports, Input{catalogue(t), now()})
	c := one(t, result)
	speed := func(r float64) float64 { return 1 / (0.6/r + 0.4/0.92) }
	near(t, "measured", c.Measured, speed((0.9*3600+0.2*36)/3636))
	if c.Tenants != 3 || c.Boxes != 43 || result.Counted != len(reports) {
		t.Errorf("%d tenants, %d boxes, %d of %d reports", c.Tenants, c.Boxes, result.Counted, len(reports))
	}
}

func TestOlderCountsLess(t *testing.T) {
	var reports []catalog.Report
	for _, tenant := range []string{"a", "b", "c"} {
		reports = append(reports, ofBox(tenant, "1", 1, 1), ofBox(tenant, "1", 29*24, 0.5), ofBox(tenant, "1", 31*24, 0.1))
	}
	result := Run(reports, Input{catalogue(t, catalog.Coefficient{GPU: "X1-80GB", Provider: "p", ReleasedAt: now().Add(-time.Hour)}), now()})
	old, recent := math.Exp2(-29.0/30), math.Exp2(-1.0/720)
	near(t, "measured", one(t, result).Measured, 1/(0.6/((old*0.5+recent)/(old+recent))+0.4/0.92))
	if result.Excluded[Outside] != 3 {
		t.Errorf("excluded %v, want 3 outside of the window", result.Excluded)
	}
}

func TestEvidence(t *testing.T) {
	with := func(tenant string, change func(*catalog.Reading)) catalog.Report {
		r := ofBox(tenant, "1", 2, 0.9)
		change(&r.Readings[0])
		return r
	}
	gemm := func(x *catalog.Reading) { x.GEMM, x.Evidence = catalog.Mean{N: 2, Sum: 2 * 216}, catalog.Active }
	both := func(x *catalog.Reading) { x.Copy, x.Bus = catalog.Mean{N: 1, Sum: 1200}, catalog.Mean{N: 1, Sum: 132} }
	lost := func(x *catalog.Reading) { x.LostSeconds = 360 }
	c := one(t, Run([]catalog.Report{with("a", gemm), with("b", gemm), with("c", gemm)}, Input{catalogue(t), now()}))
	near(t, "by GEMM", c.Measured, 1/(0.6/0.8+0.4/0.92))
	if c.Evidence != catalog.Active || c.Kinds.Active != 3 {
		t.Errorf("evidence %s, %+v", c.Evidence, c.Kinds)
	}
	c = one(t, Run([]catalog.Report{with("a", both), with("b", both), with("c", both)}, Input{catalogue(t), now()}))
	near(t, "with memory and link", c.Measured, 1/(0.6/0.9+0.15/0.8+0.2/0.5+0.05/0.92))
	c = one(t, Run([]catalog.Report{with("a", lost), with("b", lost), with("c", lost)}, Input{catalogue(t), now()}))
	near(t, "availability", c.Availability, 0.9)
	near(t, "with lost time", c.Measured, 0.9/(0.6/0.9+0.4/0.92))
}

// Below five tenants nobody is left out; from five on, those that are far off are.
func TestOutliers(t *testing.T) {
	figures := []float64{0.9, 0.91, 0.92, 0.3}
	if p := Pool(figures, 0.9); p.Outliers != 0 || p.Tenants != 4 {
		t.Errorf("of four: %+v", p)
	}
	if p := Pool(append(figures, 0.93), 0.9); p.Outliers != 1 || p.Tenants != 4 || p.Measured != 0.915 {
		t.Errorf("of five: %+v", p)
	}
	if p := Pool([]float64{0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1}, 0.9); p.Outliers != 2 {
		t.Errorf("of seven, three far off: %+v, want at most 30%% left out", p)
	}
	if p := Pool([]float64{0.8}, 0.9); p.Interval.Low != 0.8 || p.Interval.High != 0.8 {
		t.Errorf("of one: %+v", p)
	}
}

// What contradicts an earlier report counts for nothing, and neither do hosts.
func TestExclusions(t *testing.T) {
	honest := []catalog.Report{ofBox("a", "1", 5, 0.9), ofBox("b", "1", 5, 0.9), ofBox("c", "1", 5, 0.9)}
	honest[0].Readings[0].Prints = []uint64{7}
	want := one(t, Run(honest, Input{catalogue(t), now()}))
	change := func(do func(*catalog.Report)) catalog.Report {
		r := ofBox("liar", "1", 4, 0.1)
		do(&r)
		return r
	}
	reading := func(do func(*catalog.Reading)) catalog.Report {
		return change(func(r *catalog.Report) { do(&r.Readings[0]) })
	}
	for _, c := range []struct {
		name   string
		report catalog.Report
		reason Exclusion
	}{
		{"a GPU that another box has", change(func(r *catalog.Report) {
			r.Readings[0].Devices = honest[0].Readings[0].Devices
			r.From = honest[0].Until.Add(-time.Minute)
		}), GPUElsewhere},
		{"a clock that goes as another's", reading(func(x *catalog.Reading) { x.Prints = []uint64{7} }), SharedPrint},
		{"too short", reading(func(x *catalog.Reading) { x.Sufficient = false }), Insufficient},
		{"MIG", reading(func(x *catalog.Reading) { x.Partitioned = true }), Partitioned},
		{"an unknown GPU", reading(func(x *catalog.Reading) { x.GPU = "" }), UnknownGPU},
		{"an unknown provider", change(func(r *catalog.Report) { r.Provider = "" }), UnknownProvider},
		{"of tomorrow", change(func(r *catalog.Report) { r.ReceivedAt = now().Add(time.Hour) }), Outside},
		{"no GPU", change(func(r *catalog.Report) { r.Readings = nil }), NoReadings},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := Run(append(slices.Clone(honest), c.report), Input{catalogue(t), now()})
			if result.Excluded[c.reason] != 1 || result.Counted != 3 {
				t.Errorf("excluded %v, counted %d", result.Excluded, result.Counted)
			}
			if diff := cmp.Diff(want, one(t, result)); diff != "" {
				t.Errorf("it moved the coefficient (-want +got):\n%s", diff)
			}
		})
	}
	host := change(func(r *catalog.Report) { r.Host = true })
	c := one(t, Run(append(slices.Clone(honest), host), Input{catalogue(t), now()}))
	near(t, "of the host", c.HostMeasured, 1/(0.6/0.1+0.4/0.92))
	if c.HostBoxes != 1 || c.Measured != want.Measured || c.Tenants != 3 || c.Boxes != 3 {
		t.Errorf("a host's own box moved the coefficient: %+v", c)
	}
}

func TestSKUs(t *testing.T) {
	var reports []catalog.Report
	for i, tenant := range []string{"a", "b", "c", "d", "e", "f"} {
		r := ofBox(tenant, "1", 5, 0.9)
		if i < 3 {
			r = ofBox(tenant, "1", 5, 0.6)
			r.SKU = "x1"
		}
		reports = append(reports, r)
	}
	r := Run(reports, Input{catalogue(t), now()})
	if len(r.Coefficients) != 2 || r.Coefficients[0].SKU != "" || r.Coefficients[1].SKU != "x1" || r.Coefficients[0].Tenants != 6 {
		t.Fatalf("got %+v", r.Coefficients)
	}
	near(t, "of the SKU", r.Coefficients[1].Measured, 1/(1+0.4/0.92))
}

// The order of reports never matters, and the same reports make the same result.
func TestOrderNeverMatters(t *testing.T) {
	var reports []catalog.Report
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		x := ofBox(fmt.Sprintf("t%d", i%9), fmt.Sprint(i%17), i, 0.5+r.Float64()/2)
		x.SKU = catalog.SKU([]string{"", "x1", "x2"}[i%17%3])
		reports = append(reports, x)
	}
	want := Run(reports, Input{catalogue(t), now()})
	for range 20 {
		r.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
		if diff := cmp.Diff(want, Run(reports, Input{catalogue(t), now()})); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// An estimate whose last week is far from its month is not published: what was stays,
// until someone releases it.
func TestGuard(t *testing.T) {
	var reports []catalog.Report
	for _, tenant := range []string{"a", "b", "c"} {
		for day := 10; day < 30; day++ {
			reports = append(reports, ofBox(tenant, "1", 24*day, 0.95))
		}
		reports = append(reports, ofBox(tenant, "1", 24, 0.5))
	}
	fresh := Run(reports, Input{catalogue(t), now()})
	if len(fresh.Coefficients) != 0 || len(fresh.Alerts) != 1 || fresh.Alerts[0].Published != 0.92 {
		t.Errorf("nothing was published before: %+v", fresh)
	}
	was := catalog.Coefficient{GPU: "X1-80GB", Provider: "p", Value: 0.93, Measured: 0.94, Tenants: 3, ComputedAt: now().Add(-time.Hour)}
	result := Run(reports, Input{catalogue(t, was), now()})
	frozen := was
	frozen.Frozen = true
	if diff := cmp.Diff([]catalog.Coefficient{frozen}, result.Coefficients); diff != "" || len(result.Alerts) != 1 {
		t.Errorf("%v; what was published should stay (-want +got):\n%s", result.Alerts, diff)
	}
	if a := result.Alerts[0]; a.Month-a.Week < guardBand || a.Published != 0.93 {
		t.Errorf("alert %+v", a)
	}
	calm := []catalog.Report{ofBox("a", "1", 1, 0.9), ofBox("b", "1", 1, 0.9), ofBox("c", "1", 1, 0.9)}
	if c := one(t, Run(calm, Input{catalogue(t, frozen), now()})); !c.Frozen || c.Value != 0.93 {
		t.Errorf("it thaws by itself: %+v", c)
	}
	released := frozen
	released.Frozen, released.ReleasedAt = false, now().Add(-time.Hour)
	if c := one(t, Run(reports, Input{catalogue(t, released), now()})); c.Frozen || c.Value == 0.93 || !c.ReleasedAt.Equal(released.ReleasedAt) {
		t.Errorf("it stays after someone released it: %+v", c)
	}
}

func TestCheckRates(t *testing.T) {
	var reports []catalog.Report
	add := func(tenant, box string, hoursAgo int, status catalog.CheckStatus) {
		r := ofBox(tenant, box, hoursAgo, 0.9)
		r.Kind, r.SKU = catalog.VerifyReport, "x1"
		r.Checks = []catalog.Check{{ID: "nvlink_topology", Status: status}, {ID: "ecc_mode", Status: catalog.CheckSkip}}
		reports = append(reports, r)
	}
	add("a", "1", 5, catalog.CheckFail)
	add("a", "1", 4, catalog.CheckPass) // later
	add("b", "1", 5, catalog.CheckWarn)
	if r := Run(reports, Input{catalogue(t), now()}); len(r.Checks) != 0 {
		t.Errorf("two tenants have the rates %+v", r.Checks)
	}
	add("c", "1", 5, catalog.CheckPass)
	for i := range 40 {
		add("d", fmt.Sprint(i), 5, catalog.CheckFail)
	}
	r := Run(reports, Input{catalogue(t), now()})
	want := catalog.CheckRate{Provider: "p", GPU: "X1-80GB", Check: "nvlink_topology", Boxes: 4, Passed: 2, Tenants: 4, ComputedAt: now()}
	ofSKU := want
	ofSKU.SKU = "x1"
	if diff := cmp.Diff([]catalog.CheckRate{want, ofSKU}, r.Checks); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	if r.Excluded[NoReadings] != 0 {
		t.Errorf("excluded %v", r.Excluded)
	}
}

// month are reports of tenants whose boxes have some ratios of their clock.
func month(tenants map[string][]float64, provider catalog.ProviderID) []catalog.Report {
	var reports []catalog.Report
	for tenant, ratios := range tenants {
		for b, ratio := range ratios {
			r := ofBox(tenant, fmt.Sprint(b), 5, min(1, ratio))
			r.Provider = provider
			reports = append(reports, r)
		}
	}
	return reports
}

// TestForgeryWithLearntReference is the attack on whole reports: where forged clocks
// can raise the reference as well, which would lower what honest boxes get.
func TestForgeryWithLearntReference(t *testing.T) {
	shifts := map[string]float64{}
	for _, value := range []float64{0.99, 0.80, 0.55, 0.30} {
		r := rand.New(rand.NewPCG(7, 8))
		squares, worst := 0.0, 0.0
		const runs = 300
		for range runs {
			tenants := make(map[string][]float64)
			for i, boxes := range honest(r, 8, boxes) {
				tenants[fmt.Sprintf("t%d", i)] = boxes
			}
			elsewhere := month(map[string][]float64{"z": {truth + tenantSD*r.NormFloat64()}}, "q")
			clean := Run(append(month(tenants, "p"), elsewhere...), Input{catalogue(t), now()})
			for i, boxes := range forged(40, 3, value) {
				tenants[fmt.Sprintf("f%d", i)] = boxes
			}
			dirty := Run(append(month(tenants, "p"), elsewhere...), Input{catalogue(t), now()})
			shift := one(t, dirty).Value - one(t, clean).Value
			if one(t, clean).Reference != catalog.LearntReference {
				t.Fatal("the reference is not learnt")
			}
			squares += shift * shift / runs
			worst = max(worst, math.Abs(shift))
		}
		shifts[fmt.Sprint(value)] = math.Sqrt(squares)
		t.Logf("40 forged at %.2f of 3 tenants: RMS shift of value %.4f, worst %.4f", value, math.Sqrt(squares), worst)
	}
	for value, shift := range shifts {
		if shift > 0.04 {
			t.Errorf("forged at %s: RMS shift %.4f, want at most 0.04", value, shift)
		}
	}
}

func BenchmarkAggregate(b *testing.B) {
	const reports, tenants, boxesOf = 100_000, 200, 5
	all := make([]catalog.Report, reports)
	r := rand.New(rand.NewPCG(9, 10))
	for i := range all {
		all[i] = ofBox(fmt.Sprintf("t%d", i%tenants), fmt.Sprint(i/tenants%boxesOf), 1+i/(tenants*boxesOf)*6, 0.6+0.3*r.Float64())
		all[i].SKU = catalog.SKU(fmt.Sprintf("x%d", i%tenants%7))
		all[i].Readings[0].Prints = []uint64{r.Uint64()}
	}
	s := catalogue(b)
	b.ReportAllocs()
	for b.Loop() {
		if result := Run(all, Input{s, now()}); result.Counted != reports {
			b.Fatalf("%d reports count, %v", result.Counted, result.Excluded)
		}
	}
}
