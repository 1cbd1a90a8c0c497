package wording_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/functions/internal/wording"
)

func TestSay(t *testing.T) {
	const message = "%s: the price is %d days old (%s)"
	for language, want := range map[wording.Language]string{
		"":              "train: the price is 3 days old (2026-01-01)",
		wording.English: "train: the price is 3 days old (2026-01-01)",
		wording.Chinese: "训练：该价格已有 3 天（2026-01-01）",
	} {
		if got := language.Say(message, language.Say("train"), 3, "2026-01-01"); got != want {
			t.Errorf("%q: got %q, want %q", language, got, want)
		}
	}
	if got := wording.Chinese.Say("100% of nothing known"); got != "100% of nothing known" {
		t.Errorf("a message without Chinese: got %q", got)
	}
	if got := wording.Chinese.Join([]string{"甲", "乙"}); got != "甲，乙" {
		t.Errorf("a list: got %q", got)
	}
}

// sayers are the functions that take a message, with the position of it among their
// arguments.
var sayers = map[string]int{"Say": 0, "say": 0, "assume": 2, "percent": 3}

// messages are the literal messages that a package says.
func messages(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", dir, err)
	}
	var found []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(syntax) {
			found = append(found, said(n)...)
		}
	}
	return found
}

// said are the literal messages of one node: of a call, of an assumption, of a preset.
func said(n ast.Node) []string {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.SelectorExpr:
			name = f.Sel.Name
		case *ast.Ident:
			name = f.Name
		}
		if at, ok := sayers[name]; ok && len(n.Args) > at {
			return literal(n.Args[at])
		}
	case *ast.CompositeLit:
		if index, ok := n.Type.(*ast.IndexExpr); ok && len(n.Elts) == 3 {
			if name, ok := index.X.(*ast.Ident); ok && name.Name == "preset" {
				return literal(n.Elts[2])
			}
		}
	}
	return nil
}

func literal(e ast.Expr) []string {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return nil
	}
	text, err := strconv.Unquote(basic.Value)
	if err != nil {
		return nil
	}
	return []string{text}
}

// spoken are the packages whose messages are in both languages.
var spoken = []string{"../engine", "../convert", "../environment", "../forecast"}

// TestEveryMessageIsInChinese finds what the code says and the table lacks.
func TestEveryMessageIsInChinese(t *testing.T) {
	count := 0
	for _, dir := range spoken {
		for _, m := range messages(t, dir) {
			count++
			if !wording.Chinese.Has(m) {
				t.Errorf("%s: no Chinese for %q", dir, m)
			}
		}
	}
	if count < 100 {
		t.Errorf("found %d messages in %v, want over 100", count, spoken)
	}
}

// verb is a place of an argument, with its number if it has one.
var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0-9.]*([a-zA-Z])`)

// verbs are the arguments that a format uses, by number: "1s", "2d".
func verbs(format string) []string {
	var list []string
	for i, m := range verb.FindAllStringSubmatch(strings.ReplaceAll(format, "%%", ""), -1) {
		number := strconv.Itoa(i + 1)
		if m[1] != "" {
			number = m[1]
		}
		list = append(list, number+m[2])
	}
	slices.Sort(list)
	return list
}

// TestFormatsAgree: a translation uses every argument once, and as the same type.
func TestFormatsAgree(t *testing.T) {
	for _, dir := range spoken {
		for _, m := range messages(t, dir) {
			got, want := verbs(wording.Chinese.Say(m)), verbs(m)
			if !slices.Equal(got, want) {
				t.Errorf("%q: its Chinese takes %v, want %v", m, got, want)
			}
		}
	}
}
