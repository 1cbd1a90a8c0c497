package main

import (
	"context"
	"os"
	"regexp"
	"slices"
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

var (
	dependencySection = regexp.MustCompile(`(?s)\n## Dependencies\n(.*?)\n## `)
	dependencyName    = regexp.MustCompile("`([^` ]+)`")
	directModule      = regexp.MustCompile(`(?m)^(?:\t(\S+) v\S+|tool (\S+))$`)
	madeTool          = regexp.MustCompile(`(?m)^RIE := (\S+)@`)
	npmPackage        = regexp.MustCompile(`(?m)^    "(\S+)": "\d`)
	pythonPackage     = regexp.MustCompile(`(?m)^([A-Za-z0-9_.-]+)==`)
)

// TestReadmeDependencies holds the table in README.md to go.mod, and to what the
// tests and the release build install.
func TestReadmeDependencies(t *testing.T) {
	section := dependencySection.FindStringSubmatch(text(t, "README.md"))
	if section == nil {
		t.Fatal("README.md has no section of dependencies")
	}
	var listed []string
	for line := range strings.Lines(section[1]) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range dependencyName.FindAllStringSubmatch(cells[1], -1) {
				listed = append(listed, m[1])
			}
		}
	}
	var modules, others []string
	for _, m := range directModule.FindAllStringSubmatch(text(t, "go.mod"), -1) {
		modules = append(modules, strings.TrimPrefix(m[1]+m[2], "github.com/"))
	}
	others = append(others, strings.TrimPrefix(madeTool.FindStringSubmatch(text(t, "Makefile"))[1], "github.com/"))
	for _, file := range []string{"catalog/dynamo/dynamotest/requirements.txt", "probe-agent/packaging/requirements.txt", "functions/internal/forecast/requirements.txt", "functions/local/requirements.txt"} {
		for _, m := range pythonPackage.FindAllStringSubmatch(text(t, file), -1) {
			others = append(others, m[1])
		}
	}
	for _, m := range npmPackage.FindAllStringSubmatch(text(t, "functions/internal/web/testdata/axe/package.json"), -1) {
		others = append(others, m[1])
	}
	for _, module := range modules {
		if !slices.ContainsFunc(listed, func(name string) bool { return within(module, name) }) {
			t.Errorf("README.md does not list %s", module)
		}
	}
	for _, name := range listed {
		if !slices.ContainsFunc(slices.Concat(modules, others), func(module string) bool { return within(module, name) }) {
			t.Errorf("README.md lists %s, which nothing needs", name)
		}
	}
}

// within reports whether a module or a package is the named one, or a part of it.
func within(module, name string) bool { return module == name || strings.HasPrefix(module, name+"/") }

// text is a file of the repository.
func text(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile("../../" + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
