package seed_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

func TestGPUNames(t *testing.T) {
	s := load(t)
	for _, tc := range []struct {
		name string
		want []catalog.GPUID
	}{
		{"A100", []catalog.GPUID{
			"A100-40GB", "A100-40GB-PCIe", "A100-40GB-SXM", "A100-80GB", "A100-80GB-PCIe", "A100-80GB-PCIe-NVLink", "A100-80GB-SXM",
		}},
		{"A100-80GB-SXM", []catalog.GPUID{"A100-80GB-SXM"}},
		{"A100-80GB-SXM4", []catalog.GPUID{"A100-80GB-SXM"}},
		{"NVIDIA A100-SXM4-80GB", []catalog.GPUID{"A100-80GB-SXM"}},
		{"NVIDIA H100 80GB HBM3", []catalog.GPUID{"H100-80GB-SXM"}},
		{"NVIDIA H100 PCIe", []catalog.GPUID{"H100-80GB-PCIe"}},
		{"NVIDIA H200", []catalog.GPUID{"H200-141GB", "H200-141GB-NVL", "H200-141GB-SXM"}},
		{"V100", []catalog.GPUID{
			"V100-16GB", "V100-16GB-PCIe", "V100-16GB-SXM", "V100-32GB", "V100-32GB-PCIe", "V100-32GB-SXM",
		}},
		{"A6000", []catalog.GPUID{"RTX-A6000-48GB"}},
		{"RTXA6000", []catalog.GPUID{"RTX-A6000-48GB"}},
		{"RTX6000-Ada", []catalog.GPUID{"RTX-6000-Ada-48GB"}},
		{"RTX6000Ada", []catalog.GPUID{"RTX-6000-Ada-48GB"}},
		{"NVIDIA RTX 6000 Ada Generation", []catalog.GPUID{"RTX-6000-Ada-48GB"}},
		{"RTX6000", []catalog.GPUID{"Quadro-RTX-6000-24GB"}},
		{"A4000", []catalog.GPUID{"RTX-A4000-16GB"}},
		{"RTXA4000", []catalog.GPUID{"RTX-A4000-16GB"}},
		{"NVIDIA GeForce RTX 4090", []catalog.GPUID{"RTX-4090-24GB"}},
		{"Tesla T4", []catalog.GPUID{"T4-16GB"}},
		{"RTX 3060", []catalog.GPUID{"RTX-3060-12GB", "RTX-3060-8GB"}},
		{"H100-80G-SXM5", []catalog.GPUID{"H100-80GB-SXM"}},
		{"G49", nil},
	} {
		if got := s.GPUVariants(tc.name); !slices.Equal(got, tc.want) {
			t.Errorf("%q stands for %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestAliasesAreUnambiguous reads the table of aliases itself: the snapshot keeps
// only the first meaning of a name.
func TestAliasesAreUnambiguous(t *testing.T) {
	s := load(t)
	file, err := os.Open("gpu_aliases.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for _, got := range s.GPUVariants(row[0]) {
			if got != catalog.GPUID(row[1]) && !strings.HasPrefix(string(got), row[1]+"-") {
				t.Errorf("alias %q stands for %s, want %s or a form of it", row[0], got, row[1])
			}
		}
	}
}

func TestGPUModels(t *testing.T) {
	s := load(t)
	for _, id := range s.GPUIDs() {
		g, _ := s.GPU(id)
		if g.MemoryGB <= 0 || g.Family == "" || g.Name == "" {
			t.Errorf("GPU %s has %v GB, family %q, name %q", id, g.MemoryGB, g.Family, g.Name)
		}
		if variants := s.GPUVariants(g.Family); !slices.Contains(variants, id) {
			t.Errorf("family %s stands for %v, without %s", g.Family, variants, id)
		}
		if (g.Tier == catalog.TierConsumer) && g.Class != catalog.Consumer || g.Class == catalog.Consumer && g.Tier == catalog.TierFlagship {
			t.Errorf("GPU %s is %s in tier %d", id, g.Class, g.Tier)
		}
		if g.FP64TFLOPS >= 9 && g.Tier != catalog.TierFlagship || g.FP64TFLOPS > 0 && g.FP64TFLOPS < 9 && g.Tier == catalog.TierFlagship {
			t.Errorf("GPU %s has %v TFLOPS of FP64 in tier %d", id, g.FP64TFLOPS, g.Tier)
		}
		if g.Form == "PCIe" && g.NVLink == catalog.Yes && !strings.HasSuffix(string(id), "-NVLink") {
			t.Errorf("card %s has NVLink, want unknown: a bridge may be missing", id)
		}
	}
}

func TestOpenFormFactors(t *testing.T) {
	s := load(t)
	for open, slower := range map[catalog.GPUID]catalog.GPUID{
		"A100-40GB": "A100-40GB-PCIe", "A100-80GB": "A100-80GB-PCIe", "H100-80GB": "H100-80GB-PCIe", "H200-141GB": "H200-141GB-NVL",
		"V100-16GB": "V100-16GB-PCIe", "V100-32GB": "V100-32GB-PCIe", "P100-16GB": "P100-16GB-PCIe",
	} {
		g, _ := s.GPU(open)
		spec, ok := s.GPU(slower)
		if !ok || g.SpecOf != slower || g.NVLink != catalog.Unknown || g.Form != "" {
			t.Errorf("GPU %s is %+v, want the figures of %s and its link unknown", open, g, slower)
		}
		if g.BF16TFLOPS != spec.BF16TFLOPS || g.FP32TFLOPS != spec.FP32TFLOPS || g.BandwidthGBs != spec.BandwidthGBs || !g.Sizable() {
			t.Errorf("GPU %s has other figures than %s, or too few", open, slower)
		}
	}
	sxm, _ := s.GPU("H100-80GB-SXM")
	if sxm.NVLink != catalog.Yes || sxm.NVLinkGBs != 900 || sxm.BF16TFLOPS != 989.5 || sxm.BandwidthGBs != 3350 {
		t.Errorf("H100 SXM is %+v", sxm)
	}
	bridged, _ := s.GPU("H100-80GB-PCIe-NVLink")
	if bridged.NVLink != catalog.Yes || bridged.Form != "PCIe" {
		t.Errorf("H100 PCIe with a bridge is %+v", bridged)
	}
}
