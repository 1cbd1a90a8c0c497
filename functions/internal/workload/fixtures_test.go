package workload

import (
	"math"
	"testing"

	"github.com/tierwise/tierwise/catalog"
)

// GPUs as their makers specify them.

func a100() catalog.GPUModel {
	return catalog.GPUModel{
		ID: "A100-80GB-SXM", Vendor: "nvidia", Architecture: "Ampere", Class: catalog.DataCentre,
		MemoryGB: 80, BF16TFLOPS: 312, FP16TFLOPS: 312, FP32TFLOPS: 19.5, BandwidthGBs: 2039, TDPWatts: 400, NVLinkGBs: 600,
	}
}

func a100Small() catalog.GPUModel {
	g := a100()
	g.ID, g.MemoryGB, g.BandwidthGBs = "A100-40GB-SXM", 40, 1555
	return g
}

func h100() catalog.GPUModel {
	return catalog.GPUModel{
		ID: "H100-80GB-SXM", Vendor: "nvidia", Architecture: "Hopper", Class: catalog.DataCentre,
		MemoryGB: 80, BF16TFLOPS: 989, FP16TFLOPS: 989, FP32TFLOPS: 67, FP8TFLOPS: 1979, BandwidthGBs: 3350, TDPWatts: 700, NVLinkGBs: 900,
	}
}

func h800() catalog.GPUModel {
	g := h100()
	g.ID, g.NVLinkGBs = "H800-80GB-SXM", 400
	return g
}

func rtx4090() catalog.GPUModel {
	return catalog.GPUModel{
		ID: "RTX-4090-24GB", Vendor: "nvidia", Architecture: "Ada", Class: catalog.Consumer,
		MemoryGB: 24, BF16TFLOPS: 165.2, FP16TFLOPS: 165.2, FP32TFLOPS: 82.6, FP8TFLOPS: 330.3, BandwidthGBs: 1008, TDPWatts: 450,
	}
}

func t4() catalog.GPUModel {
	return catalog.GPUModel{
		ID: "T4-16GB", Vendor: "nvidia", Architecture: "Turing", Class: catalog.DataCentre,
		MemoryGB: 16, FP16TFLOPS: 65, FP32TFLOPS: 8.1, BandwidthGBs: 320, TDPWatts: 70,
	}
}

func v100() catalog.GPUModel {
	return catalog.GPUModel{
		ID: "V100-32GB-SXM2", Vendor: "nvidia", Architecture: "Volta", Class: catalog.DataCentre,
		MemoryGB: 32, FP16TFLOPS: 125, FP32TFLOPS: 15.7, BandwidthGBs: 900, TDPWatts: 300, NVLinkGBs: 300,
	}
}

func p100() catalog.GPUModel {
	return catalog.GPUModel{
		ID: "P100-16GB", Vendor: "nvidia", Architecture: "Pascal", Class: catalog.DataCentre,
		MemoryGB: 16, FP32TFLOPS: 10.6, BandwidthGBs: 732, TDPWatts: 300,
	}
}

// one is a machine of n of the GPUs, with NVLink where the GPU has it.
func one(g catalog.GPUModel, n int) Hardware {
	return Hardware{GPU: g, GPUsPerNode: n, Nodes: 1, NVLink: g.NVLinkGBs > 0}
}

// Shapes as published.

func llama7B() Shape {
	return Shape{
		Name: "llama-2-7b", Params: 6_738_415_616, ActiveParams: 6_738_415_616, Layers: 32, Width: 4096, FFN: 11008,
		GatedFFN: true, Heads: 32, KVHeads: 32, HeadSize: 128, Vocabulary: 32_000,
	}
}

func llama70B() Shape {
	return Shape{
		Name: "llama-2-70b", Params: 68_976_648_192, ActiveParams: 68_976_648_192, Layers: 80, Width: 8192, FFN: 28672,
		GatedFFN: true, Heads: 64, KVHeads: 8, HeadSize: 128, Vocabulary: 32_000,
	}
}

func qwen7B() Shape {
	s := llama7B()
	s.Name, s.Params, s.ActiveParams, s.Vocabulary = "qwen-7b", 7.721e9, 7.721e9, 151_936
	return s
}

func mixtral() Shape {
	s := llama7B()
	s.Name, s.Params, s.ActiveParams, s.Experts = "mixtral-8x7b", 46_702_792_704, 12_879_925_248, 8
	s.FFN, s.KVHeads = 14336, 8
	return s
}

// loraJob is the default fine-tune: LoRA on 50 million packed tokens.
func loraJob(shape Shape) Spec {
	return Spec{
		Kind: FineTune, Method: LoRA, Shape: shape, Tokens: 50e6, SeqLen: 2048, MicroBatch: 1, LoRARank: 16,
		Packing: true, Framework: Flash, PreprocessCoreHours: 4, DatasetGB: 10,
		Evaluate: Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128},
	}
}

// stage sizes the spec and returns the stage of that name.
func stage(t testing.TB, s Spec, name StageName) *Stage {
	t.Helper()
	stages, err := Size(s)
	if err != nil {
		t.Fatalf("Size: %v", err)
	}
	for i := range stages {
		if stages[i].Name == name {
			return &stages[i]
		}
	}
	t.Fatalf("no stage %s", name)
	return nil
}

// on estimates a stage of the spec on hardware.
func on(t testing.TB, s Spec, name StageName, h Hardware) Estimate {
	t.Helper()
	e, err := stage(t, s, name).On(h)
	if err != nil {
		t.Fatalf("On: %v", err)
	}
	return e
}

// near fails unless got is within a factor of want.
func near(t testing.TB, what string, got, want, factor float64) {
	t.Helper()
	if !(math.Abs(math.Log(got/want)) <= math.Log(factor)) {
		t.Errorf("%s = %g, want %g within x%g", what, got, want, factor)
	}
}

// modelOf is a model with a vocabulary of 151,936 and plain attention.
func modelOf(params float64, layers, width int) catalog.Model {
	return catalog.Model{Params: params, Layers: layers, Width: width, Vocabulary: 151_936}
}

// machineOf is the hardware as the formulas read it.
func machineOf(t testing.TB, h Hardware) machine {
	t.Helper()
	var m machine
	if err := m.read(&h, PrecisionAuto, Calibrated().with()); err != nil {
		t.Fatalf("read: %v", err)
	}
	return m
}

// memoryOf is the peak of a training in one layout.
func memoryOf(s Spec, m *machine, l layout) Memory {
	var scratch Memory
	parts, _ := trainingOf(&s, Calibrated().with()).memory(m, &l, &scratch)
	return *parts
}
