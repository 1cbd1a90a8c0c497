package tco_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// TestMain has every property tried with 500 inputs, unless the command line says
// otherwise: "make soak" tries 10,000.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// fraction is a random decimal from nothing to one.
func fraction(t *rapid.T, name string) decimal.Decimal {
	return decimal.New(rapid.Int64Range(0, 1e6).Draw(t, name), -6)
}

// rented is a random resource with a price, a schedule, disks, and perhaps a price of
// the tenant's own.
func rented(t *rapid.T) tco.Resource {
	tariff := dollars(decimal.New(rapid.Int64Range(1, 1e9).Draw(t, "price"), -6).String())
	tariff.IncrementSeconds = rapid.SampledFrom([]int64{1, 60, 3600}).Draw(t, "increment")
	tariff.MinimumSeconds = rapid.SampledFrom([]int64{0, 60, 7200}).Draw(t, "minimum")
	tariff.Storage = tco.StorageTariff{Price: decimal.New(rapid.Int64Range(0, 1e6).Draw(t, "disk price"), -7), Unit: catalog.GiB}
	r := tco.Resource{
		Name: "r", Tariff: tariff, Instances: rapid.Int64Range(1, 1000).Draw(t, "instances"),
		Utilization: fraction(t, "utilization"), Lost: fraction(t, "lost"), DiskGB: rapid.Int64Range(0, 5000).Draw(t, "disk"), DiskStays: rapid.Bool().Draw(t, "stays"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "schedule") {
	case 0: // always on
		r.Committed = rapid.Bool().Draw(t, "committed")
		return r
	case 1: // on each day
		r.Committed = rapid.Bool().Draw(t, "committed")
	case 2: // so many days
		r.Schedule.Starts = decimal.NewNullDecimal(decimal.New(rapid.Int64Range(0, 3100).Draw(t, "days"), -2))
	case 3: // runs
		r.Schedule.Starts, r.Schedule.Overlap = decimal.NewNullDecimal(decimal.New(rapid.Int64Range(0, 1e6).Draw(t, "runs"), -3)), true
	}
	r.Schedule.StartSeconds = rapid.Int64Range(1, 86400).Draw(t, "start")
	r.SetupSeconds = rapid.Int64Range(0, r.Schedule.StartSeconds).Draw(t, "setup")
	if rapid.Bool().Draw(t, "own") {
		r.Own, r.OwnTo = catalog.Rate{Num: tariff.Node.Num.Mul(fraction(t, "own price")), Den: dec("1"), Currency: catalog.USD}, tariff.Conversion
	}
	return r
}

// month is the average month or one of the calendar.
func month(t *rapid.T) tco.Month {
	days := rapid.SampledFrom([]int64{0, 28, 29, 30, 31}).Draw(t, "month")
	if days == 0 {
		return tco.AverageMonth()
	}
	share := rapid.Int64Range(1, days).Draw(t, "days of it")
	return tco.Month{
		Seconds: share * 86400, Days: tco.Exact(decimal.NewFromInt(share)),
		Share: tco.Quotient{Num: decimal.NewFromInt(share), Den: decimal.NewFromInt(days)},
	}
}

// TestTimeAddsUp: the time of useful work, interruptions, setup and idling is what is
// billed, and none of it is negative.
func TestTimeAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, m := rented(t), month(t)
		sum := tco.Exact(decimal.Zero)
		for _, item := range r.Items(m) {
			if item.Unit == tco.InstanceHours && item.Line != tco.Discount {
				sum = sum.Plus(item.Quantity)
			}
			if item.Quantity.Num.IsNegative() {
				t.Fatalf("%s is %s/%s", item.Line, item.Quantity.Num, item.Quantity.Den)
			}
		}
		if billed := r.OnHours(m); sum.Cmp(billed) != 0 {
			t.Fatalf("the lines hold %s hours, and %s are billed", sum.Round(12), billed.Round(12))
		}
	})
}

