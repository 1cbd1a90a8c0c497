package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// Box checks what the GPUs are against a claim.
func Box(inventory *sampler.Inventory, claim Claim) []Check {
	return []Check{checkCount(inventory, claim), checkModel(inventory, claim), checkMemory(inventory, claim)}
}

func checkCount(inventory *sampler.Inventory, claim Claim) Check {
	c := Check{ID: "gpu_count", Title: "Number of GPUs"}.withValue(float64(len(inventory.Devices)), "")
	switch {
	case claim.Count == 0:
		c.Status, c.Evidence = Skip, "nothing is claimed: add count= to --claim"
	case claim.Count == len(inventory.Devices):
		c.Status, c.Required = Pass, fmt.Sprint(claim.Count)
	default:
		c.Status, c.Required = Fail, fmt.Sprint(claim.Count)
		c.Remedy = "ask the seller for the missing GPUs, or a lower price; in a container, check that all GPUs are passed in"
	}
	return c
}

func checkModel(inventory *sampler.Inventory, claim Claim) Check {
	c := Check{ID: "gpu_model", Title: "GPU model", Required: claim.GPU, Status: Pass}
	var names, wrong []string
	open := false
	for i := range inventory.Devices {
		name := modelName(&inventory.Devices[i])
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		match, decided := matches(&inventory.Devices[i], claim.GPU)
		open = open || !decided
		if !match {
			wrong = append(wrong, fmt.Sprintf("GPU %d is %s", i, name))
		}
	}
	c.Actual = strings.Join(names, ", ")
	switch {
	case claim.GPU == "" && len(names) > 1:
		c.Status, c.Evidence = Warn, "the GPUs are of different models"
	case claim.GPU == "":
		c.Status, c.Evidence = Skip, "nothing is claimed: add gpu= to --claim"
	case len(wrong) > 0:
		c.Status, c.Evidence = Fail, strings.Join(wrong, "; ")
		c.Remedy = "this is not the model that was sold"
	case open:
		c.Status, c.Evidence = Inconclusive, "the name fits, but the driver does not say which form of the card it is"
	}
	return c
}

// modelName is what a device is called: by its PCI id if that is known.
func modelName(d *sampler.Device) string {
	id, _ := d.PCIDeviceID.Get()
	name, ok := d.Name.Get()
	if known := cardNames[id]; known != "" {
		return known
	}
	if !ok {
		return "a GPU without a name"
	}
	return name
}

// cardNames are models by the PCI id of the device, where one id is one model.
var cardNames = map[string]string{
	"2335": "H200 SXM", "233b": "H200 NVL", "2330": "H100 SXM", "2331": "H100 PCIe", "2321": "H100 NVL", "2324": "H800 SXM",
	"2329": "H20", "20b0": "A100 SXM 40GB", "20b2": "A100 SXM 80GB", "20f1": "A100 PCIe 40GB", "20b5": "A100 PCIe 80GB",
	"20f3": "A800 SXM 80GB", "2237": "A10G", "20b7": "A30", "2235": "A40", "27b8": "L4", "26b5": "L40", "26b9": "L40S",
	"2230": "RTX A6000", "2231": "RTX A5000", "24b0": "RTX A4000", "1db0": "V100 SXM2 16GB", "1db1": "V100 SXM2 32GB",
	"1db5": "V100 SXM2 32GB", "1db4": "V100 PCIe 16GB", "1db6": "V100 PCIe 32GB", "1eb8": "T4", "15f9": "P100 SXM2",
	"1b38": "P40", "102d": "K80", "2901": "B200", "29bc": "B100", "2941": "GB200",
}

// forms are the words that tell two forms of one model apart.
var forms = []string{"sxm", "pcie", "nvl"}

// variants are words that make another model of a name.
var variants = []string{"ti", "super", "d", "laptop", "mobile", "ada"}

// matches reports whether a device can be called a name, and whether that is certain.
func matches(d *sampler.Device, claimed string) (match, decided bool) {
	have, want := words(modelName(d)), words(claimed)
	decided = true
	for _, word := range want {
		if slices.Contains(have, word) {
			continue
		}
		if !slices.Contains(forms, word) || slices.ContainsFunc(have, isForm) {
			return false, true
		}
		decided = false // a form is claimed, and none is in the name
	}
	for _, word := range variants {
		if slices.Contains(have, word) && !slices.Contains(want, word) {
			return false, true
		}
	}
	return true, decided
}

func isForm(word string) bool { return slices.Contains(forms, word) }

// words cuts a model's name into words: "NVIDIA A100-SXM4-80GB" is a100, sxm, 80gb.
func words(name string) []string {
	fields := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" -_,()", r) })
	var kept []string
	for _, w := range fields {
		if strings.HasPrefix(w, "sxm") {
			w = "sxm"
		}
		if w != "nvidia" && w != "tesla" && w != "geforce" {
			kept = append(kept, w)
		}
	}
	return kept
}

// memoryShare is how much of the claimed memory there must be: the driver keeps some,
// and sellers round.
const memoryShare = 0.95

func checkMemory(inventory *sampler.Inventory, claim Claim) Check {
	c := Check{ID: "gpu_memory", Title: "Memory of each GPU", Status: Pass}
	least, known := 0.0, false
	for i := range inventory.Devices {
		total, ok := inventory.Devices[i].Readings.Get(sampler.MemoryTotal)
		if !ok {
			return skipped(c.ID, c.Title, fmt.Sprintf("GPU %d has no memory of its own, or does not tell", i))
		}
		if gb := total / 1e9; !known || gb < least {
			least, known = gb, true
		}
	}
	if !known {
		return skipped(c.ID, c.Title, "there is no GPU")
	}
	c = c.withValue(least, "GB")
	if claim.MemoryGB == 0 {
		c.Status, c.Evidence = Skip, "nothing is claimed: add mem= to --claim"
		return c
	}
	c.Required = fmt.Sprintf("%g, less %.0f%%", claim.MemoryGB, 100*(1-memoryShare))
	if least < memoryShare*claim.MemoryGB {
		c.Status = Fail
		c.Remedy = "a smaller card, or a slice of one (MIG, vGPU), was delivered"
	}
	return c
}
