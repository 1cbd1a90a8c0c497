package convert

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
)

// A cursor is read as it was written, by the query and the version that it is of.
func TestCursor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := func(label string) catalog.Query {
			return catalog.Query{
				GPUs: rapid.SampledFrom([][]catalog.GPUID{nil, {""}, {"X"}, {"X", "Y"}}).Draw(t, label+" GPUs"),
				Sort: rapid.SampledFrom(catalog.Sorts()).Draw(t, label+" sort"),
				Text: rapid.SampledFrom([]string{"", "x", "\xff", "\ufffd"}).Draw(t, label+" text"),
			}
		}
		version := rapid.SampledFrom([]catalog.Version{"", "v1", "v2"})
		v, q, skip := version.Draw(t, "version"), query("query"), rapid.IntRange(0, 1<<40).Draw(t, "skip")
		text, err := encodeCursor(v, q, skip)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeCursor(text, v, q); err != nil || got != skip {
			t.Errorf("got %d, %v, want %d", got, err, skip)
		}
		w, r := version.Draw(t, "other version"), query("other query")
		_, err = decodeCursor(text, w, r)
		same, err2 := encodeCursor(w, r, skip)
		if err2 != nil {
			t.Fatal(err2)
		}
		if (same == text) != (err == nil) {
			t.Errorf("cursor of %s %v read for %s %v: got error %v", v, q, w, r, err)
		}
	})
}

// What no one could tell apart as a number is one query.
func TestCursorOfEqualNumbers(t *testing.T) {
	short, long := catalog.Query{MaxGPUHour: decimal.NewNullDecimal(decimal.New(25, -1))}, catalog.Query{MaxGPUHour: decimal.NewNullDecimal(decimal.New(250, -2))}
	text, err := encodeCursor("v", short, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeCursor(text, "v", long); err != nil {
		t.Errorf("2.5 and 2.50: %v", err)
	}
}

// Whatever the text, it is a cursor or is said not to be one.
func FuzzCursor(f *testing.F) {
	text, err := encodeCursor("v", catalog.Query{}, 100)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{text, "", "A", text + "A", text[:20], "!!!!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		skip, err := decodeCursor(text, "v", catalog.Query{})
		if err != nil && !errors.Is(err, errCursorDamaged) && !errors.Is(err, errCursorQuery) && !errors.Is(err, errCursorVersion) {
			t.Errorf("got error %v", err)
		}
		if err != nil {
			return
		}
		again, err := encodeCursor("v", catalog.Query{}, skip)
		if err != nil || again != text {
			t.Errorf("%q is read as %d, which is written %q, %v", text, skip, again, err)
		}
	})
}
