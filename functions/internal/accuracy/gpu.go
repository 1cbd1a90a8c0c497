package accuracy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// gpuOf finds the GPU that a row means. A name with words that the catalogue does not
// know ("A100-SXM", "RTX-PRO-6000-BSE") is looked up without its last words, which
// then choose among the variants where they can. Of the variants that remain the row
// means, unless its interconnect is PCIe, the one on a board with NVLink, as almost
// all published runs are; and the one with most bandwidth.
func gpuOf(snapshot *catalog.Snapshot, r *Row) (catalog.GPUModel, reason) {
	if r.GPU == "" {
		return catalog.GPUModel{}, "no GPU stated"
	}
	words := strings.FieldsFunc(r.GPU, func(c rune) bool { return strings.ContainsRune(" -_/", c) })
	for n := len(words); n > 0; n-- {
		ids := snapshot.GPUVariants(strings.Join(words[:n], " "))
		if len(ids) == 0 {
			continue
		}
		for _, word := range words[n:] {
			ids = narrowed(ids, word)
		}
		return fullest(snapshot, ids, strings.HasPrefix(strings.ToLower(r.Interconnect), "pcie"))
	}
	return catalog.GPUModel{}, "unknown GPU"
}

// narrowed are the ids that have a word, or all of them if none has.
func narrowed(ids []catalog.GPUID, word string) []catalog.GPUID {
	with := slices.DeleteFunc(slices.Clone(ids), func(id catalog.GPUID) bool {
		return !slices.Contains(strings.Split(strings.ToLower(string(id)), "-"), strings.ToLower(word))
	})
	if len(with) == 0 {
		return ids
	}
	return with
}

// fullest is the variant to take.
func fullest(snapshot *catalog.Snapshot, ids []catalog.GPUID, pcie bool) (catalog.GPUModel, reason) {
	var all []catalog.GPUModel
	for _, id := range ids {
		if g, ok := snapshot.GPU(id); ok && g.Sizable() {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return catalog.GPUModel{}, "GPU without a full specification"
	}
	board := func(g *catalog.GPUModel) int {
		if (g.NVLink == catalog.Yes) != pcie {
			return 1
		}
		return 0
	}
	return slices.MaxFunc(all, func(a, b catalog.GPUModel) int {
		return cmp.Or(board(&a)-board(&b), cmp.Compare(a.BandwidthGBs, b.BandwidthGBs), cmp.Compare(a.ID, b.ID))
	}), ""
}
