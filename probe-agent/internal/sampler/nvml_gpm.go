//go:build linux && cgo

package sampler

import (
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// gpmSamples are the last sample of each device. Drivers have crashed when several
// devices were asked at once, so the lock is held for the whole of a call.
type gpmSamples struct {
	mu   sync.Mutex
	last map[int]nvml.GpmSample
}

// gpmMetrics are the metrics asked for, in the order of GPM's fields.
var gpmMetrics = []nvml.GpmMetricId{nvml.GPM_METRIC_SM_UTIL, nvml.GPM_METRIC_ANY_TENSOR_UTIL, nvml.GPM_METRIC_DRAM_BW_UTIL}

// GPM takes a sample, and returns the means since the one before.
func (n *NVML) GPM(index int) Value[GPM] {
	n.mu.RLock()
	defer n.mu.RUnlock()
	device, code := n.device(index)
	if code != CodeSuccess {
		return Failed[GPM](code)
	}
	if !n.hasGPM() {
		return Failed[GPM](CodeFunctionNotFound)
	}
	n.gpm.mu.Lock()
	defer n.gpm.mu.Unlock()
	sample, ret := n.lib.GpmSampleAlloc()
	if ret != nvml.SUCCESS {
		return Failed[GPM](Code(ret))
	}
	if ret := device.GpmSampleGet(sample); ret != nvml.SUCCESS {
		sample.Free()
		return Failed[GPM](Code(ret))
	}
	before := n.gpm.last[index]
	if n.gpm.last == nil {
		n.gpm.last = make(map[int]nvml.GpmSample)
	}
	n.gpm.last[index] = sample
	if before == nil {
		return Failed[GPM](CodeNotFound)
	}
	defer before.Free()
	return n.gpmBetween(before, sample)
}

func (n *NVML) hasGPM() bool {
	return n.has("nvmlGpmSampleAlloc") && n.has("nvmlGpmSampleFree") && n.has("nvmlGpmSampleGet") && n.has("nvmlGpmMetricsGet")
}

// gpmBetween computes the means between two samples.
func (n *NVML) gpmBetween(before, after nvml.GpmSample) Value[GPM] {
	request := nvml.GpmMetricsGetType{NumMetrics: uint32(len(gpmMetrics)), Sample1: before, Sample2: after}
	for i, id := range gpmMetrics {
		request.Metrics[i].MetricId = uint32(id)
	}
	if ret := n.lib.GpmMetricsGet(&request); ret != nvml.SUCCESS {
		return Failed[GPM](Code(ret))
	}
	var ratios [3]float64
	for i := range gpmMetrics {
		if code := Code(request.Metrics[i].NvmlReturn); code != CodeSuccess {
			return Failed[GPM](code)
		}
		// More than 100% has been seen under MIG.
		ratios[i] = min(1, max(0, request.Metrics[i].Value/100))
	}
	return Of(GPM{SMUtilization: ratios[0], TensorActive: ratios[1], DRAMBandwidth: ratios[2]})
}

// free gives the samples back; the library is still there.
func (g *gpmSamples) free(n *NVML) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, sample := range g.last {
		if n.has("nvmlGpmSampleFree") {
			sample.Free()
		}
	}
	g.last = nil
}
