package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
)

// resolve finds what the identifiers of a package refer to, so that a local variable named like a package, or like a
// package-level variable, is not taken for it. Every import is an empty package, and the type errors that follow from that
// are of no interest: names in a scope resolve all the same.
func resolve(fset *token.FileSet, p *pkg) map[*ast.Ident]types.Object {
	var files []*ast.File
	for _, s := range p.files {
		files = append(files, s.syntax)
	}
	info := types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: emptyImporter{}, Error: func(error) {}, FakeImportC: true}
	// The error is the first of those that the Error function has already dropped.
	_, _ = config.Check(p.dir, fset, files, &info)
	return info.Uses
}

// emptyImporter answers every import with a package that has a name and nothing in it.
type emptyImporter struct{}

// majorVersion is the last element of an import path that does not name the package.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func (emptyImporter) Import(importPath string) (*types.Package, error) {
	name := path.Base(importPath)
	if majorVersion.MatchString(name) {
		name = path.Base(path.Dir(importPath))
	}
	empty := types.NewPackage(importPath, name)
	empty.MarkComplete()
	return empty, nil
}
