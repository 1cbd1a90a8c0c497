package display

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/schemas"
)

// Every reason of rejection is said in words.
func TestReasonsHaveWords(t *testing.T) {
	source, err := os.ReadFile("../candidate/constraints.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`Reason = "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 20 {
		t.Fatalf("found %d reasons", len(codes))
	}
	for _, code := range codes {
		if Reason(code[1]) == code[1] {
			t.Errorf("%s has no words", code[1])
		}
	}
	if got := Reason("no_such_code"); got != "no_such_code" {
		t.Errorf("a code without words becomes %q", got)
	}
}

// plan has three stages whose lines round down one by one.
func plan() *schemas.Plan {
	stage := func(instance, idle string) schemas.Stage {
		return schemas.Stage{Cost: schemas.Cost{Instance: instance, Idle: idle, Storage: "0", Network: "0",
			Interruption: "0", Setup: "0.004", Verification: "0", Discount: "0"}}
	}
	return &schemas.Plan{Stages: []schemas.Stage{stage("1.004", "0"), stage("0.333", "0.001"), stage("0.664", "0")}}
}

func TestBillAddsUp(t *testing.T) {
	b := BillOf(plan(), "USD")
	if diff := cmp.Diff([]string{"instance", "setup"}, b.Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	total := decimal.Zero
	for i, cells := range b.Cells {
		sum := decimal.Zero
		for _, cell := range cells {
			sum = sum.Add(Exact(cell))
		}
		if !sum.Equal(Exact(b.Stages[i])) {
			t.Errorf("stage %d: %v add up to %s, shown is %s", i, cells, sum, b.Stages[i])
		}
		total = total.Add(sum)
	}
	for _, sum := range b.Sums {
		total = total.Sub(Exact(sum))
	}
	if !total.IsZero() || b.Total != "2.01" {
		t.Errorf("lines and stages differ by %s; the total is %s, want 2.01", total, b.Total)
	}
}

// Yen have no minor unit.
func TestBillInYen(t *testing.T) {
	if b := BillOf(plan(), "JPY"); b.Total != "2" || strings.Contains(strings.Join(b.Sums, ""), ".") {
		t.Errorf("got %+v", b)
	}
}

func TestBaseline(t *testing.T) {
	text := func(s string) *string { return &s }
	two := []schemas.Stage{{}, {}}
	for _, c := range []struct {
		name string
		plan schemas.Plan
		want string
	}{
		{"one stage", schemas.Plan{Stages: two[:1]}, ""},
		{"it does not run there", schemas.Plan{Stages: two}, "none; the whole job can't run on the main stage's node."},
		{"cheaper", schemas.Plan{Stages: two, Baseline: &schemas.Baseline{Description: "all on one node", Total: "2"}, SavingsPct: text("20.5")},
			"all on one node; 2.00 USD. The plan saves 20.5%."},
		{"dearer", schemas.Plan{Stages: two, Baseline: &schemas.Baseline{Description: "all on one node", Total: "2"}, SavingsPct: text("-3")},
			"all on one node; 2.00 USD. The plan costs 3% more."},
	} {
		if got := Baseline(&c.plan, "USD"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Amounts are put so that they can be read and compared.
func TestAmountsAreReadable(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{Grouped("1234567.5"), "1,234,567.5"}, {Grouped("-1234"), "-1,234"}, {Grouped("999"), "999"}, {Grouped("100000"), "100,000"},
		{Hourly("2.5"), "2.50"}, {Hourly("0.339"), "0.3390"}, {Hourly("0.00012"), "0.000120"}, {Hourly("12345.678"), "12,345.6780"}, {Hourly("0"), "0.00"},
		{Percent("0.6134"), "61.3%"}, {Percent("-0.02"), "-2.0%"}, {Per("per_gpu_hour"), "GPU-hour"},
	} {
		if row.got != row.want {
			t.Errorf("got %s, want %s", row.got, row.want)
		}
	}
}
