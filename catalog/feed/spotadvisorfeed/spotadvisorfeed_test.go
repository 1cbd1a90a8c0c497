package spotadvisorfeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/feed/feedtest"
	"github.com/tierwise/tierwise/catalog/feed/spotadvisorfeed"
)

var _ = flag.Bool("update", false, "write the golden files")

func TestRead(t *testing.T) {
	b, err := feedtest.Read(t, spotadvisorfeed.Read, "", feedtest.File(t, "spot-advisor-data.json"))
	if err != nil {
		t.Fatal(err)
	}
	feedtest.Golden(t, "spot-advisor-data.golden", feedtest.Text(b))
}

func TestRefused(t *testing.T) {
	whole := feedtest.File(t, "spot-advisor-data.json")
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":          {"", []string{"row 1", "empty"}},
		"a page of HTML":   {"<html>", []string{"row 1", "JSON"}},
		"no types":         {`{"ranges": [{"index": 0, "label": "<5%"}], "spot_advisor": {}}`, []string{"column spot_advisor", "at least one"}},
		"no ranges":        {strings.Replace(whole, `"ranges"`, `"bands"`, 1), []string{"column spot_advisor"}},
		"an odd range":     {strings.Replace(whole, "5-10%", "often", 1), []string{"row 2, column label", "often"}},
		"a range twice":    {strings.Replace(whole, `"index": 1`, `"index": 0`, 1), []string{"row 2, column index"}},
		"a list of types":  {strings.Replace(whole, `{"Windows"`, `[{"Windows"`, 1), []string{"row"}},
		"cut":              {whole[:len(whole)-60], []string{"cut"}},
		"NaN":              {strings.Replace(whole, "67", "NaN", 1), []string{"JSON"}},
		"something behind": {whole + "x", []string{"row"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, spotadvisorfeed.Read, "", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
}

func FuzzRead(f *testing.F) {
	feedtest.Fuzz(f, spotadvisorfeed.Read, "", feedtest.File(&testing.T{}, "spot-advisor-data.json"))
}
