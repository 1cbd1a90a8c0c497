package archtest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRepository(t *testing.T) {
	repository, err := load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(repository.matching([]string{"functions/internal/archtest"})) != 1 {
		t.Fatal("the tree that was read does not hold this package: every rule would pass")
	}
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.check(repository) {
				t.Errorf("%s: %s (%s)", f.at, f.what, r.reason)
			}
		})
	}
}

// Each rule must find what its fixture breaks, and say where.
func TestRulesFail(t *testing.T) {
	for _, v := range violations {
		t.Run(v.rule, func(t *testing.T) {
			var got []string
			for _, f := range findRule(t, v.rule).check(loadFiles(t, v.files)) {
				got = append(got, f.at+": "+f.what)
			}
			if !slices.Equal(got, v.want) {
				t.Errorf("got:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(v.want, "\n\t"))
			}
		})
	}
}

func TestEveryRuleHasAViolation(t *testing.T) {
	seen := make(map[string]bool)
	for _, v := range violations {
		seen[v.rule] = true
	}
	for _, r := range rules() {
		if !seen[r.name] {
			t.Errorf("%s has never been seen failing: add a fixture to violations", r.name)
		}
		if r.reason == "" {
			t.Errorf("%s has no reason", r.name)
		}
	}
}

// A tree that comes close to many rules breaks none.
func TestRulesPass(t *testing.T) {
	clean := loadFiles(t, cleanFiles)
	for _, r := range rules() {
		for _, f := range r.check(clean) {
			t.Errorf("%s: %s: %s", r.name, f.at, f.what)
		}
	}
}

func TestLoadReportsSyntaxErrors(t *testing.T) {
	_, err := load(fstest.MapFS{"catalog/broken.go": {Data: []byte("package")}})
	if err == nil || !strings.Contains(err.Error(), "catalog/broken.go") {
		t.Errorf("got error %v, want one that names catalog/broken.go", err)
	}
}

func findRule(t *testing.T, name string) rule {
	t.Helper()
	for _, r := range rules() {
		if r.name == name {
			return r
		}
	}
	t.Fatalf("there is no rule %s", name)
	return rule{}
}

func loadFiles(t *testing.T, files map[string]string) *tree {
	t.Helper()
	fsys := make(fstest.MapFS)
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	loaded, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
