package chunk

import "github.com/tierwise/tierwise/catalog"

func gpuColumns() []column[catalog.GPUModel] {
	return []column[catalog.GPUModel]{
		text("id", func(g *catalog.GPUModel) *catalog.GPUID { return &g.ID }),
		text("name", func(g *catalog.GPUModel) *string { return &g.Name }),
		text("family", func(g *catalog.GPUModel) *string { return &g.Family }),
		text("vendor", func(g *catalog.GPUModel) *string { return &g.Vendor }),
		text("form", func(g *catalog.GPUModel) *string { return &g.Form }),
		text("architecture", func(g *catalog.GPUModel) *string { return &g.Architecture }),
		text("class", func(g *catalog.GPUModel) *catalog.GPUClass { return &g.Class }),
		integer("tier", func(g *catalog.GPUModel) *catalog.Tier { return &g.Tier }),
		text("compute_capability", func(g *catalog.GPUModel) *string { return &g.ComputeCapability }),
		text("min_cuda", func(g *catalog.GPUModel) *string { return &g.MinCUDA }),
		number("memory_gb", func(g *catalog.GPUModel) *float64 { return &g.MemoryGB }),
		number("bf16_tflops", func(g *catalog.GPUModel) *float64 { return &g.BF16TFLOPS }),
		number("fp16_tflops", func(g *catalog.GPUModel) *float64 { return &g.FP16TFLOPS }),
		number("fp32_tflops", func(g *catalog.GPUModel) *float64 { return &g.FP32TFLOPS }),
		number("fp64_tflops", func(g *catalog.GPUModel) *float64 { return &g.FP64TFLOPS }),
		number("fp8_tflops", func(g *catalog.GPUModel) *float64 { return &g.FP8TFLOPS }),
		number("bandwidth_gb_s", func(g *catalog.GPUModel) *float64 { return &g.BandwidthGBs }),
		number("tdp_w", func(g *catalog.GPUModel) *float64 { return &g.TDPWatts }),
		number("nvlink_gb_s", func(g *catalog.GPUModel) *float64 { return &g.NVLinkGBs }),
		number("peak_clock_mhz", func(g *catalog.GPUModel) *float64 { return &g.PeakClockMHz }),
		number("gemm_tflops", func(g *catalog.GPUModel) *float64 { return &g.GEMMTFLOPS }),
		number("copy_gb_s", func(g *catalog.GPUModel) *float64 { return &g.CopyGBs }),
		texts("pci_devices", func(g *catalog.GPUModel) *[]string { return &g.PCIDevices }),
		integer("nvlink", func(g *catalog.GPUModel) *catalog.Tri { return &g.NVLink }),
		integer("ecc", func(g *catalog.GPUModel) *catalog.Tri { return &g.ECC }),
		integer("mig", func(g *catalog.GPUModel) *catalog.Tri { return &g.MIG }),
		text("spec_of", func(g *catalog.GPUModel) *catalog.GPUID { return &g.SpecOf }),
		text("source", func(g *catalog.GPUModel) *string { return &g.Source }),
	}
}

func modelColumns() []column[catalog.Model] {
	return []column[catalog.Model]{
		text("name", func(m *catalog.Model) *string { return &m.Name }),
		texts("aliases", func(m *catalog.Model) *[]string { return &m.Aliases }),
		text("family", func(m *catalog.Model) *string { return &m.Family }),
		text("kind", func(m *catalog.Model) *string { return &m.Kind }),
		number("params", func(m *catalog.Model) *float64 { return &m.Params }),
		number("active_params", func(m *catalog.Model) *float64 { return &m.ActiveParams }),
		integer("layers", func(m *catalog.Model) *int { return &m.Layers }),
		integer("width", func(m *catalog.Model) *int { return &m.Width }),
		integer("ffn", func(m *catalog.Model) *int { return &m.FFN }),
		truth("gated_ffn", func(m *catalog.Model) *bool { return &m.GatedFFN }),
		integer("heads", func(m *catalog.Model) *int { return &m.Heads }),
		integer("kv_heads", func(m *catalog.Model) *int { return &m.KVHeads }),
		integer("head_size", func(m *catalog.Model) *int { return &m.HeadSize }),
		integer("vocabulary", func(m *catalog.Model) *int { return &m.Vocabulary }),
		truth("tied_head", func(m *catalog.Model) *bool { return &m.TiedHead }),
		integer("experts", func(m *catalog.Model) *int { return &m.Experts }),
		integer("context", func(m *catalog.Model) *int { return &m.Context }),
		text("source", func(m *catalog.Model) *string { return &m.Source }),
	}
}
