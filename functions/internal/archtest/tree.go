package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the path that our own imports start with.
const module = "github.com/tierwise/tierwise/"

// roots are the top-level directories that hold Go packages.
var roots = []string{"functions", "catalog", "probe-agent", "schemas"}

// A tree is the repository as the rules see it.
type tree struct {
	fset     *token.FileSet
	entries  []string // of the top level, less dot-files and what git ignores
	packages []*pkg   // in the order of roots, then as walked
}

// A pkg is the files of one directory that share a package clause; an external test package is one of its own.
type pkg struct {
	dir   string // from the root, slash-separated
	name  string
	files []*source
	uses  map[*ast.Ident]types.Object // what each identifier refers to, as far as this package alone tells
}

// A source is one Go file.
type source struct {
	path   string // from the root, slash-separated
	test   bool
	syntax *ast.File
}

// load parses every package under roots; a root that does not exist yet is empty.
func load(fsys fs.FS) (*tree, error) {
	entries, err := topLevel(fsys)
	if err != nil {
		return nil, err
	}
	t := &tree{fset: token.NewFileSet(), entries: entries}
	for _, root := range roots {
		if err := fs.WalkDir(fsys, root, t.visit(fsys)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, p := range t.packages {
		p.uses = resolve(t.fset, p)
	}
	return t, nil
}

// visit adds each Go file it is shown, and skips the directories that the go command skips.
func (t *tree) visit(fsys fs.FS) fs.WalkDirFunc {
	return func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"); {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || base == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || hidden || path.Ext(base) != ".go":
			return nil
		}
		return t.add(fsys, name)
	}
}

func (t *tree) add(fsys fs.FS, name string) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	p := t.packageOf(path.Dir(name), syntax.Name.Name)
	p.files = append(p.files, &source{name, strings.HasSuffix(name, "_test.go"), syntax})
	return nil
}

func (t *tree) packageOf(dir, name string) *pkg {
	for _, p := range t.packages {
		if p.dir == dir && p.name == name {
			return p
		}
	}
	p := &pkg{dir: dir, name: name}
	t.packages = append(t.packages, p)
	return p
}

// matching returns the packages whose directory matches one of the patterns and that hold more than tests.
func (t *tree) matching(patterns []string) []*pkg {
	var found []*pkg
	for _, p := range t.packages {
		if len(p.sources()) > 0 && matchAny(patterns, p.dir) {
			found = append(found, p)
		}
	}
	return found
}

// at renders a position as file:line.
func (t *tree) at(pos token.Pos) string {
	position := t.fset.Position(pos)
	return fmt.Sprintf("%s:%d", position.Filename, position.Line)
}

// sources returns the files that are not tests.
func (p *pkg) sources() []*source {
	return slices.DeleteFunc(slices.Clone(p.files), func(s *source) bool { return s.test })
}

// importPath returns the path of an import without its quotes.
func importPath(spec *ast.ImportSpec) string {
	// The parser has accepted the literal, so it can be unquoted.
	unquoted, _ := strconv.Unquote(spec.Path.Value)
	return unquoted
}

// matchAny reports whether name matches a pattern: path.Match for each, and "x/..." is x and everything below it.
func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if below, ok := strings.CutSuffix(pattern, "/..."); ok {
			return name == below || strings.HasPrefix(name, below+"/")
		}
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}
