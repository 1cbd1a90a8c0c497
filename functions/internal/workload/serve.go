package workload

import (
	"math"
	"math/bits"
)

// serving is how generation is laid out: copies of the model, each over width GPUs
// of one node, each answering batch requests at a time with weights of one format.
type serving struct {
	store            *store
	rate, bandwidth  float64 // FLOP/s and B/s of a GPU
	perFLOP, perByte float64 // the seconds, but for rounding

	width, copies, batch int
	requests             float64 // of the copy that answers most
	share                float64 // 1 / width: exact, as widths are powers of two
	together             float64 // GPUs of a copy that work at the same time
}

// estimate estimates the generation: requests are answered in batches by as many
// copies of the model as the GPUs hold, laid out so that it ends soonest.
func (g *generation) estimate(m *machine, e *Estimate) {
	var v serving
	var scratch [2]answering
	t := g.serve(m, &v, &scratch)
	expected, gpus := t.all.total(), float64(m.gpus)
	e.Precision, e.Sharding, e.Parallelism = m.precision, ShardNone, g.servingWords(m, &v)
	e.GPUsPerCopy, e.Shares, e.Batch, e.Weights = v.width, t.all.shares(), v.batch, v.store.format
	made := g.requests * g.out
	e.TokensPerSecondPerGPU = made / expected / gpus
	e.MFU = g.perAnswer * g.requests / (expected * gpus * m.servingPeak(v.store.fp8))
	first := g.promptSeconds(m, &v, 1)
	e.FirstTokenSeconds, e.TokenSeconds, e.AnswerSeconds = first.total(), t.step.total(), t.batch.total()
	parts := g.memory(&v)
	e.remember(&parts, servingMargin, m.memoryGB)
	factor := g.factor
	if m.unproven {
		factor = g.newGPU
	}
	e.spread(expected, factor)
}

// servingWords names the layout.
func (g *generation) servingWords(m *machine, v *serving) string {
	switch {
	case m.gpus == 1:
		return "one GPU"
	case v.width > 1 && g.spread:
		return "layers spread over GPUs, one after the other"
	case v.width == 1:
		return "independent copies"
	case v.copies == 1:
		return "tensor parallel"
	default:
		return "copies, each tensor parallel"
	}
}

// serve chooses the format, the GPUs of a node that hold a copy (a power of two,
// which divides the heads) and the batch. FormatAuto is the widest format in which a
// copy fits; of the widths that hold a copy the one that ends soonest is taken. The times
// are put into scratch.
func (g *generation) serve(m *machine, v *serving, scratch *[2]answering) *answering {
	g.begin(m, v)
	t, u, soonest := &scratch[0], &scratch[1], math.Inf(1)
	width, batch, found, widest := 0, 1, false, m.doublings()
	for doublings := range widest + 1 {
		g.widen(m, v, doublings)
		last := !found && doublings == widest
		if !last && g.atLeast(m, v, g.holds(m, v)) >= soonest {
			continue
		}
		if !g.lay(m, v) && !last {
			continue
		}
		g.answer(m, v, u)
		if total := u.all.total(); total < soonest {
			width, batch, found, soonest = doublings, v.batch, true, total
			t, u = u, t
		}
	}
	g.widen(m, v, width)
	v.batch = batch
	return t
}

// begin settles FormatAuto: 16 bits if a copy fits on a node so, else 8, else 4. The
// width is left open.
func (g *generation) begin(m *machine, v *serving) {
	for i := range g.stores {
		v.store = &g.stores[i]
		if i == len(g.stores)-1 {
			break
		}
		g.widen(m, v, m.doublings()) // takes least memory
		if v.batch = 1; g.serves(m, v) {
			break
		}
	}
	v.rate, v.bandwidth = m.servingRate(v.store.fp8), m.bandwidth*decodeEfficiency
	v.perFLOP, v.perByte = 1/v.rate, 1/v.bandwidth
}

// doublings is how often one GPU can be doubled within a node.
func (m *machine) doublings() int { return bits.Len(uint(m.perNode)) - 1 }

// widen is copies over 1, 2, 4, ... GPUs each, the batch left open.
func (g *generation) widen(m *machine, v *serving, doublings int) {
	v.width, v.copies = 1<<doublings, m.nodes*(m.perNode>>doublings)
	v.share, v.together = 1/float64(v.width), float64(v.width)
	if g.spread {
		v.together = 1
	}
	if v.requests = g.requests; v.copies > 1 {
		v.requests = math.Ceil(g.requests / float64(v.copies))
	}
}

// most is the most requests that a copy may answer at a time: what is asked for, or else
// usualDecodeBatch, but no more than it has.
func (g *generation) most(v *serving) float64 {
	if v.requests < g.usual {
		return v.requests
	}
	return g.usual
}

