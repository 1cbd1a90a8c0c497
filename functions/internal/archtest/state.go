package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

var stateRules = []rule{
	{"state/init", "what runs before main cannot be ordered, skipped in a test or handed an error", initFunctions},
	{"state/package-variables", "two requests in one process, or two tests, would see each other through it", variableWrites},
}

// initFunctions finds the init functions.
func initFunctions(t *tree) []finding {
	var found []finding
	for _, f := range t.functions() {
		if f.name == "init" {
			found = append(found, finding{t.at(f.from), "func init"})
		}
	}
	return found
}

// variableWrites finds the statements that change a package-level variable, of this package or another: its value, or an
// element or field of it. A change through a pointer or a method is beyond what syntax shows.
func variableWrites(t *tree) []finding {
	var found []finding
	for _, p := range t.packages {
		for _, target := range targets(p) {
			if variable(p, target) {
				found = append(found, finding{t.at(target.Pos()), fmt.Sprintf("writes to %s", types.ExprString(target))})
			}
		}
	}
	return found
}

// targets returns every expression that a non-test file of p writes to.
func targets(p *pkg) []ast.Expr {
	var found []ast.Expr
	for _, s := range p.sources() {
		for n := range ast.Preorder(s.syntax) {
			found = append(found, written(n)...)
		}
	}
	return found
}

// written returns what one node writes to.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return slices.DeleteFunc([]ast.Expr{n.Key, n.Value}, func(e ast.Expr) bool { return e == nil })
		}
	case *ast.CallExpr:
		name, ok := n.Fun.(*ast.Ident)
		if ok && len(n.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, name.Name) {
			return n.Args[:1]
		}
	}
	return nil
}

// variable reports whether a target is a package-level variable or part of one.
func variable(p *pkg, target ast.Expr) bool {
	switch object := p.uses[base(target)].(type) {
	case *types.Var:
		return object.Parent() == object.Pkg().Scope()
	case *types.PkgName:
		return true
	}
	return false
}

// base returns the leftmost identifier of a target, or nil where there is none.
func base(target ast.Expr) *ast.Ident {
	switch e := target.(type) {
	case *ast.Ident:
		return e
	case *ast.ParenExpr:
		return base(e.X)
	case *ast.IndexExpr:
		return base(e.X)
	case *ast.SliceExpr:
		return base(e.X)
	case *ast.StarExpr:
		return base(e.X)
	case *ast.SelectorExpr:
		return base(e.X)
	}
	return nil
}
