package catalogtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// exactly compares decimals digit for digit, and times and all else as usual.
func exactly() cmp.Option {
	return cmp.Comparer(func(a, b decimal.Decimal) bool {
		return a.Exponent() == b.Exponent() && a.Coefficient().Cmp(b.Coefficient()) == 0
	})
}

// same fails the test if two values differ.
func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, exactly()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// must fails the test at once if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dec is a decimal.
func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// Snapshot is a small catalogue of a version. The prices of its
// offers are all n, so that a mix of two versions is seen.
func Snapshot(t *testing.T, version catalog.Version, n int) *catalog.Snapshot {
	t.Helper()
	s, err := newSnapshot(version, n)
	must(t, err)
	return s
}

// newSnapshot is what Snapshot is, without a test.
func newSnapshot(version catalog.Version, n int) (*catalog.Snapshot, error) {
	parts := catalog.Parts{
		Version:   version,
		GPUs:      []catalog.GPUModel{{ID: "X1-80GB", Family: "X1", Vendor: "nvidia", Class: catalog.DataCentre, Tier: catalog.TierFlagship, MemoryGB: 80, ECC: catalog.Yes, MIG: catalog.No}},
		Providers: []catalog.Provider{{ID: "p", Name: "P", Class: catalog.Specialist, Compliance: []catalog.Attestation{{Name: "ISO27001", AsOf: catalog.Date{Year: 2026, Month: 2}}}}},
		Regions:   []catalog.Region{{Place: catalog.Place{Provider: "p", Region: "north"}, Country: "NO", Latitude: 59.91}},
		Egress:    []catalog.EgressRate{{Place: catalog.Place{Provider: "p"}, Scope: catalog.ToInternet, Tiers: []catalog.EgressTier{{UpTo: decimal.NewNullDecimal(dec("1000")), Price: dec("0.090")}, {Price: dec("0.05")}}, Unit: catalog.GiB, Currency: "USD"}},
		FX:        []catalog.FXRate{{Currency: "EUR", Month: catalog.Date{Year: 2026, Month: 5}, UnitsPerUSD: dec("0.8600")}},
		Priors:    []catalog.Prior{{Class: catalog.DataCentre, Value: 0.92, Low: 0.9, High: 1}},
		Models:    []catalog.Model{{Name: "tiny-1b", Aliases: []string{"tiny", "org/tiny"}, Params: 1e9, GatedFFN: true}},

		GPUAliases: map[string]catalog.GPUID{"NVIDIA X1-SXM4-80GB": "X1-80GB"},
	}
	for i := range 40 {
		parts.Offers = append(parts.Offers, offer(i, n))
	}
	return catalog.NewSnapshot(parts)
}

// offer is one offer of a catalogue whose prices are all n.
func offer(i, n int) catalog.Offer {
	o := catalog.Offer{
		ID: catalog.OfferID(fmt.Sprintf("p.north.x1-%03d.spot", i)), Place: catalog.Place{Provider: "p", Region: "north"},
		Instance: &catalog.Instance{
			SKU: catalog.SKU(fmt.Sprintf("x1-%03d", i)), Service: catalog.VirtualMachine, GPU: "X1-80GB",
			GPUs: decimal.NewNullDecimal(dec("0.1250")), VRAMPerGPUGB: 10,
		},
		Provenance: &catalog.Provenance{Source: "made up", Licence: "MIT"}, Market: catalog.Spot, Country: "NO",
		Price: catalog.NewPrice(decimal.New(int64(n)*1000, -3), catalog.PerInstanceHour, "EUR"),
		AsOf:  catalog.Date{Year: 2026, Month: 3, Day: int8(1 + i%28)}, Flags: []catalog.Flag{"STALE", "MIN_GPUS"},
	}
	switch i % 4 {
	case 0: // nothing known
		o.Price, o.AsOf, o.Flags, o.GPUs = catalog.Price{}, catalog.Date{}, nil, decimal.NullDecimal{}
	case 1:
		o.AsOf.Day = 0
		o.Interruption = &catalog.Band{Low: decimal.NewNullDecimal(dec("20")), Source: "made up"}
	}
	return o
}

// Incompressible is a catalogue of a version that takes about bytes when stored.
func Incompressible(t *testing.T, version catalog.Version, bytes int) *catalog.Snapshot {
	t.Helper()
	const perModel = 1000
	random := rand.New(rand.NewPCG(1, uint64(bytes)))
	parts := Snapshot(t, version, 1).Parts()
	for i := range bytes / perModel {
		text := make([]byte, perModel)
		for j := range text {
			text[j] = byte(random.Uint32())
		}
		parts.Models = append(parts.Models, catalog.Model{Name: fmt.Sprintf("noise-%d", i), Source: string(text)})
	}
	s, err := catalog.NewSnapshot(parts)
	must(t, err)
	return s
}
