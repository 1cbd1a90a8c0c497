package convert

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/schemas"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		d    decimal.Decimal
		want string
	}{
		{decimal.RequireFromString("1.50"), "1.50"},
		{decimal.RequireFromString("0.0000000001"), "0.0000000001"},
		{decimal.New(5, 3), "5000"},
		{decimal.New(-125, -2), "-1.25"},
		{decimal.Zero, "0"},
		{decimal.New(0, -10), "0"},
		{decimal.RequireFromString("123456789012345.123456789012"), "123456789012345.123456789012"},
	} {
		if got := amount(c.d); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestHours(t *testing.T) {
	for seconds, want := range map[int64]string{0: "0.0000", 1: "0.0003", 9: "0.0025", 3600: "1.0000", 3601: "1.0003", 604800: "168.0000", 1e12: "277777777.7778"} {
		if got := hours(seconds); got != want {
			t.Errorf("hours(%d) = %s, want %s", seconds, got, want)
		}
	}
}

// A duration that is shown, given back as a deadline, allows the duration.
func TestHoursMakeADeadline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(0, 1e12).Draw(t, "seconds")
		back := decimal.RequireFromString(hours(seconds)).Mul(decimal.NewFromInt(3600)).IntPart()
		if back < seconds || back > seconds+1 {
			t.Errorf("%d s are shown as %s h, which are %d s", seconds, hours(seconds), back)
		}
	})
}

func TestTrimmed(t *testing.T) {
	for _, c := range []struct {
		x      float64
		places int
		want   string
	}{{26, 9, "26"}, {1.5, 3, "1.5"}, {0.0004, 3, "0"}, {1000, 0, "1000"}, {2.8610229, 3, "2.861"}} {
		if got := trimmed(c.x, c.places); got != c.want {
			t.Errorf("trimmed(%v, %d) = %s, want %s", c.x, c.places, got, c.want)
		}
	}
}

// offerIn writes an offer of the small catalogue in a currency.
func offerIn(t *testing.T, currency catalog.Currency, id catalog.OfferID) schemas.Offer {
	t.Helper()
	s := smallCatalogue(t)
	market, ok := candidate.NewMarket(s, currency)
	if !ok {
		t.Fatalf("no rate for %s", currency)
	}
	for i := range market.Quotes() {
		if q := &market.Quotes()[i]; q.Offer.ID == id {
			return writer{snapshot: s, currency: currency, computedAt: at()}.offer(q.Offer, quoted(q))
		}
	}
	t.Fatalf("no offer %s", id)
	return schemas.Offer{}
}

func TestPrices(t *testing.T) {
	for _, c := range []struct {
		name                        string
		id                          catalog.OfferID
		currency                    catalog.Currency
		instance, gpu, native, from string
	}{
		{"per instance", "aws.us-east-1.p4d-24xlarge.on_demand", "USD", "21.9570", "2.7446250000", "21.9570 USD", "price_per_gpu_hour"},
		{"per GPU", "lambda.us-south-1.gpu_8x_h100.on_demand", "USD", "23.92", "2.99", "2.99 USD", "price_per_instance_hour"},
		{"per month", "aws.us-east-1.p4d-24xlarge.reserved_1y", "USD", "13.6986301370", "1.7123287671", "10000.00 USD", "price_per_instance_hour price_per_gpu_hour"},
		{"a least number of GPUs", "lambda.us-south-1.gpu_cluster_h100.on_demand", "USD", "36.64", "2.29", "2.29 USD", "price_per_instance_hour"},
		{"no GPU", "hetzner.fsn1.cx43.on_demand", "EUR", "0.0314", "-", "0.0314 EUR", ""},
		{"another currency", "hetzner.fsn1.cx43.on_demand", "USD", "0.0348888889", "-", "0.0314 EUR", "price_per_instance_hour"},
		{"of two currencies", "alibaba.cn-hangzhou.ecs-gn7e.on_demand", "EUR", "4.4357142857", "4.4357142857", "34.50 CNY", "price_per_instance_hour price_per_gpu_hour"},
		{"a part of a GPU", "aws.us-east-1.g6f-large.on_demand", "USD", "0.2025", "1.6200000000", "0.2025 USD", "price_per_gpu_hour"},
		{"no price", "lambda.us-south-1.gpu_1x_a100_old.on_demand", "USD", "-", "-", "- USD", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := offerIn(t, c.currency, c.id)
			got := []string{text(o.PricePerInstanceHour), text(o.PricePerGPUHour), text(o.NativePrice) + " " + o.NativeCurrency, strings.Join(o.Derived, " ")}
			if diff := cmp.Diff([]string{c.instance, c.gpu, c.native, c.from}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if o.Currency != string(c.currency) {
				t.Errorf("got currency %s", o.Currency)
			}
		})
	}
}

