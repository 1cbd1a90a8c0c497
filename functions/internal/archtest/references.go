package archtest

import (
	"go/ast"
	"go/types"
	"slices"
)

// A reference names what some packages export that may be used in few places or none.
type reference struct {
	name     string
	of       []string // import paths
	banned   []string // patterns of names
	except   []string // patterns of names that are fine all the same
	programs bool     // allowed in package main
	tests    bool     // allowed in test files
	file     string   // the one file that may use it
	reason   string
}

var references = []reference{
	{name: "reference/clock", of: []string{"time"}, banned: []string{"Now", "Since", "Until"}, programs: true, tests: true,
		reason: "the clock is a field or an argument, so that an answer can be replayed; only a program reads it"},
	{name: "reference/rand", of: []string{"math/rand", "math/rand/v2"}, banned: []string{"*"},
		except: []string{"New*", "Rand", "Source*", "Zipf", "PCG", "ChaCha8"},
		reason: "a shared generator gives another answer each time; make one from a seed that is written down"},
	{name: "reference/float-money", of: []string{decimal}, banned: []string{"NewFromFloat*"}, tests: true,
		file:   "functions/internal/tco/money.go",
		reason: "physics becomes money in one file, which states the rounding"},
}

// check finds the uses that the row forbids, and dot imports, which would hide them.
func (r reference) check(t *tree) []finding {
	var found []finding
	for _, p := range t.packages {
		for _, s := range p.files {
			if r.exempts(p, s) {
				continue
			}
			for _, n := range r.uses(p, s) {
				found = append(found, finding{t.at(n.Pos()), "uses " + types.ExprString(n)})
			}
		}
	}
	return found
}

func (r reference) exempts(p *pkg, s *source) bool {
	return s.path == r.file || r.programs && p.name == "main" || r.tests && s.test
}

// uses returns the selectors in a file that the row forbids, and the path of each dot import of its packages.
func (r reference) uses(p *pkg, s *source) []ast.Expr {
	var found []ast.Expr
	for _, spec := range s.syntax.Imports {
		if spec.Name != nil && spec.Name.Name == "." && slices.Contains(r.of, importPath(spec)) {
			found = append(found, spec.Path)
		}
	}
	for n := range ast.Preorder(s.syntax) {
		if selector, ok := n.(*ast.SelectorExpr); ok && r.forbids(p, selector) {
			found = append(found, selector)
		}
	}
	return found
}

func (r reference) forbids(p *pkg, selector *ast.SelectorExpr) bool {
	ident, ok := selector.X.(*ast.Ident)
	if !ok {
		return false
	}
	imported, ok := p.uses[ident].(*types.PkgName)
	name := selector.Sel.Name
	return ok && slices.Contains(r.of, imported.Imported().Path()) && matchAny(r.banned, name) && !matchAny(r.except, name)
}
