package archtest

import (
	"fmt"
	"go/ast"
	"slices"
)

var floatRules = []rule{
	{"money/float", "a float on the way of an amount makes it wrong in the last digits, and nobody can say which", moneyFloats},
}

// moneyPackages are where amounts are computed.
var moneyPackages = []string{"functions/internal/tco", "functions/internal/forecast"}

// floatFiles are the files of them that may hold floats: the crossing from physics, what makes factors without a unit, and
// the cells of a workbook, which are floats by its format.
var floatFiles = []string{"functions/internal/tco/money.go", "functions/internal/forecast/trend.go",
	"functions/internal/forecast/spread.go", "functions/internal/forecast/xlsx.go"}

// floatNames are the types, and the methods of decimal that give one.
var floatNames = []string{"float32", "float64", "InexactFloat64", "Float64", "BigFloat"}

// moneyFloats finds the floats of the packages of money outside the files that may hold them.
func moneyFloats(t *tree) []finding {
	var found []finding
	for _, p := range t.matching(moneyPackages) {
		for _, s := range p.sources() {
			if !slices.Contains(floatFiles, s.path) {
				found = append(found, floatsOf(t, s)...)
			}
		}
	}
	return found
}

// floatsOf finds the floats of a file.
func floatsOf(t *tree, s *source) []finding {
	var found []finding
	for n := range ast.Preorder(s.syntax) {
		if name, ok := n.(*ast.Ident); ok && slices.Contains(floatNames, name.Name) {
			found = append(found, finding{t.at(name.Pos()), fmt.Sprintf("uses %s", name.Name)})
		}
	}
	return found
}