// TestLinesAndMonthsAddUp: lines sum to totals over every span, months to years, and an
// hour is a 730th of a month, to half a unit of each line.
func TestLinesAndMonthsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rented(t)
		items := r.Items(tco.AverageMonth())
		total := tco.Sum(items)
		hour, all := decimal.Zero, decimal.Zero
		for i := range items {
			a := items[i].Amounts()
			if twelve := a.Month.Mul(dec("12")); !a.Year.Equal(twelve) || !a.ThreeYears.Equal(a.Year.Mul(dec("3"))) {
				t.Fatalf("a month of %s is %s, a year %s, three %s", items[i].Line, a.Month, a.Year, a.ThreeYears)
			}
			hour, all = hour.Add(a.Hour), all.Add(a.Month)
		}
		if !hour.Equal(total.Hour) || !all.Equal(total.Month) || !total.Year.Equal(all.Mul(dec("12"))) || !total.ThreeYears.Equal(all.Mul(dec("36"))) {
			t.Fatalf("the lines come to %s an hour and %s a month; the total is %+v", hour, all, total)
		}
		within := decimal.New(int64(len(items)), -tco.Places).Mul(dec("366"))
		if off := hour.Mul(dec("730")).Sub(all).Abs(); off.GreaterThan(within) {
			t.Fatalf("730 hours are %s off a month", off)
		}
		if all.LessThan(decimal.New(-int64(len(items)), -tco.Places).Div(dec("2"))) { // each line is rounded: half a unit at most
			t.Fatalf("the month costs %s", all)
		}
	})
}

// TestOwnPriceOfNothing: each line is rounded once, the discount too, so that a month at a
// price of 0 is nothing but for half a unit a line. Here two lines lose a third of a unit
// each, and the discount gains one.
func TestOwnPriceOfNothing(t *testing.T) {
	r := tco.Resource{
		Name: "r", Tariff: dollars("1"), Instances: 1, Utilization: dec("0.5"),
		Schedule: tco.Schedule{StartSeconds: 2400, Starts: decimal.NewNullDecimal(dec("1")), Overlap: true},
	}
	r.Own, r.OwnTo = catalog.Rate{Num: decimal.Zero, Den: dec("1"), Currency: catalog.USD}, r.Tariff.Conversion
	got := make(map[tco.Line]string)
	items := r.Items(tco.AverageMonth())
	for i := range items {
		got[items[i].Line] = items[i].Amounts().Month.String()
	}
	want := map[tco.Line]string{tco.Instance: "0.3333333333", tco.Idle: "0.3333333333", tco.Discount: "-0.6666666667"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if total := tco.Sum(items).Month; !total.Equal(dec("-0.0000000001")) {
		t.Errorf("the month costs %s", total)
	}
}

// TestEgressAtEveryBoundary: whatever the tiers, cost is continuous at the end of the
// free volume and of every tier, and never falls.
func TestEgressAtEveryBoundary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := catalog.EgressRate{Unit: catalog.GB, Currency: catalog.USD, FreePerMonth: decimal.New(rapid.Int64Range(0, 1e6).Draw(t, "free"), -3)}
		dearest, end := decimal.Zero, decimal.Zero
		boundaries := []decimal.Decimal{rate.FreePerMonth}
		for n := rapid.IntRange(1, 6).Draw(t, "tiers"); n > 0; n-- {
			tier := catalog.EgressTier{Price: decimal.New(rapid.Int64Range(0, 1e6).Draw(t, "price"), -6)}
			if n > 1 {
				end = end.Add(decimal.New(rapid.Int64Range(1, 1e9).Draw(t, "wide"), -4))
				tier.UpTo = decimal.NewNullDecimal(end)
				boundaries = append(boundaries, rate.FreePerMonth.Add(end))
			}
			dearest = decimal.Max(dearest, tier.Price)
			rate.Tiers = append(rate.Tiers, tier)
		}
		step := decimal.New(rapid.Int64Range(1, 1e8).Draw(t, "step"), -9)
		for _, at := range boundaries {
			before, on, after := tco.Egress(rate, decimal.Max(decimal.Zero, at.Sub(step))), tco.Egress(rate, at), tco.Egress(rate, at.Add(step))
			most := step.Mul(dearest)
			if on.LessThan(before) || after.LessThan(on) || on.Sub(before).GreaterThan(most) || after.Sub(on).GreaterThan(most) {
				t.Fatalf("%s GB cost %s; %s less cost %s, as much more %s", at, on, step, before, after)
			}
		}
	})
}
