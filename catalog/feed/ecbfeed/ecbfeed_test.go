package ecbfeed_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/feed/ecbfeed"
	"github.com/tierwise/tierwise/catalog/feed/feedtest"
)

var _ = flag.Bool("update", false, "write the golden files")

// daily is the document of one day.
const daily = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<Cube><Cube time='2026-11-27'>
		<Cube currency='USD' rate='1.25'/>
		<Cube currency='INR' rate='100.5'/>
	</Cube></Cube>
</gesmes:Envelope>
`

func TestRead(t *testing.T) {
	for name, text := range map[string]string{"hist": feedtest.File(t, "hist.xml"), "daily": daily} {
		b, err := feedtest.Read(t, ecbfeed.Read, "", text)
		if err != nil {
			t.Fatal(err)
		}
		feedtest.Golden(t, name+".golden", feedtest.Text(b))
	}
}

func TestRefused(t *testing.T) {
	for name, row := range map[string]struct {
		text  string
		words []string
	}{
		"nothing":          {"", []string{"row 1", "empty"}},
		"JSON":             {`{"rates": {}}`, []string{"row 1", "XML"}},
		"a page of HTML":   {"<html><body><p>Not here</p></body></html>", []string{"column Cube", "at least one day"}},
		"no rates":         {`<Envelope><Cube></Cube></Envelope>`, []string{"at least one day"}},
		"no dollar":        {strings.Replace(daily, "USD", "SEK", 1), []string{"row 1, column currency", "USD"}},
		"a renamed rate":   {strings.Replace(daily, "rate=", "value=", 2), []string{"row 1, column rate"}},
		"a comma":          {strings.Replace(daily, "1.25", "1,25", 1), []string{"row 1, column rate", "1,25"}},
		"zero":             {strings.Replace(daily, "1.25", "0", 1), []string{"row 1, column rate"}},
		"NaN":              {strings.Replace(daily, "100.5", "NaN", 1), []string{"row 1, column rate", "NaN", "INR"}},
		"an odd day":       {strings.Replace(daily, "2026-11-27", "27.11.2026", 1), []string{"row 1, column time"}},
		"cut":              {daily[:len(daily)-40], []string{"row", "XML"}},
		"another encoding": {strings.Replace(daily, "UTF-8", "ISO-8859-1", 1), []string{"ISO-8859-1", "UTF-8"}},
		"bad bytes":        {strings.Replace(daily, "INR", "\xffNR", 1), []string{"UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := feedtest.Read(t, ecbfeed.Read, "", row.text)
			feedtest.Refused(t, err, row.words...)
		})
	}
}

func FuzzRead(f *testing.F) {
	feedtest.Fuzz(f, ecbfeed.Read, "", daily, feedtest.File(&testing.T{}, "hist.xml"))
}
