package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog/seed"
)

// readmeExample is a command in README.md and the block that shows its output.
var readmeExample = regexp.MustCompile("(?s)```\n\\$ go run ./functions/local recommend \"([^\"]*)\" --computed-at (\\S+)\n(.*?)\\.\\.\\.\n```")

// TestReadmeExample holds the example in README.md to what the program prints
// from the embedded catalogue, up to the list of assumptions.
func TestReadmeExample(t *testing.T) {
	const path = "../../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := readmeExample.FindSubmatchIndex(text)
	if at == nil {
		t.Fatal("README.md has no example")
	}
	p, stdout, stderr := newProgram("")
	p.load = seed.Load
	args := []string{"recommend", string(text[at[2]:at[3]]), "--computed-at", string(text[at[4]:at[5]])}
	if code := p.run(context.Background(), args); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	got, _, found := strings.Cut(stdout.String(), "\nAssumptions:")
	if !found {
		t.Fatal("the output lists no assumptions")
	}
	got += "\nAssumptions: "
	if *update {
		fresh := string(text[:at[6]]) + got + string(text[at[7]:])
		if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text[at[6]:at[7]]), got); diff != "" {
		t.Errorf("README.md (-says +prints); -update writes it anew:\n%s", diff)
	}
}
