package gpuhuntfeed

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// host is what is special about a provider's table.
type host struct {
	service  catalog.Service
	ramGB    float64                             // of the unit that the table gives memory in
	describe func(row *feed.Row, flags []string) // nil if nothing is
}

// hostOf is what is special about a provider's table.
func hostOf(provider catalog.ProviderID) host {
	h := host{service: catalog.VirtualMachine, ramGB: 1}
	switch provider {
	case "lambda":
		h.ramGB = 1e9 / (1 << 30)
	case "vast":
		h = host{service: catalog.Marketplace, ramGB: 1000.0 / 1024, describe: describeVast}
	case "runpod":
		h.describe = describeRunPod
	case "tensordock", "cudo", "cloudrift":
		h.describe = counted
	case "gcp":
		h.describe = describeGCP
	}
	return h
}

// counted puts the number of GPUs before a name that is that of the GPU alone.
func counted(row *feed.Row, _ []string) {
	if row.GPU.Count.Valid {
		row.SKU = catalog.SKU(row.GPU.Count.Decimal.String() + "x-" + string(row.SKU))
	}
}

// describeVast calls boxes by what they have in common: the table's name is the
// number of the box. A place ends with its country.
func describeVast(row *feed.Row, flags []string) {
	if row.GPU.Count.Valid && len(row.GPU.MemoryGB) > 0 {
		row.SKU = catalog.SKU(fmt.Sprintf("%sx-%s-%.0fGB", row.GPU.Count.Decimal, row.GPU.Name, math.Round(row.GPU.MemoryGB[0])))
	}
	row.RAMGB = math.Round(row.RAMGB*10) / 10
	parts := strings.Split(string(row.Region), ",")
	if code := strings.TrimSpace(parts[len(parts)-1]); len(code) == 2 && code == strings.ToUpper(code) {
		row.Country = code
	}
	if slices.Contains(flags, "vastai-community") {
		row.Variant = "community"
	}
}

// describeRunPod tells RunPod's two clouds apart: the regions of the one that
// strangers let are countries alone.
func describeRunPod(row *feed.Row, flags []string) {
	counted(row, flags)
	row.Variant = "secure"
	if len(row.Region) == 2 {
		row.Provider, row.Variant, row.Service, row.Country = "runpod-community", "community", catalog.Marketplace, string(row.Region)
	}
}

// describeGCP names the GPUs that a host of N1 comes with: the name of the host is
// the same for any.
func describeGCP(row *feed.Row, _ []string) {
	if strings.HasPrefix(string(row.SKU), "n1-") && row.GPU.Name != "" {
		row.Variant = row.GPU.Count.Decimal.String() + "x" + row.GPU.Name
	}
}

// otherNames are the providers that the catalogue calls otherwise than gpuhunt does.
func otherNames() map[string]catalog.ProviderID {
	return map[string]catalog.ProviderID{
		"lambdalabs": "lambda", "vastai": "vast", "datacrunch": "verda", "hotaisle": "hot-aisle",
		"amddevcloud": "digitalocean",
	}
}

// Provider is the provider whose table lies at a path or an address: the name of
// the file or of a folder above it says so. ok is false if neither does.
func Provider(at string, known func(catalog.ProviderID) bool) (id catalog.ProviderID, ok bool) {
	folder, file := path.Split(strings.ToLower(strings.ReplaceAll(at, `\`, "/")))
	name, _, _ := strings.Cut(file, ".")
	folder = path.Clean(folder)
	words := []string{name}
	words = append(words, strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == ' ' })...)
	words = append(words, path.Base(folder), path.Base(path.Dir(folder)))
	for _, word := range words {
		id = catalog.ProviderID(word)
		if other, found := otherNames()[word]; found {
			id = other
		}
		if known(id) {
			return id, true
		}
	}
	return "", false
}
