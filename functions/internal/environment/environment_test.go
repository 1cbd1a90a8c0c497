package environment

import (
	"slices"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// gpu is a GPU of the embedded catalogue.
func gpu(t *testing.T, id catalog.GPUID) catalog.GPUModel {
	t.Helper()
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	g, ok := s.GPU(id)
	if !ok {
		t.Fatalf("no GPU %s", id)
	}
	return g
}

// TestAdviceFits holds the advice on every GPU to its own check: the image carries it,
// and its driver is no older than either needs.
func TestAdviceFits(t *testing.T) {
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range s.GPUIDs() {
		g, _ := s.GPU(id)
		a, err := For(g, wording.English)
		if err != nil {
			t.Fatalf("For(%s): %v", id, err)
		}
		if a.Image == "" {
			if g.ComputeCapability != "" {
				t.Errorf("%s (%s): no image", id, g.ComputeCapability)
			}
			continue
		}
		mismatches, err := Check(g, Pair{a.Torch, a.CUDA})
		if err != nil || len(mismatches) > 0 {
			t.Errorf("%s: %s does not run: %v %v", id, a.Image, mismatches, err)
		}
	}
}

func TestAdvice(t *testing.T) {
	tests := []struct {
		gpu                      catalog.GPUID
		minCUDA, image, driverOf string
		notes                    []string // parts of the notes
	}{
		{"A100-80GB-SXM", "11.0", "pytorch/pytorch:2.11.0-cuda12.8-cudnn9-runtime", "525", nil},
		{"RTX-4090-24GB", "11.8", "pytorch/pytorch:2.11.0-cuda12.8-cudnn9-runtime", "525", []string{"marketplace box with CUDA older than 11.8"}},
		{"B200-180GB", "12.8", "pytorch/pytorch:2.11.0-cuda12.8-cudnn9-runtime", "570", []string{"CUDA older than 12.8"}},
		{"V100-32GB-SXM", "9.0", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", "525",
			[]string{"PyTorch 2.11 and newer for CUDA 12.8 do not carry sm_70", "PyTorch 2.9 and newer for CUDA 13.0 do not carry sm_70"}},
		{"P100-16GB", "8.0", "pytorch/pytorch:2.7.1-cuda12.6-cudnn9-runtime", "525", []string{"for CUDA 12.8 do not carry sm_60"}},
	}
	for _, tt := range tests {
		a, err := For(gpu(t, tt.gpu), wording.English)
		if err != nil {
			t.Fatal(err)
		}
		if a.MinCUDA != tt.minCUDA || a.Image != tt.image || !strings.HasPrefix(a.Driver, tt.driverOf) {
			t.Errorf("%s: CUDA %s, image %s, driver %s; want %s, %s, %s", tt.gpu, a.MinCUDA, a.Image, a.Driver, tt.minCUDA, tt.image, tt.driverOf)
		}
		for _, note := range tt.notes {
			if !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, note) }) {
				t.Errorf("%s: notes %q lack %q", tt.gpu, a.Notes, note)
			}
		}
	}
}

// TestMismatches holds the checks to mismatches that people meet.
func TestMismatches(t *testing.T) {
	tests := []struct {
		name string
		gpu  catalog.GPUID
		pair Pair
		want []string
	}{
		{"consumer card with an old image", "RTX-4090-24GB", Pair{CUDA: "11.3"}, []string{CUDATooOld}},
		{"the same with its PyTorch", "RTX-3090-24GB", Pair{Torch: "1.12", CUDA: "10.2"}, []string{CUDATooOld, TorchLacksGPU}},
		{"V100 with new wheels", "V100-16GB", Pair{Torch: "2.12.0", CUDA: "13.0"}, []string{TorchLacksGPU}},
		{"V100 with the last ones for it", "V100-16GB", Pair{Torch: "2.12.0", CUDA: "12.6"}, nil},
		{"Blackwell before CUDA 12.8", "B200-180GB", Pair{Torch: "2.7.1", CUDA: "12.6"}, []string{CUDATooOld, TorchLacksGPU}},
		{"Blackwell", "RTX-5090-32GB", Pair{Torch: "2.7.1", CUDA: "12.8"}, nil},
		{"Ada runs Ampere's code", "L4-24GB", Pair{Torch: "2.4.0", CUDA: "12.4.1"}, nil},
		{"no such build", "A100-80GB-SXM", Pair{Torch: "2.12.0", CUDA: "12.8"}, []string{NoSuchTorchBuild}},
		{"a release nobody knows yet", "A100-80GB-SXM", Pair{Torch: "9.9", CUDA: "19.0"}, nil},
		{"nothing said", "A100-80GB-SXM", Pair{}, nil},
		{"no version", "A100-80GB-SXM", Pair{Torch: "latest", CUDA: "new"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := Check(gpu(t, tt.gpu), tt.pair)
			if err != nil {
				t.Fatal(err)
			}
			var codes []string
			for _, m := range found {
				codes = append(codes, m.Code)
			}
			if !slices.Equal(codes, tt.want) {
				t.Errorf("mismatches %q, want %q", found, tt.want)
			}
		})
	}
}

func TestUnknownCapability(t *testing.T) {
	a, err := For(catalog.GPUModel{Name: "T4G"}, wording.English)
	if err != nil || a.Image != "" || len(a.Notes) != 1 {
		t.Errorf("advice %+v, %v; want a note alone", a, err)
	}
}

func TestTablesThatCannotBeRead(t *testing.T) {
	for name, tables := range map[string][3]string{
		"builds":  {"torch,cuda,capabilities,ptx,source\n2.x,12.8,8.0,no,s\n", "", ""},
		"images":  {"", "tag,torch,cuda,source\nt,,new,s\n", ""},
		"drivers": {"", "", "cuda,driver,source\n12.8,\"5\n"},
	} {
		if _, err := read(tables[0], tables[1], tables[2]); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
