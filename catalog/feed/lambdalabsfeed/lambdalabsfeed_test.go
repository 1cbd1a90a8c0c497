package lambdalabsfeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/feed"
	"github.com/tierwise/tierwise/catalog/feed/feedtest"
	"github.com/tierwise/tierwise/catalog/feed/lambdalabsfeed"
)

var _ = flag.Bool("update", false, "write the golden files")

func TestRead(t *testing.T) {
	b, err := feedtest.Read(t, lambdalabsfeed.Read, "", feedtest.File(t, "instance-types.json"))
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "instance-types.golden", feedtest.Text(b))
}

func TestRefused(t *testing.T) {
	whole := feedtest.File(t, "instance-types.json")
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":        {"", []string{"row 1", "empty"}},
		"a page of HTML": {"<html>", []string{"row 1", "<html>", "JSON"}},
		"an empty list":  {`{"data": {}}`, []string{"column data", "at least one"}},
		"an error":       {`{"error": {"code": "global/invalid-api-key"}}`, []string{"column data"}},
		"cut":            {whole[:len(whole)/2], []string{"row 3", "cut"}},
		"NaN":            {strings.Replace(whole, "1432", "NaN", 1), []string{"row 2", "JSON"}},
		"something more": {whole + "{}", []string{"the end"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, lambdalabsfeed.Read, "", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
}

func TestBadTypesStandAlone(t *testing.T) {
	whole := feedtest.File(t, "instance-types.json")
	for bad, words := range map[string][]string{
		strings.Replace(whole, `"price_cents_per_hour": 1432`, `"price_usd_per_hour": 14.32`, 1): {"row 2, column instance_type.price_cents_per_hour", "a field of this name"},
		strings.Replace(whole, "1432", `"N/A"`, 1):                                               {"row 2, column instance_type.price_cents_per_hour", "N/A", "a number"},
		strings.Replace(whole, `"gpu_8x_v100", "description"`, `"two\nlines", "description"`, 1): {"row 3, column instance_type.name", "one line"},
		strings.Replace(whole, "Tesla V100", "Tesla\xff V100", 2):                                {"row 3, column instance_type.gpu_description", "UTF-8"},
	} {
		b, err := feedtest.Read(t, lambdalabsfeed.Read, "", bad)
		if err != nil || len(b.Faults) != 2 || len(b.Rows) == 0 {
			t.Errorf("%v, %d rows, faults %v", err, len(b.Rows), b.Faults)
			continue
		}
		feedtest.Refused(t, b.Faults[0], words...)
	}
}

func TestKey(t *testing.T) {
	from := feedtest.Of(feedtest.File(t, "instance-types.json"))
	if _, err := lambdalabsfeed.Read(t.Context(), from, feed.Subject{URLs: []string{"doc"}, Key: "k-123"}); err != nil {
		t.Fatal(err)
	}
	if got := from.Asked[0].Header.Get("Authorization"); got != "Bearer k-123" {
		t.Errorf("the key is sent as %q", got)
	}
}

func FuzzRead(f *testing.F) {
	feedtest.Fuzz(f, lambdalabsfeed.Read, "", feedtest.File(&testing.T{}, "instance-types.json"))
}
