package feed_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/feed"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"0.30": "0.30", "12": "12", "-1.5": "-1.5", "1e-05": "0.00001", "2.5E+3": "2500", "0.1000000000000000055511151231257827": "0.1000000000000000055511151231257827",
		"": "", " 1": "", "1.": "", ".5": "", "+1": "", "1,5": "", "NaN": "", "Inf": "", "0x1": "", "1e31": "", "1e-31": "", "1e": "", "1e1e1": "", "1_0": "", "１": "",
		strings.Repeat("9", 41): "",
	} {
		d, err := feed.Decimal(text)
		if (err == nil) != (want != "") {
			t.Errorf("%q is %s, %v", text, d, err)
			continue
		}
		if want != "" && d.StringFixed(max(0, -d.Exponent())) != want {
			t.Errorf("%q is %s, want %s", text, d, want)
		}
	}
	if n, err := feed.Count("1.0"); err != nil || !n.Valid || n.Decimal.Exponent() != 0 {
		t.Errorf("a count of 1.0 is %v, %v, want a plain 1", n, err)
	}
}

func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"1.50", "1e-05", "-0", "9999999999999999999999999999999999999999", "1e30"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := feed.Decimal(text)
		if err != nil {
			return
		}
		if len(d.String()) > 120 {
			t.Errorf("%q is %d characters long", text, len(d.String()))
		}
		again, err := feed.Decimal(d.String())
		if err == nil && !again.Equal(d) {
			t.Errorf("%q is %s, then %s", text, d, again)
		}
	})
}

// zipped is content as gzip.
func zipped(content string) io.Reader {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return &b
}

// archived is content as a zip archive of so many files.
func archived(content string, files int) io.Reader {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range files {
		f, _ := w.Create(fmt.Sprint(i, ".csv"))
		_, _ = f.Write([]byte(content))
	}
	_ = w.Close()
	return &b
}

func TestDocument(t *testing.T) {
	for name, row := range map[string]struct {
		content io.Reader
		text    string
		err     error
	}{
		"plain":             {strings.NewReader("a,b\n"), "a,b\n", nil},
		"with a mark":       {strings.NewReader("\xef\xbb\xbfa,b\n"), "a,b\n", nil},
		"gzip":              {zipped("a,b\n"), "a,b\n", nil},
		"gzip with a mark":  {zipped("\xef\xbb\xbfa"), "a", nil},
		"as long as may be": {strings.NewReader(strings.Repeat("a", 1000)), strings.Repeat("a", 1000), nil},
		"too long":          {strings.NewReader(strings.Repeat("a", 1001)), "", feed.ErrTooLarge},
		"a bomb":            {zipped(strings.Repeat("a", 10_000_000)), "", feed.ErrTooLarge},
		"zip":               {archived("a,b\n", 1), "a,b\n", nil},
		"a bomb in a zip":   {archived(strings.Repeat("a", 500_000), 1), "", feed.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := feed.NewDocument(row.content, 1000, nil)
			var text []byte
			if err == nil {
				text, err = io.ReadAll(d)
			}
			if !errors.Is(err, row.err) || row.err == nil && string(text) != row.text {
				t.Errorf("got %.40q, %v", text, err)
			}
		})
	}
	if _, err := feed.NewDocument(archived("a", 2), 1000, nil); err == nil {
		t.Error("an archive of two files is taken")
	}
	for _, broken := range []string{"\xff\xfea\x00", "\xfe\xff\x00a", "a\x00b", "\x1f\x8bnot gzip", "PK\x03\x04not zip"} {
		if _, err := feed.NewDocument(strings.NewReader(broken), 0, nil); err == nil {
			t.Errorf("%q is taken", broken)
		}
	}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	const key = "k-12345"
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", feed.Secret(key))
	subject := feed.Subject{Key: key}
	for _, text := range []string{
		fmt.Sprint(subject.Key), fmt.Sprintf("%+v %#v %v %q", subject, subject, subject, subject.Key), log.String(), feed.Secret(key).Without("no " + key),
	} {
		if strings.Contains(text, key) {
			t.Errorf("the key stands in %s", text)
		}
	}
	if feed.Secret(key).Bearer() != "Bearer "+key || feed.Secret("").Without("abc") != "abc" {
		t.Error("the key does not work")
	}
}

// endless is a text that repeats, longer than any part may be.
func endless(start, repeated string) io.Reader {
	return io.MultiReader(strings.NewReader(start), strings.NewReader(strings.Repeat(repeated, 20<<20/len(repeated))))
}

// TestPartsThatNeverEnd reads a quote and a string that take the rest of a document: it
// must not be held.
func TestPartsThatNeverEnd(t *testing.T) {
	open := func(content io.Reader) *feed.Document {
		d, err := feed.NewDocument(content, 1<<30, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	table, err := feed.NewTable(open(endless("a,b\n1,\"", "x\n")), feed.Columns{Needed: []string{"a"}})
	if err == nil {
		err = table.Each(new(feed.Batch), func(*feed.Record) error { return nil })
	}
	if !errors.Is(err, feed.ErrTooLarge) {
		t.Errorf("a table: %v", err)
	}
	for _, start := range []string{`{"a": "`, `{"`, `{"a": ["`} {
		j, err := feed.NewJSON(open(endless(start, "x")))
		if err == nil {
			err = j.Object(func(string) error { return j.Skip() })
		}
		if !errors.Is(err, feed.ErrTooLarge) {
			t.Errorf("%s: %v", start, err)
		}
	}
	j, err := feed.NewJSON(open(io.MultiReader(strings.NewReader(`{"a": [`), endless("", `"`+strings.Repeat("x", 1000)+`",`), strings.NewReader(`"x"]}`))))
	if err == nil {
		err = j.Object(func(string) error { return j.Skip() })
	}
	if err != nil {
		t.Errorf("a long list of small values: %v", err)
	}
}
