package naming_test

import (
	"slices"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/naming"
)

func load(t *testing.T) *naming.Names {
	t.Helper()
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	return naming.New(s)
}

const gib = 1 << 30

// Names as the driver gives them, of real captures and of go-nvml's mocks.
func TestGPU(t *testing.T) {
	n := load(t)
	for _, c := range []struct {
		card     naming.Card
		want     catalog.GPUID
		contrary bool
	}{
		{naming.Card{Name: "NVIDIA A100-SXM4-40GB", PCIDevice: "20b0", MemoryBytes: 40 * gib}, "A100-40GB-SXM", false},
		{naming.Card{Name: "NVIDIA A100-SXM4-80GB", PCIDevice: "20b2", MemoryBytes: 80 * gib}, "A100-80GB-SXM", false},
		{naming.Card{Name: "NVIDIA A100 80GB PCIe", PCIDevice: "20b5", MemoryBytes: 80 * gib}, "A100-80GB-PCIe", false},
		{naming.Card{Name: "NVIDIA H100 80GB HBM3", PCIDevice: "2330", MemoryBytes: 85520809984}, "H100-80GB-SXM", false},
		{naming.Card{Name: "NVIDIA H200", PCIDevice: "2335", MemoryBytes: 141 * 1e9}, "H200-141GB-SXM", false},
		{naming.Card{PCIDevice: "2330"}, "H100-80GB-SXM", false},
		{naming.Card{Name: "NVIDIA GeForce RTX 4090"}, "RTX-4090-24GB", false},
		{naming.Card{Name: "NVIDIA GeForce RTX 3090", PCIDevice: "2204", MemoryBytes: 25757220864}, "RTX-3090-24GB", false},
		{naming.Card{Name: "NVIDIA GeForce RTX 3060", MemoryBytes: 12 * gib}, "RTX-3060-12GB", false},
		{naming.Card{Name: "Tesla T4", PCIDevice: "1eb8", MemoryBytes: 15843721216}, "T4-16GB", false},
		{naming.Card{Name: "NVIDIA L40S", PCIDevice: "26b9"}, "L40S-48GB", false},
		{naming.Card{Name: "Tesla V100-SXM2-16GB", PCIDevice: "1db1", MemoryBytes: 16 * gib}, "V100-16GB-SXM", false},
		{naming.Card{Name: "NVIDIA A10G", PCIDevice: "2237"}, "A10G-24GB", false},
		{naming.Card{Name: "NVIDIA H100 80GB HBM3", PCIDevice: "1eb8"}, "", true},
		{naming.Card{Name: "NVIDIA GB10"}, "", false},
		{naming.Card{}, "", false},
	} {
		g, ok, contrary := n.GPU(c.card)
		if g.ID != c.want || ok != (c.want != "") || contrary != c.contrary {
			t.Errorf("%+v: got %q, contrary %v; want %q, %v", c.card, g.ID, contrary, c.want, c.contrary)
		}
	}
}

func TestProvidersAndSKUs(t *testing.T) {
	n := load(t)
	for typed, want := range map[string]catalog.ProviderID{
		"aws": "aws", "AWS": "aws", "Amazon": "aws", "Google Cloud": "gcp", "lambda labs": "lambda", "Vast.ai": "vast", "RunPod": "runpod",
		"dataoorts": "dataoorts", "my own cellar": "", "": "",
	} {
		if id, _ := n.Provider(typed); id != want {
			t.Errorf("provider %q: got %q, want %q", typed, id, want)
		}
	}
	if id, likely := n.Provider("datoorts"); id != "" || !slices.Contains(likely, "dataoorts") {
		t.Errorf("a misspelt provider: %q, %v", id, likely)
	}
	if sku, _ := n.SKU("aws", "P4D.24xlarge"); sku != "p4d.24xlarge" {
		t.Errorf("SKU %q", sku)
	}
	if sku, likely := n.SKU("aws", "p4d.24xlrge"); sku != "" || !slices.Contains(likely, "p4d.24xlarge") {
		t.Errorf("a misspelt SKU: %q, %v", sku, likely)
	}
	if sku, likely := n.SKU("", "p4d.24xlarge"); sku != "" || likely != nil {
		t.Errorf("a SKU of nobody: %q, %v", sku, likely)
	}
}
