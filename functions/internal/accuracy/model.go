package accuracy

import (
	"regexp"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// farOff is the factor between a row's parameters and a named model's beyond which
// the name must mean another model.
const farOff = 1.2

// shapeOf finds the model of a row: the longest part of the name, from its start,
// that the catalogue knows by a model of about the row's size; else a typical shape
// of that size. The counts are the row's. context is the model's longest sequence, 0
// if unknown.
func shapeOf(snapshot *catalog.Snapshot, r *Row) (shape workload.Shape, context int) {
	params := or(r.ParamsB, r.ActiveParamsB) * 1e9
	active := or(r.ActiveParamsB, r.ParamsB) * 1e9
	for _, name := range names(r.Model) {
		m, ok := snapshot.Model(name)
		if !ok || m.Params > farOff*params || params > farOff*m.Params {
			continue
		}
		if !known(r.ActiveParamsB) && m.ActiveParams > 0 {
			active = params * m.ActiveParams / m.Params
		}
		m.Params, m.ActiveParams = params, min(active, params)
		return workload.ShapeOf(m), m.Context
	}
	return workload.FitShape(params, min(active, params), 0, 0), 0
}

var (
	bracketed = regexp.MustCompile(`\([^)]*\)`)
	rider     = regexp.MustCompile(`(?i)[ -]*(\+|\bw/|\bwith\b).*$`)
)

// names are the texts that may name the model: all of it, without what is in
// brackets, then with one word less at the end each time.
func names(model string) []string {
	plain := strings.TrimSpace(rider.ReplaceAllString(bracketed.ReplaceAllString(model, ""), ""))
	all := []string{model, plain}
	words := strings.Fields(plain)
	for n := len(words) - 1; n > 0; n-- {
		all = append(all, strings.Join(words[:n], " "))
	}
	return all
}
