package catalog

import (
	"slices"
	"strings"
)

// gpuNames is the one alias table of GPU names. It serves offers,
// specifications, queries and measured boxes alike.
type gpuNames struct {
	byName  map[string][]GPUID
	aliases map[string]GPUID // as given
	devices map[string][]GPUID
}

// newGPUNames indexes every id, product name, family and alias under its folded form.
func newGPUNames(models []GPUModel, aliases map[string]GPUID) gpuNames {
	n := gpuNames{byName: make(map[string][]GPUID), aliases: aliases, devices: make(map[string][]GPUID)}
	for _, g := range models {
		for _, device := range g.PCIDevices {
			n.devices[device] = append(n.devices[device], g.ID)
		}
		n.add(string(g.ID), g.ID)
		if g.SpecOf != "" {
			n.addForms(g.ID, models)
		}
	}
	for alias, id := range aliases {
		if len(n.byName[FoldName(alias)]) == 0 {
			n.add(alias, id)
		}
	}
	families := make(map[string][]GPUID)
	for _, g := range models {
		key := FoldName(g.Family)
		families[key] = append(families[key], g.ID)
	}
	for key, ids := range families {
		slices.Sort(ids)
		if len(n.byName[key]) == 0 {
			n.byName[key] = ids
		}
	}
	return n
}

// addForms makes an id whose form factor is open stand for every form of it too:
// "A100-80GB" for "A100-80GB-SXM" and "A100-80GB-PCIe".
func (n gpuNames) addForms(open GPUID, models []GPUModel) {
	for _, g := range models {
		if strings.HasPrefix(string(g.ID), string(open)+"-") {
			n.add(string(open), g.ID)
		}
	}
}

// add records one name of one GPU.
func (n gpuNames) add(name string, id GPUID) {
	key := FoldName(name)
	if !slices.Contains(n.byName[key], id) {
		n.byName[key] = append(n.byName[key], id)
		slices.Sort(n.byName[key])
	}
}

// variants are the ids a name stands for.
func (n gpuNames) variants(name string) []GPUID { return n.byName[FoldName(name)] }

// FoldName reduces a name of a GPU or a model to what distinguishes it: lower
// case, letters, digits and dots only, without the maker's name. "NVIDIA A100-SXM4-80GB"
// and "a100 sxm4 80 GB" fold to the same text.
func FoldName(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			b.WriteRune(r)
		}
	}
	folded := b.String()
	for _, maker := range []string{"nvidia", "geforce", "tesla"} {
		if rest := strings.TrimPrefix(folded, maker); rest != "" {
			folded = rest
		}
	}
	return folded
}

// modelIndex finds named models by any of their names.
type modelIndex struct {
	sorted []Model
	byName map[string]int
}

// newModelIndex indexes names before aliases, so that no alias hides a name.
func newModelIndex(models []Model) modelIndex {
	x := modelIndex{sorted: slices.Clone(models), byName: make(map[string]int)}
	slices.SortFunc(x.sorted, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	for i, m := range x.sorted {
		x.byName[FoldName(m.Name)] = i
	}
	for i, m := range x.sorted {
		for _, alias := range m.Aliases {
			if _, taken := x.byName[FoldName(alias)]; !taken {
				x.byName[FoldName(alias)] = i
			}
		}
	}
	return x
}

// find looks a model up by any of its names.
func (x modelIndex) find(name string) (Model, bool) {
	i, ok := x.byName[FoldName(name)]
	if !ok {
		return Model{}, false
	}
	return x.sorted[i], true
}
