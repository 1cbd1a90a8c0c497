package forecast_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/functions/internal/forecast"
)

// column is what the specification says of one column: whether it may be null, and
// which form or values it has. They are of FOCUS 1.2, "Columns".
type column struct {
	name     string
	nullable bool
	form     string // a regular expression; "" for any text
}

const (
	number  = `-?[0-9]+(\.[0-9]+)?`
	instant = `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z`
)

// mandatory are the columns that every dataset has, and conditional those that ours
// must have because of what it is about.
var (
	mandatory = []column{
		{"BilledCost", false, number}, {"BillingAccountId", false, ""}, {"BillingAccountName", true, ""}, {"BillingCurrency", false, "[A-Z]{3}"},
		{"BillingPeriodEnd", false, instant}, {"BillingPeriodStart", false, instant},
		{"ChargeCategory", false, "Usage|Purchase|Tax|Credit|Adjustment"}, {"ChargeClass", true, "Correction"}, {"ChargeDescription", true, ""},
		{"ChargePeriodEnd", false, instant}, {"ChargePeriodStart", false, instant}, {"ContractedCost", false, number}, {"EffectiveCost", false, number},
		{"InvoiceIssuerName", false, ""}, {"ListCost", false, number}, {"PricingQuantity", true, number}, {"PricingUnit", true, ""},
		{"ProviderName", false, ""}, {"PublisherName", false, ""},
		{"ServiceCategory", false, "AI and Machine Learning|Analytics|Business Applications|Compute|Databases|Developer Tools|Multicloud|Identity|Integration|" +
			"Internet of Things|Management and Governance|Media|Migration|Mobile|Networking|Security|Storage|Web|Other"},
		{"ServiceName", false, ""},
	}
	conditional = []column{
		{"BillingAccountType", true, ""}, {"ChargeFrequency", false, "One-Time|Recurring|Usage-Based"},
		{"CommitmentDiscountCategory", true, "Spend|Usage"}, {"CommitmentDiscountId", true, ""}, {"CommitmentDiscountName", true, ""},
		{"CommitmentDiscountQuantity", true, number}, {"CommitmentDiscountStatus", true, "Used|Unused"}, {"CommitmentDiscountType", true, ""},
		{"CommitmentDiscountUnit", true, ""}, {"ConsumedQuantity", true, number}, {"ConsumedUnit", true, ""}, {"ContractedUnitPrice", true, number},
		{"ListUnitPrice", true, number}, {"PricingCategory", true, "Standard|Dynamic|Committed|Other"}, {"RegionId", true, ""}, {"RegionName", true, ""},
		{"ResourceId", true, ""}, {"ResourceName", true, ""}, {"ResourceType", true, ""}, {"ServiceSubcategory", true, ""}, {"SkuId", true, ""},
		{"SkuMeter", true, ""}, {"SkuPriceId", true, ""}, {"SubAccountId", true, ""}, {"SubAccountName", true, ""}, {"Tags", true, `\{.*\}`},
	}
)

// focusRule is what the specification says of the columns of a row together.
type focusRule struct {
	name  string
	holds func(row map[string]string) bool
}

// product reports whether two columns multiply to a third exactly; a null unit price
// asks nothing.
func product(price, cost string) func(map[string]string) bool {
	return func(r map[string]string) bool {
		return r[price] == "" || dec(r[price]).Mul(dec(r["PricingQuantity"])).Equal(dec(r[cost]))
	}
}

var focusRules = []focusRule{
	{"ListUnitPrice x PricingQuantity is ListCost", product("ListUnitPrice", "ListCost")},
	{"ContractedUnitPrice x PricingQuantity is ContractedCost", product("ContractedUnitPrice", "ContractedCost")},
	{"usage and purchases have prices, quantities and SKUs", func(r map[string]string) bool {
		if r["ChargeCategory"] != "Usage" && r["ChargeCategory"] != "Purchase" {
			return true
		}
		return !slices.ContainsFunc([]string{"ListUnitPrice", "PricingQuantity", "PricingUnit", "PricingCategory", "SkuId", "SkuPriceId"}, func(c string) bool { return r[c] == "" })
	}},
	{"a credit without a price costs what is listed", func(r map[string]string) bool {
		return r["ChargeCategory"] != "Credit" || r["ListUnitPrice"] == "" && r["ListCost"] == r["BilledCost"]
	}},
	{"only usage is consumed, and what a commitment leaves unused is not", func(r map[string]string) bool {
		used := r["ChargeCategory"] == "Usage" && r["CommitmentDiscountStatus"] != "Unused"
		return (r["ConsumedQuantity"] != "") == used && (r["ConsumedUnit"] != "") == used
	}},
	{"committed prices are of commitments, and their purchases are not committed", func(r map[string]string) bool {
		committed := r["CommitmentDiscountId"] != "" && r["ChargeCategory"] == "Usage"
		return (r["PricingCategory"] == "Committed") == committed && (r["CommitmentDiscountStatus"] != "") == committed
	}},
	{"what belongs to a commitment says all of it", func(r map[string]string) bool {
		has := r["CommitmentDiscountId"] != ""
		return !slices.ContainsFunc([]string{"Category", "Name", "Type", "Quantity", "Unit"}, func(c string) bool { return (r["CommitmentDiscount"+c] != "") != has })
	}},
	{"what a commitment covers is billed by its purchase, which costs nothing itself", func(r map[string]string) bool {
		switch {
		case r["CommitmentDiscountId"] == "":
			return r["BilledCost"] == r["EffectiveCost"]
		case r["ChargeCategory"] == "Purchase":
			return r["EffectiveCost"] == "0" && r["ChargeFrequency"] == "Recurring"
		default:
			return r["BilledCost"] == "0"
		}
	}},
	{"spot is dynamic", func(r map[string]string) bool {
		return strings.HasSuffix(r["SkuPriceId"], ".spot") == (r["PricingCategory"] == "Dynamic") || r["ChargeCategory"] == "Credit"
	}},
	{"quantities and unit prices are not negative", func(r map[string]string) bool {
		return !strings.HasPrefix(r["PricingQuantity"], "-") && !strings.HasPrefix(r["ListUnitPrice"], "-")
	}},
	{"a charge lies within its billing period", func(r map[string]string) bool {
		return r["ChargePeriodStart"] >= r["BillingPeriodStart"] && r["ChargePeriodEnd"] <= r["BillingPeriodEnd"] && r["ChargePeriodStart"] < r["ChargePeriodEnd"]
	}},
	{"tags are an object of texts", func(r map[string]string) bool {
		return json.Unmarshal([]byte(r["Tags"]), new(map[string]string)) == nil
	}},
	{"it says that it is a forecast", func(r map[string]string) bool { return r["x_Forecast"] == "true" }},
}

