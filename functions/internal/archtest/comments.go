package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

var commentRules = []rule{
	{"comment/package", "a reader's first question is what the package is for", silentPackages},
	{"comment/exported", "units, nil, zero and errors are part of what is exported, and types do not say them", silentExports},
}

// silentPackages finds the packages of which no file says what they are for.
func silentPackages(t *tree) []finding {
	var found []finding
	for _, p := range t.packages {
		sources := p.sources()
		speaks := func(s *source) bool { return s.syntax.Doc.Text() != "" }
		if len(sources) > 0 && !slices.ContainsFunc(sources, speaks) {
			found = append(found, finding{t.at(sources[0].syntax.Package), "package " + p.name + " has no package comment"})
		}
	}
	return found
}

// silentExports finds the exported declarations without a comment.
func silentExports(t *tree) []finding {
	var found []finding
	for _, d := range t.declarations() {
		for _, name := range silent(d) {
			found = append(found, finding{t.at(name.Pos()), fmt.Sprintf("exported %s has no comment", name.Name)})
		}
	}
	return found
}

// silent returns the exported names that a declaration introduces without a comment.
func silent(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc.Text() == "" && d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var found []*ast.Ident
		for _, spec := range d.Specs {
			found = append(found, silentNames(d, spec)...)
		}
		return found
	}
	return nil
}

// silentNames is silent for one specification. A comment above a group speaks for its constants and variables, not for
// its types.
func silentNames(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc.Text() == "" && (d.Doc.Text() == "" || d.Lparen != token.NoPos) {
			names = []*ast.Ident{spec.Name}
		}
	case *ast.ValueSpec:
		if spec.Doc.Text()+spec.Comment.Text()+d.Doc.Text() == "" {
			names = slices.Clone(spec.Names)
		}
	}
	return slices.DeleteFunc(names, func(name *ast.Ident) bool { return !name.IsExported() })
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	for n := range ast.Preorder(d.Recv.List[0].Type) {
		if name, ok := n.(*ast.Ident); ok {
			return name.Name
		}
	}
	return ""
}

// declarations returns the top-level declarations of every non-test file.
func (t *tree) declarations() []ast.Decl {
	var found []ast.Decl
	for _, p := range t.packages {
		for _, s := range p.sources() {
			found = append(found, s.syntax.Decls...)
		}
	}
	return found
}
