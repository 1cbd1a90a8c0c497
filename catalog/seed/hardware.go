package seed

import (
	"errors"
	"strings"

	"github.com/tierwise/tierwise/catalog"
)

// gpu reads a GPU model.
func (l *loader) gpu(x *row) {
	g := catalog.GPUModel{
		ID: catalog.GPUID(x.required()), Name: x.required(), Family: x.required(), Vendor: x.required(),
		Form: x.text(), Architecture: x.text(), Class: parse(x, gpuClass), Tier: parse(x, catalog.ParseTier),
		ComputeCapability: x.text(), MinCUDA: x.text(), MemoryGB: x.number(),
		BF16TFLOPS: x.number(), FP16TFLOPS: x.number(), FP32TFLOPS: x.number(), FP64TFLOPS: x.number(), FP8TFLOPS: x.number(),
		BandwidthGBs: x.number(), TDPWatts: x.number(), NVLinkGBs: x.number(),
		PeakClockMHz: x.number(), GEMMTFLOPS: x.number(), CopyGBs: x.number(), PCIDevices: parse(x, pciDevices),
		NVLink: x.tri(), ECC: x.tri(), MIG: x.tri(),
		SpecOf: catalog.GPUID(x.text()),
	}
	g.Source = l.cited(x).Source
	l.parts.GPUs = append(l.parts.GPUs, g)
}

// pciDevices reads PCI device ids, four digits in lower-case hex each, separated by
// bars; none is none.
func pciDevices(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	ids := strings.Split(text, "|")
	for _, id := range ids {
		if len(id) != 4 || strings.Trim(id, "0123456789abcdef") != "" {
			return nil, errors.New("four digits in lower-case hex, separated by bars")
		}
	}
	return ids, nil
}

// gpuAlias reads another name of a GPU.
func (l *loader) gpuAlias(x *row) {
	alias := x.required()
	l.parts.GPUAliases[alias] = catalog.GPUID(x.required())
}

// prior reads an efficiency coefficient to assume.
func (l *loader) prior(x *row) {
	l.parts.Priors = append(l.parts.Priors, catalog.Prior{
		Class: parse(x, gpuClass), Value: x.number(), Low: x.number(), High: x.number(), Source: l.cited(x).Source,
	})
}

// gpuClass reads a class of GPUs by its name.
func gpuClass(text string) (catalog.GPUClass, error) {
	return oneOf("GPU class", text, catalog.DataCentre, catalog.Workstation, catalog.Consumer)
}
