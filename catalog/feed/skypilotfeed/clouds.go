package skypilotfeed

import (
	"path"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// cloud is what is special about a cloud's table.
type cloud struct {
	service  catalog.Service
	memory   func(info string, count decimal.NullDecimal) []float64
	describe func(row *feed.Row, hosting string) // nil if nothing is
}

// cloudOf is what is special about a provider's table.
func cloudOf(provider catalog.ProviderID) cloud {
	c := cloud{service: catalog.VirtualMachine, memory: eitherMemory}
	switch provider {
	case "vast":
		return cloud{service: catalog.Marketplace, memory: sharedMemory, describe: describeVast}
	case "lium", "simplepod", "spheron":
		c.service = catalog.Marketplace
	case "runpod":
		c.describe = describeRunPod
	}
	return c
}

// describeRunPod tells RunPod's two clouds apart, which are two providers: the name
// of an instance type ends with the cloud's. Regions are countries.
func describeRunPod(row *feed.Row, _ string) {
	row.Country = string(row.Region)
	name, kind, found := cutLast(string(row.SKU), "_")
	switch {
	case found && kind == "COMMUNITY":
		row.Provider, row.Variant, row.Service = "runpod-community", "community", catalog.Marketplace
	case found && kind == "SECURE":
		row.Variant = "secure"
	default:
		return
	}
	row.SKU = catalog.SKU(name)
}

// describeVast names the GPU as Vast does, since the table's own name leaves its
// form out, and the country that ends the region: "1x-H100_SXM-32-65536", "Czechia,
// CZ, EU".
func describeVast(row *feed.Row, hosting string) {
	if parts := strings.Split(string(row.SKU), "-"); len(parts) >= 4 && row.GPU.Name != "" {
		row.GPU.Name = strings.ReplaceAll(strings.Join(parts[1:len(parts)-2], "-"), "_", " ")
	}
	for _, part := range strings.Split(string(row.Region), ",") {
		if part = strings.TrimSpace(part); len(part) == 2 && part == strings.ToUpper(part) {
			row.Country = part
			break
		}
	}
	if hosting == "1" {
		row.Variant = "datacenter"
	}
}

// cutLast splits a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// capacityBlocksOnly reports whether AWS rents an instance type by capacity blocks
// alone: then it has no on-demand price, and that is no gap in the table.
func capacityBlocksOnly(row feed.Row) bool {
	family, _, _ := strings.Cut(string(row.SKU), ".")
	return row.Provider == "aws" && (family == "p5e" || strings.HasPrefix(family, "p6e-"))
}

// otherNames are the providers that the catalogue calls otherwise than SkyPilot
// calls their folders.
func otherNames() map[string]catalog.ProviderID {
	return map[string]catalog.ProviderID{
		"ovhcloud": "ovh", "do": "digitalocean", "scp": "samsung-scp", "primeintellect": "prime-intellect",
		"datacrunch": "verda", "yotta": "yotta-labs",
	}
}

// Provider is the provider whose table lies at a path or an address: the name of
// its folder, or a part of the file's name, says so. ok is false if neither does.
func Provider(at string, known func(catalog.ProviderID) bool) (id catalog.ProviderID, ok bool) {
	folder, file := path.Split(strings.ToLower(strings.ReplaceAll(at, `\`, "/")))
	name, _, _ := strings.Cut(file, ".")
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
	words = slices.Concat([]string{path.Base(folder), name}, words)
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