// text shows a text that may be null.
func text(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func TestHardwareOfOneInstance(t *testing.T) {
	cluster := offerIn(t, "USD", "lambda.us-south-1.gpu_cluster_h100.on_demand")
	if string(*cluster.GPUCount) != "16" || string(*cluster.VCPU) != "416" || *cluster.RAMGB != "3600" || *cluster.VRAMTotalGB != "1280" || *cluster.Interconnect != "nvlink" {
		t.Errorf("got %+v", cluster)
	}
	part := offerIn(t, "USD", "aws.us-east-1.g6f-large.on_demand")
	if string(*part.GPUCount) != "0.125" || string(*part.VCPU) != "2" || part.Interconnect != nil {
		t.Errorf("got %+v", part)
	}
	cpu := offerIn(t, "USD", "aws.us-east-1.c5-2xlarge.spot")
	if cpu.GPU != nil || cpu.GPUCount != nil || cpu.Tier != nil || cpu.ECC != nil || cpu.VRAMTotalGB != nil || cpu.InterruptionPct != nil {
		t.Errorf("got %+v", cpu)
	}
	market := offerIn(t, "USD", "vast.us.rtx-4090.on_demand")
	if market.BillingIncrementS != nil || market.AsOf != nil || market.AgeDays != nil || market.Stale != nil || market.Availability != "unknown" {
		t.Errorf("got %+v", market)
	}
}

func TestInterruptionBands(t *testing.T) {
	closed := offerIn(t, "USD", "aws.us-east-1.p4d-24xlarge.spot").InterruptionPct
	if *closed[0] != "5" || *closed[1] != "10" {
		t.Errorf("got %v", closed)
	}
	open := offerIn(t, "USD", "aws.us-east-1.g4dn-xlarge.spot").InterruptionPct
	if *open[0] != "20" || open[1] != nil {
		t.Errorf("got %v", open)
	}
}

func TestAge(t *testing.T) {
	o := offerIn(t, "USD", "aws.us-east-1.p4d-24xlarge.on_demand")
	if *o.AsOf != "2026-07-30" || *o.AgeDays != 82 || *o.Stale {
		t.Errorf("got %s, %d days, stale %t", *o.AsOf, *o.AgeDays, *o.Stale)
	}
	old := offerIn(t, "USD", "alibaba.cn-hangzhou.ecs-gn7e.on_demand")
	if *old.AgeDays != 224 || !*old.Stale {
		t.Errorf("got %d days, stale %t", *old.AgeDays, *old.Stale)
	}
	if month := offerIn(t, "USD", "lambda.us-south-1.gpu_1x_a100.on_demand"); *month.AsOf != "2026-08" || *month.AgeDays != 80 {
		t.Errorf("got %s, %d days", *month.AsOf, *month.AgeDays)
	}
}

func TestPlanSetID(t *testing.T) {
	id := func(version catalog.Version, request schemas.RecommendRequest, at time.Time) string {
		id, err := planSetID(engine.Answer{CatalogVersion: version, ComputedAt: at}, request)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	base := id("v1", schemas.RecommendRequest{Currency: "USD"}, at())
	if len(base) != 19 || !strings.HasPrefix(base, "ps_") {
		t.Errorf("got %s", base)
	}
	if again := id("v1", schemas.RecommendRequest{Currency: "USD"}, at().In(time.FixedZone("", 7200))); again != base {
		t.Error("another zone gives another id")
	}
	for name, other := range map[string]string{
		"catalogue": id("v2", schemas.RecommendRequest{Currency: "USD"}, at()),
		"request":   id("v1", schemas.RecommendRequest{Currency: "EUR"}, at()),
		"instant":   id("v1", schemas.RecommendRequest{Currency: "USD"}, at().Add(time.Nanosecond)),
	} {
		if other == base {
			t.Errorf("another %s gives the same id", name)
		}
	}
}
