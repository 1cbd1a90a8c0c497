package tco_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// awsTiers are the published steps of AWS internet egress in us-east-1, 2024-09.
func awsTiers(unit catalog.VolumeUnit, free string) catalog.EgressRate {
	upTo := func(text string) decimal.NullDecimal { return decimal.NewNullDecimal(dec(text)) }
	return catalog.EgressRate{
		Unit: unit, FreePerMonth: dec(free), Currency: catalog.USD,
		Tiers: []catalog.EgressTier{
			{UpTo: upTo("10240"), Price: dec("0.09")},
			{UpTo: upTo("51200"), Price: dec("0.085")},
			{UpTo: upTo("153600"), Price: dec("0.07")},
			{Price: dec("0.05")},
		},
	}
}

// TestEgressTiers has the volumes at which a tool that subtracts a tier's floor
// instead of capping it goes wrong: there the first GB is a free tier of its own
// and bounds count all traffic.
func TestEgressTiers(t *testing.T) {
	rate := awsTiers(catalog.GB, "0")
	rate.Tiers = append([]catalog.EgressTier{{UpTo: decimal.NewNullDecimal(dec("1"))}}, rate.Tiers...)
	for _, row := range []struct{ gb, want string }{
		{"0", "0"},
		{"1", "0"},
		{"10240", "921.51"},    // 10 TiB
		{"50176", "4316.07"},   // 49 TiB
		{"51200", "4403.11"},   // 50 TiB
		{"61440", "5119.91"},   // 60 TiB
		{"154624", "11622.31"}, // 151 TiB
	} {
		if got := tco.Egress(rate, dec(row.gb)); !got.Equal(dec(row.want)) {
			t.Errorf("%s GB: got %s, want %s", row.gb, got, row.want)
		}
	}
}

// TestFreeAllowance: tiers count from the end of the allowance.
func TestFreeAllowance(t *testing.T) {
	for _, row := range []struct{ gb, want string }{
		{"50", "0"}, {"100", "0"}, {"101", "0.09"}, {"10340", "921.6"}, {"10341", "921.685"},
	} {
		if got := tco.Egress(awsTiers(catalog.GB, "100"), dec(row.gb)); !got.Equal(dec(row.want)) {
			t.Errorf("%s GB: got %s, want %s", row.gb, got, row.want)
		}
	}
}

func TestInUnit(t *testing.T) {
	if got := tco.InUnit(dec("1.073741824"), catalog.GiB); !got.Equal(dec("1")) {
		t.Errorf("2^30 bytes: got %s GiB, want 1", got)
	}
	if got := tco.InUnit(dec("5"), catalog.GB); !got.Equal(dec("5")) {
		t.Errorf("5 GB: got %s, want 5", got)
	}
}

// TestEgressGrows: the cost never falls, never jumps, and parts of a month add up.
func TestEgressGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := awsTiers(rapid.SampledFrom([]catalog.VolumeUnit{catalog.GB, catalog.GiB}).Draw(t, "unit"), rapid.SampledFrom([]string{"0", "1", "100"}).Draw(t, "free"))
		boundary := rapid.SampledFrom([]int64{0, 1, 100, 10240, 10241, 51200, 51300, 153600, 153601}).Draw(t, "near")
		a := decimal.Max(decimal.Zero, decimal.New(boundary*1e6+rapid.Int64Range(-2e6, 2e6).Draw(t, "offset"), -6))
		step := decimal.New(rapid.Int64Range(0, 1e6).Draw(t, "step"), -6)
		low, high := tco.Egress(rate, a), tco.Egress(rate, a.Add(step))
		if high.LessThan(low) {
			t.Fatalf("egress falls from %s to %s", low, high)
		}
		if high.Sub(low).GreaterThan(step.Mul(dec("0.09"))) {
			t.Fatalf("egress jumps by %s over %s GB", high.Sub(low), step)
		}
		if sum := low.Add(tco.EgressAfter(rate, a, step)); !sum.Equal(high) {
			t.Fatalf("parts sum to %s, the month costs %s", sum, high)
		}
	})
}

// TestLinear: where Linear says so, what left before changes nothing.
func TestLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := awsTiers(catalog.GB, rapid.SampledFrom([]string{"0", "100"}).Draw(t, "free"))
		used := decimal.NewFromInt(rapid.Int64Range(0, 12000).Draw(t, "used"))
		gb := decimal.NewFromInt(rapid.Int64Range(0, 200).Draw(t, "gb"))
		if tco.Linear(rate, used.Add(gb)) && !tco.EgressAfter(rate, used, gb).Equal(tco.Egress(rate, gb)) {
			t.Fatalf("%s GB after %s differ from %s GB alone", gb, used, gb)
		}
	})
}
