package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"slices"
)

// A limit bounds one figure of the code that people write: tests and generated files are left out.
type limit struct {
	name     string
	measure  func(*tree) []figure
	quantile float64 // of all figures, the one that is bounded; 1 bounds each of them
	most     int
	unit     string
	reason   string
}

// A figure is what was measured of one thing.
type figure struct {
	at    string
	of    string
	value int
}

var limits = []limit{
	{"size/file-median", fileLines, 0.5, 150, "lines", "a typical file is read in one sitting"},
	{"size/file", fileLines, 1, 500, "lines", "a longer file holds more than one noun"},
	{"size/program", programLines, 1, 60, "lines", "a function's main only wires; what is more belongs where it can be tested"},
	{"size/function-median", functionLines, 0.5, 12, "lines", "a typical function is one thought"},
	{"size/function-p90", functionLines, 0.9, 45, "lines", "a long function is the exception"},
	{"size/function", functionLines, 1, 80, "lines", "a longer function does not fit on a screen"},
	{"size/nesting", functionDepth, 1, 3, "levels of nesting", "a reader holds few conditions in mind: return early or name the inner part"},
	{"size/parameters", functionParameters, 1, 4, "parameters", "more arguments get swapped: name them in a struct"},
}

// check finds the figures above the limit, or the one at the quantile if that is above it.
func (l limit) check(t *tree) []finding {
	figures := l.measure(t)
	slices.SortStableFunc(figures, func(a, b figure) int { return cmp.Compare(a.value, b.value) })
	if l.quantile < 1 {
		return l.checkQuantile(figures)
	}
	var found []finding
	for _, f := range figures {
		if f.value > l.most {
			found = append(found, finding{f.at, fmt.Sprintf("%s has %d %s, at most %d", f.of, f.value, l.unit, l.most)})
		}
	}
	return found
}

func (l limit) checkQuantile(sorted []figure) []finding {
	rank := int(math.Ceil(l.quantile*float64(len(sorted)))) - 1
	if rank < 0 || sorted[rank].value <= l.most {
		return nil
	}
	f := sorted[rank]
	return []finding{{f.at, fmt.Sprintf("quantile %g of %d is %d %s (%s), at most %d",
		l.quantile, len(sorted), f.value, l.unit, f.of, l.most)}}
}

// fileLines measures every file that people write.
func fileLines(t *tree) []figure {
	var figures []figure
	for _, p := range t.packages {
		for _, s := range p.sources() {
			if !ast.IsGenerated(s.syntax) {
				figures = append(figures, figure{s.path, "the file", t.fset.File(s.syntax.FileStart).LineCount()})
			}
		}
	}
	return figures
}

// programLines measures the main.go of each function; local is a program with commands and has no such limit.
func programLines(t *tree) []figure {
	return slices.DeleteFunc(fileLines(t), func(f figure) bool {
		return !matchAny([]string{"functions/*/main.go"}, f.at) || f.at == "functions/local/main.go"
	})
}

// functionLines measures each function from its func to its closing brace.
func functionLines(t *tree) []figure {
	var figures []figure
	for _, f := range t.functions() {
		lines := t.fset.Position(f.to).Line - t.fset.Position(f.from).Line + 1
		figures = append(figures, figure{t.at(f.from), f.name, lines})
	}
	return figures
}

// functionParameters counts the parameters of each function.
func functionParameters(t *tree) []figure {
	var figures []figure
	for _, f := range t.functions() {
		figures = append(figures, figure{t.at(f.from), f.name, f.signature.Params.NumFields()})
	}
	return figures
}

// A function is a declared function, or a function literal that a package-level variable holds.
type function struct {
	name      string    // with its receiver's type before it
	from, to  token.Pos // the func and the closing brace
	signature *ast.FuncType
	body      *ast.BlockStmt
}

// functions returns the functions of every non-test file that is not generated.
func (t *tree) functions() []function {
	var found []function
	for _, p := range t.packages {
		for _, s := range p.sources() {
			if ast.IsGenerated(s.syntax) {
				continue
			}
			for _, d := range s.syntax.Decls {
				found = append(found, declared(d)...)
			}
		}
	}
	return found
}

func declared(d ast.Decl) []function {
	if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
		name := f.Name.Name
		if f.Recv != nil {
			name = receiver(f) + "." + name
		}
		return []function{{name, f.Type.Pos(), f.Body.Rbrace, f.Type, f.Body}}
	}
	var found []function
	ast.Inspect(d, func(n ast.Node) bool {
		literal, ok := n.(*ast.FuncLit)
		if ok {
			found = append(found, function{"a function literal", literal.Pos(), literal.Body.Rbrace, literal.Type, literal.Body})
		}
		return !ok
	})
	return found
}
