package chunk_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/chunk"
	"github.com/tierwise/tierwise/catalog/seed"
)

// digits compares decimals digit for digit: 1.20 is not 1.2.
var digits = cmp.Comparer(func(a, b decimal.Decimal) bool {
	return a.Exponent() == b.Exponent() && a.Coefficient().Cmp(b.Coefficient()) == 0
})

// roundTrip encodes and decodes.
func roundTrip(t testing.TB, parts catalog.Parts) catalog.Parts {
	t.Helper()
	set, err := chunk.Encode(parts)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range set.Chunks {
		if len(c) > chunk.MaxBytes || len(c) == 0 {
			t.Errorf("chunk %d has %d bytes, want 1 to %d", i, len(c), chunk.MaxBytes)
		}
	}
	got, err := chunk.Decode(set)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// filler sets every field of a value to something that is not its zero value, and
// different each time. A field of the vocabulary that the codec forgets comes back zero.
type filler struct{ n int64 }

func (f *filler) fill(v reflect.Value) {
	f.n++
	if v.Type() == reflect.TypeFor[decimal.Decimal]() {
		v.Set(reflect.ValueOf(decimal.New(f.n*10, -7)))
		return
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, 11, 30, 12, 0, 0, int(f.n), time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", f.n))
	case reflect.Int, reflect.Int64:
		v.SetInt(f.n * 1000)
	case reflect.Int8, reflect.Int16:
		v.SetInt(1 + f.n%12)
	case reflect.Uint8:
		v.SetUint(1 + uint64(f.n)%2)
	case reflect.Float64:
		v.SetFloat(float64(f.n) / 3)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic("a kind that the vocabulary did not have: " + v.Kind().String())
	}
}

func TestEveryFieldSurvives(t *testing.T) {
	var parts catalog.Parts
	(&filler{}).fill(reflect.ValueOf(&parts).Elem())
	if diff := cmp.Diff(parts, roundTrip(t, parts), digits); diff != "" {
		t.Errorf("a column is missing or wrong (-want +got):\n%s", diff)
	}
}

func TestUnknownStaysUnknown(t *testing.T) {
	nowhere := &catalog.Provenance{}
	parts := catalog.Parts{Version: "v", Offers: []catalog.Offer{
		{ID: "nothing known", Instance: &catalog.Instance{}, Provenance: nowhere},
		{ID: "zero price", Instance: &catalog.Instance{}, Provenance: nowhere, Price: catalog.NewPrice(decimal.Zero, catalog.PerGPUHour, "USD")},
		{ID: "negative price", Instance: &catalog.Instance{}, Provenance: nowhere, Price: catalog.NewPrice(decimal.New(-150, -2), catalog.PerGPUHour, "USD")},
		{ID: "month", Instance: &catalog.Instance{}, Provenance: nowhere, AsOf: catalog.Date{Year: 2026, Month: 9}},
		{ID: "band without an end", Instance: &catalog.Instance{}, Provenance: nowhere, Interruption: &catalog.Band{Low: decimal.NewNullDecimal(decimal.New(20, 0))}},
	}}
	if diff := cmp.Diff(parts, roundTrip(t, parts), digits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(catalog.Parts{}, roundTrip(t, catalog.Parts{})); diff != "" {
		t.Errorf("no parts at all (-want +got):\n%s", diff)
	}
}

func TestDecimalsKeepTheirDigits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,40}(\.[0-9]{1,40})?`).Draw(rt, "amount")
		amount := decimal.RequireFromString(text)
		if rapid.Bool().Draw(rt, "large exponent") {
			amount = amount.Shift(rapid.Int32Range(-1<<20, 1<<20).Draw(rt, "shift"))
		}
		parts := catalog.Parts{FX: []catalog.FXRate{{UnitsPerUSD: amount}, {UnitsPerUSD: amount}}}
		if diff := cmp.Diff(parts, roundTrip(t, parts), digits); diff != "" {
			rt.Errorf("%s (-want +got):\n%s", text, diff)
		}
	})
}

func TestSeedSurvives(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	want := s.Parts()
	got := roundTrip(t, want)
	if diff := cmp.Diff(want, got, digits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again, err := catalog.NewSnapshot(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Parts(), digits); diff != "" {
		t.Errorf("as a snapshot (-want +got):\n%s", diff)
	}
}

func TestEqualPartsGiveEqualChunks(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	first, errFirst := chunk.Encode(s.Parts())
	second, errSecond := chunk.Encode(roundTrip(t, s.Parts()))
	if errFirst != nil || errSecond != nil || first.Digest != second.Digest {
		t.Errorf("digests are %s and %s (%v, %v)", first.Digest, second.Digest, errFirst, errSecond)
	}
}

func TestEncodeRefuses(t *testing.T) {
	if _, err := chunk.Encode(catalog.Parts{Offers: []catalog.Offer{{ID: "x"}}}); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("got %v, want an error that names the offer without an instance", err)
	}
}

func TestDamageIsFound(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	set, err := chunk.Encode(s.Parts())
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Join(set.Chunks, nil)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{
		"a byte missing": whole[:len(whole)-1], "a bit flipped": flipped, "a byte more": append(bytes.Clone(whole), 0), "nothing": nil,
	} {
		if _, err := chunk.Decode(chunk.Set{Digest: set.Digest, Chunks: [][]byte{damaged}}); !errors.Is(err, catalog.ErrCorrupt) {
			t.Errorf("%s: got %v, want %v", name, err, catalog.ErrCorrupt)
		}
	}
}

// FuzzDecode gives damaged frames their right digest, so that all of the decoder
// is reached.
func FuzzDecode(f *testing.F) {
	var parts catalog.Parts
	(&filler{}).fill(reflect.ValueOf(&parts).Elem())
	for _, p := range []catalog.Parts{parts, {Version: "v"}} {
		set, err := chunk.Encode(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Join(set.Chunks, nil))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		sum := sha256.Sum256(frame)
		parts, err := chunk.Decode(chunk.Set{Digest: chunk.Digest(hex.EncodeToString(sum[:])), Chunks: [][]byte{frame}})
		if err != nil {
			return
		}
		if diff := cmp.Diff(parts, roundTrip(t, parts), digits); diff != "" {
			t.Errorf("what was read does not survive (-want +got):\n%s", diff)
		}
	})
}

// large is the seed grown to offersLarge offers.
func large(tb testing.TB) catalog.Parts {
	tb.Helper()
	s, err := seed.Load()
	if err != nil {
		tb.Fatal(err)
	}
	return catalogtest.Grown(s, offersLarge)
}

const offersLarge = 30_000

func BenchmarkEncode(b *testing.B) {
	parts := large(b)
	b.ReportAllocs()
	for b.Loop() {
		set, err := chunk.Encode(parts)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(set.Bytes()), "stored-B")
	}
}

// BenchmarkSnapshotMemory is what a snapshot of 30,000 offers holds once read.
func BenchmarkSnapshotMemory(b *testing.B) {
	set, err := chunk.Encode(large(b))
	if err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		parts, err := chunk.Decode(set)
		if err != nil {
			b.Fatal(err)
		}
		s, err := catalog.NewSnapshot(parts)
		if err != nil {
			b.Fatal(err)
		}
		parts = catalog.Parts{}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/offersLarge, "B/offer")
		runtime.KeepAlive(s)
	}
}

func BenchmarkDecode(b *testing.B) {
	set, err := chunk.Encode(large(b))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := chunk.Decode(set); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	parts := large(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.NewSnapshot(parts); err != nil {
			b.Fatal(err)
		}
	}
}
