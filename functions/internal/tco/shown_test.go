package tco

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func TestShown(t *testing.T) {
	for _, c := range []struct {
		name           string
		amounts, shown string
		places         int32
	}{
		{"thirds", "0.3333 0.3333 0.3334", "0.33 0.33 0.34", 2},
		{"the first of equals", "0.005 0.005", "0.01 0", 2},
		{"two halves make one", "0.5 0.5 0.5 0.5", "1 1 0 0", 0},
		{"a discount", "10.005 -1.001", "10.00 -1", 2},
		{"zeros stay", "0 0.004 0 0.004", "0 0.01 0 0", 2},
		{"half to even", "0.125", "0.12", 2},
		{"nothing", "", "", 2},
		{"large units", "149 149 149", "200 100 100", -2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Shown(decimals(c.amounts), c.places)
			want := decimals(c.shown)
			if len(got) != len(want) {
				t.Fatalf("got %v, want %v", got, want)
			}
			for i := range got {
				if !got[i].Equal(want[i]) {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
}

func TestShownAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.Int32Range(0, 4).Draw(t, "places")
		var amounts []decimal.Decimal
		for _, n := range rapid.SliceOf(rapid.Int64Range(-1e9, 1e12)).Draw(t, "amounts") {
			amounts = append(amounts, decimal.New(n, -6))
		}
		shown := Shown(amounts, places)
		exact, sum := decimal.Zero, decimal.Zero
		unit := decimal.New(1, -places)
		for i := range amounts {
			exact, sum = exact.Add(amounts[i]), sum.Add(shown[i])
			if off := shown[i].Sub(amounts[i]).Abs(); off.GreaterThanOrEqual(unit) {
				t.Errorf("%s is shown as %s", amounts[i], shown[i])
			}
			if amounts[i].IsZero() && !shown[i].IsZero() {
				t.Errorf("zero is shown as %s", shown[i])
			}
		}
		if want := exact.RoundBank(places); !sum.Equal(want) {
			t.Errorf("%v is shown as %v: got sum %s, want %s", amounts, shown, sum, want)
		}
	})
}

// decimals reads decimals that spaces separate.
func decimals(text string) []decimal.Decimal {
	var all []decimal.Decimal
	for word := range strings.FieldsSeq(text) {
		all = append(all, decimal.RequireFromString(word))
	}
	return all
}

func TestAppendPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`-?[0-9]{1,25}`).Draw(t, "digits")
		d := decimal.RequireFromString(digits).Shift(rapid.Int32Range(-25, 3).Draw(t, "shift"))
		want := d.StringFixed(max(0, -d.Exponent()))
		if d.IsZero() {
			want = "0"
		}
		if got := string(AppendPlain([]byte("at "), d)); got != "at "+want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}
