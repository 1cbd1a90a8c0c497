package archtest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var layoutRules = []rule{
	{"layout/top-level", "a reader finds their way by four folders, so nothing is added beside them", strayEntries},
	{"layout/package-names", "a package is a noun of the flow; these names say that nobody chose one", vaguePackages},
	{"layout/file-names", "a type and its constants stand beside the functions that use them", splitFiles},
}

// topEntries are what the root may hold beside dot-files and what git ignores; not all of it has to exist yet.
var topEntries = []string{"functions", "catalog", "probe-agent", "schemas", "template.yaml", "go.mod", "go.sum",
	"Makefile", "README.md", "LICENSE"}

// vagueNames are package names that could hold anything.
var vagueNames = []string{"util", "utils", "common", "helpers", "types", "models"}

// splitNames are file names that sort declarations by their kind.
var splitNames = []string{"types.go", "const.go"}

// strayEntries finds what does not belong at the root.
func strayEntries(t *tree) []finding {
	var found []finding
	for _, entry := range t.entries {
		if !slices.Contains(topEntries, entry) {
			found = append(found, finding{entry, "is not part of the top level"})
		}
	}
	return found
}

// vaguePackages finds the packages whose name or folder says nothing.
func vaguePackages(t *tree) []finding {
	var found []finding
	for _, p := range t.packages {
		if slices.Contains(vagueNames, p.name) || slices.Contains(vagueNames, path.Base(p.dir)) {
			found = append(found, finding{p.dir, fmt.Sprintf("is called %s", p.name)})
		}
	}
	return found
}

// splitFiles finds the files that are named after a kind of declaration.
func splitFiles(t *tree) []finding {
	var found []finding
	for _, p := range t.packages {
		for _, s := range p.files {
			if slices.Contains(splitNames, path.Base(s.path)) {
				found = append(found, finding{s.path, "is named after a kind of declaration"})
			}
		}
	}
	return found
}

// topLevel lists the root, less dot-files and what .gitignore names there.
func topLevel(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	ignored, err := ignoredAtRoot(fsys)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); !strings.HasPrefix(name, ".") && !matchAny(ignored, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// ignoredAtRoot returns the patterns of .gitignore that can match an entry of the root; no such file, no patterns.
func ignoredAtRoot(fsys fs.FS) ([]string, error) {
	text, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var patterns []string
	for line := range strings.Lines(string(text)) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if pattern != "" && !strings.HasPrefix(pattern, "#") {
			patterns = append(patterns, pattern)
		}
	}
	return patterns, nil
}
