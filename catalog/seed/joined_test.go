package seed_test

import (
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

func TestEarlierPrices(t *testing.T) {
	s := load(t)
	for _, tc := range []struct {
		id                            catalog.OfferID
		points                        int
		asOf, amount, currency, basis string
	}{
		{"aws.us-east-1.g5-12xlarge.on_demand", 1, "2026-01-21", "5.672", "USD", "per_instance_hour"},
		{"aws.us-east-1.p4d-24xlarge.on_demand", 1, "2026-01-21", "21.957642", "USD", "per_instance_hour"},
		{"aws-cn.cn-north-1.p3-16xlarge.on_demand", 1, "2024-11-06", "288.627", "CNY", "per_instance_hour"},
		{"gcp.us-central1.a3-highgpu-1g.spot", 1, "2026-07-30", "6.32619260273973", "USD", "per_instance_hour"},
		{"azure.eastus.standard_nc24ads_a100_v4.on_demand", 0, "", "", "", ""},
		{"autodl.cn.autodl-h20.on_demand", 0, "", "", "", ""}, // a source without a stated licence
	} {
		got := s.History(tc.id)
		if len(got) != tc.points {
			t.Errorf("%s has %d earlier prices, want %d", tc.id, len(got), tc.points)
			continue
		}
		if tc.points == 0 {
			continue
		}
		p := got[0]
		if p.AsOf.String() != tc.asOf || p.Price.Amount.Decimal.String() != tc.amount || string(p.Price.Currency) != tc.currency || string(p.Price.Basis) != tc.basis || p.Source == "" {
			t.Errorf("%s cost %+v, want %s %s %s of %s", tc.id, p, tc.amount, tc.currency, tc.basis, tc.asOf)
		}
	}
	for _, p := range s.Parts().History {
		if o, listed := s.Offer(p.Offer); listed && !p.AsOf.Before(o.AsOf) || !p.Price.Known() {
			t.Errorf("%s has an earlier price of %s at %s", p.Offer, p.AsOf, o.AsOf)
		}
	}
}

func TestBandsWithoutOffers(t *testing.T) {
	s := load(t)
	for _, tc := range []struct {
		region     catalog.RegionID
		sku        catalog.SKU
		low, high  string
		without    bool // an offer
		isOpen, ok bool
	}{
		{"us-east-1", "m5.2xlarge", "10", "15", false, false, true},
		{"us-east-1", "m5.xlarge", "20", "0", false, true, true},
		{"us-east-1", "none.xlarge", "", "", true, false, false},
		{"moon-1", "m5.2xlarge", "", "", true, false, false},
	} {
		at := catalog.Place{Provider: "aws", Region: tc.region}
		b := s.Interruption(at, tc.sku)
		if b.Known() != tc.ok || tc.ok && (b.Low.Decimal.String() != tc.low || b.High.Decimal.String() != tc.high || b.High.Valid == tc.isOpen) {
			t.Errorf("band of %s at %s is %+v, want %s to %s", tc.sku, at, b, tc.low, tc.high)
		}
		if _, listed := s.Offer(catalog.NewOfferID(at, tc.sku, "", catalog.Spot)); listed == tc.without {
			t.Errorf("spot offer of %s at %s is listed: %v", tc.sku, at, listed)
		}
	}
	if n := len(s.Parts().Bands); n != 989 {
		t.Errorf("%d bands, want 989: all that the source states", n)
	}
	for _, o := range s.Offers() {
		if o.Market == catalog.Spot && o.Interruption != s.Interruption(o.Place, o.SKU) {
			t.Errorf("offer %s carries %+v, want the band of its SKU and place", o.ID, o.Interruption)
		}
	}
}

func TestStoppedInstances(t *testing.T) {
	s := load(t)
	for id, want := range map[catalog.ProviderID]catalog.Tri{
		"aws": catalog.No, "gcp": catalog.No, "runpod": catalog.No, "ibm": catalog.No, "vast": catalog.No,
		"vultr": catalog.Yes, "digitalocean": catalog.Yes, "lambda": catalog.Yes,
		"azure": catalog.Unknown, "hyperstack": catalog.Unknown, "tencent": catalog.Unknown, "scaleway": catalog.Unknown,
	} {
		p, _ := s.Provider(id)
		if len(p.Stopped) == 0 || p.Stopped[0].ComputeBilled != want || p.Stopped[0].Text == "" || p.Stopped[0].Source == "" {
			t.Errorf("%s has the rules %+v, want compute billed when stopped: %q", id, p.Stopped, want)
		}
	}
	if p, _ := s.Provider("oci"); len(p.Stopped) != 0 || len(p.Images) != 0 {
		t.Errorf("oci has %+v and %+v, want none: no source states any", p.Stopped, p.Images)
	}
	if p, _ := s.Provider("vast"); len(p.Images) != 1 || p.Images[0].Item != "recommended templates" {
		t.Errorf("vast has the images %+v, want its templates", p.Images)
	}
	if p, _ := s.Provider("aws"); len(p.Images) != 0 {
		t.Errorf("aws has the images %+v, want none: the one that is known is another's", p.Images)
	}
}

func TestFabrics(t *testing.T) {
	s := load(t)
	for _, tc := range []struct {
		provider catalog.ProviderID
		sku      catalog.SKU
		gbs      float64
		name     string
	}{
		{"aws", "p4d.24xlarge", 50, "EFA v1"},
		{"aws", "p5.48xlarge", 400, "EFA v2"},
		{"aws", "p5.4xlarge", 0, ""},
		{"aws", "p6-b300.48xlarge", 800, "EFA v4"},
		{"aws-cn", "p4d.24xlarge", 0, ""},
		{"azure", "Standard_ND96isr_H100_v5", 400, "InfiniBand Quantum-2 CX7"},
		{"azure", "Standard_NC40ads_H100_v5", 0, ""},
		{"gcp", "a3-highgpu-8g", 100, "GPUDirect-TCPX"},
		{"gcp", "a3-highgpu-1g", 0, ""},
		{"gcp", "a3-megagpu-8g", 200, "GPUDirect-TCPXO"},
		{"ibm", "gx3d-160x1792x8h100", 400, "RoCE v2"},
		{"ibm", "gx3d-160x1792x8h200", 0, ""}, // two pages of the source contradict each other
		{"oci", "BM.GPU.A100-v2.8", 200, "RoCE"},
		{"runpod", "runpod:h100-sxm", 0, ""}, // Pods have no cluster's network
		{"coreweave", "coreweave:h100", 0, ""},
	} {
		o := catalog.Offer{Place: catalog.Place{Provider: tc.provider}, Instance: &catalog.Instance{SKU: tc.sku}}
		f, known := s.Fabric(&o)
		if known != (tc.gbs > 0) || f.GBs != tc.gbs || f.Name != tc.name || known && f.Source == "" {
			t.Errorf("fabric of %s %s is %+v (%v), want %g GB/s %s", tc.provider, tc.sku, f, known, tc.gbs, tc.name)
		}
	}
}
