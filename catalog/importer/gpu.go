package importer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// vramTolerance is how far a GPU's memory may be off that of its model: drivers
// report a part of what is sold, and some sources count 10^9 bytes.
const vramTolerance = 0.07

// hardware is what a GPU of a row is found to be.
type hardware struct {
	id      catalog.GPUID
	name    string // where no model has the name
	vramGB  float64
	offBy   float64 // GB that the memory is off the model's, beyond the tolerance; 0 if it is not
	modelGB float64
}

// gpu finds the model of a row's GPU: by its name, then its memory, then what the
// catalogue says of the same SKU. Where the form stays open it is the model of an
// open form; where the memory does, the one with the least.
func (n *normaliser) gpu(row *feed.Row, known *catalog.Instance) hardware {
	models := n.named(row.GPU.Name)
	if len(models) == 0 {
		h := hardware{id: catalog.UnmappedGPU, name: row.GPU.Name}
		if len(row.GPU.MemoryGB) > 0 {
			h.vramGB = row.GPU.MemoryGB[0]
		}
		return h
	}
	share := 1.0
	if c := row.GPU.Count; c.Valid && c.Decimal.IsPositive() && !c.Decimal.IsInteger() {
		share = min(1, c.Decimal.InexactFloat64())
	}
	fit, vram := byMemory(models, row.GPU.MemoryGB, share)
	h := hardware{vramGB: vram}
	if len(fit) == 0 {
		fit = least(models)
		h.offBy, h.modelGB = vram-fit[0].MemoryGB, fit[0].MemoryGB
	}
	h.id = settled(fit, known)
	return n.slice(h, row, share)
}

// slice leaves the memory of a slice unknown where the source states the whole
// card's, and excuses a slice's that is less.
func (n *normaliser) slice(h hardware, row *feed.Row, share float64) hardware {
	whole := row.GPU.Count.Valid && row.GPU.Count.Decimal.IsInteger()
	if whole && share == 1 {
		return h
	}
	model, _ := n.base.GPU(h.id)
	if h.vramGB >= model.MemoryGB*(1-vramTolerance) {
		h.vramGB = 0
	}
	h.offBy = 0
	return h
}

// named are the models that a name stands for. A name may carry a form beside a
// family: "A100 SXM4".
func (n *normaliser) named(name string) []catalog.GPUModel {
	models := n.models(name)
	if len(models) > 0 {
		return models
	}
	for _, form := range []string{"SXM", "PCIE", "NVL"} {
		at := strings.LastIndex(strings.ToUpper(name), form)
		if at <= 0 {
			continue
		}
		models = slices.DeleteFunc(n.models(name[:at]), func(g catalog.GPUModel) bool {
			return !strings.EqualFold(g.Form, form) && !strings.HasSuffix(string(g.ID), "-"+form)
		})
		if len(models) > 0 {
			return models
		}
	}
	return nil
}

// models are the models of a name that the alias table knows.
func (n *normaliser) models(name string) []catalog.GPUModel {
	var found []catalog.GPUModel
	for _, id := range n.base.GPUVariants(strings.TrimSpace(name)) {
		if g, ok := n.base.GPU(id); ok {
			found = append(found, g)
		}
	}
	return found
}

// byMemory are the models that have the memory that a source states, in the first
// way of reading it in which any has. share is the part of a card that is let.
func byMemory(models []catalog.GPUModel, readings []float64, share float64) (fit []catalog.GPUModel, gb float64) {
	if len(readings) == 0 {
		return least(models), 0
	}
	for _, gb := range readings {
		for _, g := range models {
			if near(gb, g.MemoryGB) || share < 1 && near(gb, g.MemoryGB*share) {
				fit = append(fit, g)
			}
		}
		if len(fit) > 0 {
			return fit, gb
		}
	}
	return nil, readings[0]
}

// near reports whether a figure is within the tolerance of a model's.
func near(gb, model float64) bool { return math.Abs(gb-model) <= model*vramTolerance }

// least are the models of the least memory.
func least(models []catalog.GPUModel) []catalog.GPUModel {
	smallest := slices.MinFunc(models, func(a, b catalog.GPUModel) int { return cmp.Compare(a.MemoryGB, b.MemoryGB) })
	return slices.DeleteFunc(slices.Clone(models), func(g catalog.GPUModel) bool { return g.MemoryGB != smallest.MemoryGB })
}

// settled is one of several models: that of the same SKU in the catalogue, else the
// one whose form is open, whose id the others' begin with.
func settled(models []catalog.GPUModel, known *catalog.Instance) catalog.GPUID {
	shortest := models[0].ID
	for _, g := range models {
		if known != nil && known.GPU == g.ID {
			return g.ID
		}
		if len(g.ID) < len(shortest) {
			shortest = g.ID
		}
	}
	return shortest
}