// TestFocusRules holds the export against the specification.
func TestFocusRules(t *testing.T) {
	s := small(t)
	f := mixed(t, s)
	header, rows := rowsOf(t, forecast.Focus(&f, forecast.Focus12, s))
	for _, c := range slices.Concat(mandatory, conditional) {
		if !slices.Contains(header, c.name) {
			t.Errorf("there is no column %s", c.name)
		}
		form := regexp.MustCompile("^(" + c.form + ")$")
		for _, row := range rows {
			if cell := row[c.name]; cell == "" && !c.nullable || cell != "" && c.form != "" && !form.MatchString(cell) {
				t.Errorf("%s is %q", c.name, cell)
			}
		}
	}
	for _, rule := range focusRules {
		for _, row := range rows {
			if !rule.holds(row) {
				t.Errorf("%s: %v", rule.name, row)
			}
		}
	}
	first := slices.IndexFunc(header, func(c string) bool { return strings.HasPrefix(c, "x_") })
	if !slices.IsSorted(header[:first]) || slices.ContainsFunc(header[first:], func(c string) bool { return !strings.HasPrefix(c, "x_") }) {
		t.Errorf("the columns are not the specification's in order and then ours: %v", header)
	}
	seen := make(map[string]int)
	for _, row := range rows {
		seen[row["PricingCategory"]+" "+row["ChargeCategory"]+" "+row["CommitmentDiscountStatus"]]++
	}
	for _, kind := range []string{"Standard Usage ", "Dynamic Usage ", "Committed Usage Used", "Committed Usage Unused", "Standard Purchase ", " Credit "} {
		if seen[kind] == 0 {
			t.Errorf("no row is %q: %v", kind, seen)
		}
	}
}

// TestFocusAddsUp: what is billed and what it effectively costs each add up to the
// forecast, in both versions.
func TestFocusAddsUp(t *testing.T) {
	s := small(t)
	f := mixed(t, s)
	for _, version := range []forecast.FocusVersion{forecast.Focus12, forecast.Focus13} {
		header, rows := rowsOf(t, forecast.Focus(&f, version, s))
		for _, name := range []string{"HostProviderName", "ServiceProviderName"} {
			if slices.Contains(header, name) != (version == forecast.Focus13) {
				t.Errorf("%s is not right about %s", version, name)
			}
		}
		for _, cost := range []string{"BilledCost", "EffectiveCost"} {
			sum := decimal.Zero
			for _, row := range rows {
				sum = sum.Add(dec(row[cost]))
			}
			if want := f.Total.Expected.Decimal(); !sum.Equal(want) {
				t.Errorf("%s: %s adds up to %s, the forecast is %s", version, cost, sum, want)
			}
		}
	}
}

// misnamed are columns that the validator calls as no version of the specification
// does, with the names that it has for them.
var misnamed = map[string]string{
	"InvoiceIssuer": "InvoiceIssuerName", "Provider": "ProviderName", "Publisher": "PublisherName", "ResourceID": "ResourceId", "ChargeType": "ChargeCategory",
}

// TestFocusValidator has the FinOps Foundation's validator look at the file. Its
// released version knows FOCUS 1.0, whose columns later ones only add to.
func TestFocusValidator(t *testing.T) {
	places, err := filepath.Glob("../../../.venv/lib/python3*/site-packages/focus_validator")
	if err != nil || len(places) == 0 {
		t.Fatalf("focus-validator is not installed: run \"make venv\", or \"make test\", which does so first: %v", err)
	}
	s := small(t)
	f := mixed(t, s)
	header, rows := rowsOf(t, forecast.Focus(&f, forecast.Focus12, s))
	names := slices.Sorted(maps.Keys(misnamed))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(slices.Concat(header, names))
	for _, row := range rows {
		var cells []string
		for _, column := range header {
			cells = append(cells, row[column])
		}
		for _, name := range names {
			cells = append(cells, row[misnamed[name]])
		}
		_ = w.Write(cells)
	}
	w.Flush()
	path := filepath.Join(t.TempDir(), "focus.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	validator, err := filepath.Abs("../../../.venv/bin/focus-validator")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), validator, "--data-file", path, "--validate-version", "1.0")
	command.Dir = filepath.Dir(places[0]) // it looks for its list of currencies below the working directory
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "Validation succeeded") {
		t.Errorf("%v\n%s", err, out)
	}
}
