package archtest

import (
	"go/ast"
	"go/token"
)

// functionDepth measures how many blocks of if, for, switch, select and function literals lie within each other in each
// function. An else-if is at the depth of its if, and a case at that of its switch.
func functionDepth(t *tree) []figure {
	var figures []figure
	for _, f := range t.functions() {
		d := depth{blocks: make(map[*ast.BlockStmt]bool), deepest: f.from}
		ast.Walk(visitor{&d, 0}, f.body)
		figures = append(figures, figure{t.at(d.deepest), f.name, d.most})
	}
	return figures
}

// A depth is what has been learned of one function.
type depth struct {
	blocks  map[*ast.BlockStmt]bool // the bodies met so far that count
	most    int
	deepest token.Pos // of the first block at that depth
}

// A visitor walks the inside of level blocks.
type visitor struct {
	*depth
	level int
}

// Visit registers the bodies of a statement, and goes one level down at a body.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	for _, body := range bodies(n) {
		v.blocks[body] = true
	}
	if block, ok := n.(*ast.BlockStmt); ok && v.blocks[block] {
		v.level++
		if v.level > v.most {
			v.most, v.deepest = v.level, block.Pos()
		}
	}
	return v
}

// bodies returns the blocks of a statement that are a level of their own. The else of an if is another if or one of these.
func bodies(n ast.Node) []*ast.BlockStmt {
	switch n := n.(type) {
	case *ast.IfStmt:
		if otherwise, ok := n.Else.(*ast.BlockStmt); ok {
			return []*ast.BlockStmt{n.Body, otherwise}
		}
		return []*ast.BlockStmt{n.Body}
	case *ast.ForStmt:
		return []*ast.BlockStmt{n.Body}
	case *ast.RangeStmt:
		return []*ast.BlockStmt{n.Body}
	case *ast.SwitchStmt:
		return []*ast.BlockStmt{n.Body}
	case *ast.TypeSwitchStmt:
		return []*ast.BlockStmt{n.Body}
	case *ast.SelectStmt:
		return []*ast.BlockStmt{n.Body}
	case *ast.FuncLit:
		return []*ast.BlockStmt{n.Body}
	}
	return nil
}