// lay sets the batch: what is asked for, or else the largest that fits and is soon
// enough, or 1. It reports whether a copy fits.
func (g *generation) lay(m *machine, v *serving) bool {
	most := g.most(v)
	if g.Evaluate.Batch > 0 {
		v.batch = int(most)
		return g.serves(m, v)
	}
	most = min(most, g.holds(m, v))
	if latency := g.Evaluate.MaxLatencySeconds; latency > 0 {
		most = min(most, g.timely(v, latency))
	}
	low, high := 0, int(max(0, most)) // above high nothing does
	for tried := 0; low < high; tried++ {
		if v.batch = high; tried > 1 { // most often the first fits, or the second
			v.batch = (low + high + 1) / 2
		}
		if g.suits(m, v) {
			low = v.batch
		} else {
			high = v.batch - 1
		}
	}
	v.batch = max(low, 1)
	return low > 0 || g.serves(m, v)
}

// suits reports whether a batch fits and is answered within the latency asked for.
func (g *generation) suits(m *machine, v *serving) bool {
	if !g.serves(m, v) {
		return false
	}
	most := g.Evaluate.MaxLatencySeconds
	if most == 0 {
		return true
	}
	t, _ := g.batchSeconds(m, v, float64(v.batch))
	return t.total() <= most
}

// holds is how many requests there is memory for, or a trifle more; less than 1 if for
// none. Up to a full chunk of prompts each more request adds its prompt to the chunk.
func (g *generation) holds(m *machine, v *serving) float64 {
	room := (fitsBelow/(1+servingMargin)+1e-9)*m.memoryGB - overheadGB - v.store.fixed*v.share
	each := v.store.each*v.share + 4/1e9*g.vocabulary
	chunk := weightBytes / 1e9 * g.chunkValues * v.share
	return max((room-prefillChunk*chunk)/each, room/(each+g.in*chunk))
}

// serves reports whether a copy fits.
func (g *generation) serves(m *machine, v *serving) bool {
	return fits(g.totalGB(v), servingMargin, m.memoryGB)
}

// memory is the peak per GPU of a copy: weights, adapters, keys and values, the
// prompt chunk at hand, FP32 logits of the last tokens.
func (g *generation) memory(v *serving) Memory {
	p := Memory{Weights: v.store.gb * v.share, Adapters: g.adaptersGB * v.share, Overhead: overheadGB}
	p.Activations, p.Logits, p.KVCache = g.growing(v)
	return p
}

// totalGB is the sum of the parts, in their order.
func (g *generation) totalGB(v *serving) float64 {
	activations, logits, cache := g.growing(v)
	loaded := v.store.gb*v.share + g.adaptersGB*v.share // weights and adapters
	return loaded + activations + logits + cache + overheadGB
}

// growing is the parts that grow with the batch. Of a lone request all tokens are held in
// the end; many requests are at different tokens, half of the output on average, as
// engines with paged caches (Kwon et al. 2023, vLLM) count on.
func (g *generation) growing(v *serving) (activations, logits, cache float64) {
	batch := float64(v.batch)
	chunk := min(prefillChunk, batch*g.in)
	held := g.in + g.out*(0.5+0.5/batch)
	return weightBytes * chunk * g.chunkValues / 1e9 * v.share, 4 * batch * g.vocabulary / 1e9,
		batch * held * v.store.cache / 1e9 * v.share
}

// fit is what estimate finds once the format is settled. A copy takes least over all GPUs
// of a node, unless a batch is asked for: then more GPUs to a copy may mean more requests
// at a time.
func (g *generation) fit(m *machine, v *serving) (fit Fit) {
	widest := m.doublings()
	g.widen(m, v, widest)
	if v.batch = 1; g.Evaluate.Batch > 0 {
		v.batch = int(g.most(v))
	}
	fit = fitOf(g.totalGB(v), servingMargin, m.memoryGB)
	for doublings := 0; doublings < widest && g.Evaluate.Batch > 0 && fit != Fits; doublings++ {
		g.widen(m, v, doublings)
		if v.batch = int(g.most(v)); g.serves(m, v) {
			fit = Fits
		}
	}
	return fit
}

// storedBytes is the model's weights in a format. Quantizers leave the embeddings in
// 16 bits.
func (x *Shape) storedBytes(f Format) float64 {
	if f == Bits16 {
		return weightBytes * x.Params
	}
	embeddings := x.embeddingParams()
	return f.bytes()*(x.Params-embeddings) + weightBytes*embeddings
}

// kvBytes is the keys and values of one token: 2 x L x KV heads x head size values of
// 16 bits. Grouped-query attention keeps fewer KV heads (Ainslie et al. 2023).
// Engines that compute in FP8 or FP4 keep them in 8 bits.
func (s *Spec) kvBytes(f Format) float64 {
	values := 2 * float64(s.Shape.Layers) * float64(s.Shape.KVHeads) * float64(s.Shape.HeadSize)
	if f.computed() && s.Evaluate.Framework == Tuned {
		return values
	}
	return 2 * values
}
