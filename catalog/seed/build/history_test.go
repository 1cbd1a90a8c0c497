package main

import (
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// priceOf is a row of an offer's price, written "id date price licence".
func priceOf(t *testing.T, text string) offer {
	t.Helper()
	cells := strings.Split(text, " ")
	asOf, err := catalog.ParseDate(strings.TrimPrefix(cells[1], "undated"))
	if err != nil {
		t.Fatal(err)
	}
	return offer{
		id: catalog.OfferID(cells[0]), asOf: asOf, amount: cells[2], basis: catalog.PerInstanceHour, currency: "USD",
		source: citation{"s " + cells[2], cells[3]},
	}
}

func TestEarlier(t *testing.T) {
	for _, tc := range []struct {
		name                string
		old, others         []string // superseded rows and all others, the kept one among them
		kept                string
		want                string
		closed, withoutDate int
	}{
		{"an older row", nil, []string{"a 2026-05-01 2 MIT", "a 2026-07-01 1 MIT"}, "a 2026-07-01 1 MIT", "a 2026-05-01 2", 0, 0},
		{"a superseded row", []string{"a 2026-05-01 2 MIT"}, nil, "a 2026-07-01 1 MIT", "a 2026-05-01 2", 0, 0},
		{"the oldest comes first", []string{"a 2026-05-01 2 MIT", "a 2026-01 3 MIT"}, nil, "a 2026-07-01 1 MIT", "a 2026-01 3, a 2026-05-01 2", 0, 0},
		{"a row that stands in is not earlier than itself", []string{"a 2026-07-01 1 MIT"}, nil, "a 2026-07-01 1 MIT", "", 0, 0},
		{"a newer row", nil, []string{"a 2026-08-01 2 none"}, "a 2026-07-01 1 MIT", "", 0, 0},
		{"a closed source", []string{"a 2026-05-01 2 none"}, nil, "a 2026-07-01 1 MIT", "", 1, 0},
		{"no date", []string{"a undated 2 MIT"}, nil, "a 2026-07-01 1 MIT", "", 0, 1},
		{"an offer without a date", nil, []string{"a 2026-05-01 2 MIT"}, "a undated 1 MIT", "", 0, 0},
		{"superseded by a closed source", []string{"b 2026-05-01 2 MIT"}, nil, "a 2026-07-01 1 MIT", "b 2026-05-01 2", 0, 0},
		{"kept out for another reason", nil, []string{"b 2026-05-01 2 MIT"}, "a 2026-07-01 1 MIT", "", 0, 0},
		{"two sources agree", []string{"a 2026-05-01 2 MIT", "a 2026-05-01 2.0 MIT"}, nil, "a 2026-07-01 1 MIT", "a 2026-05-01 2", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var old, others []offer
			for _, text := range tc.old {
				old = append(old, priceOf(t, text))
			}
			for _, text := range tc.others {
				others = append(others, priceOf(t, text))
			}
			r := newReport()
			var got []string
			for _, o := range earlier(old, others, []offer{priceOf(t, tc.kept)}, &r) {
				got = append(got, string(o.id)+" "+o.asOf.String()+" "+o.amount)
			}
			if strings.Join(got, ", ") != tc.want {
				t.Errorf("got %q, want %q", strings.Join(got, ", "), tc.want)
			}
			if closed, undated := r.out["history: source without a stated licence"], r.out["history: no date"]; closed != tc.closed || undated != tc.withoutDate {
				t.Errorf("kept out %d closed and %d undated, want %d and %d", closed, undated, tc.closed, tc.withoutDate)
			}
		})
	}
}

func TestStatement(t *testing.T) {
	for _, tc := range []struct{ value, unit, note, want string }{
		{"billed until destroyed", "text", "", "billed until destroyed"},
		{"0.20", "USD/GB-month", "", "0.20 USD/GB-month"},
		{"no charge", "text", "one page says so", "no charge (one page says so)"},
	} {
		got := statement(extra{row: recordOf("value="+tc.value, "unit="+tc.unit, "note="+tc.note)})
		if got != tc.want {
			t.Errorf("statement is %q, want %q", got, tc.want)
		}
	}
}
