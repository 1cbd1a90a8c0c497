package workload

import "math"

// serving is how generation is laid out: copies of the model, each over width GPUs
// of one node, each answering batch requests at a time with weights of one format.
type serving struct {
	width, copies, batch int
	format               Format
}

// generate estimates the generation: requests are answered in batches by as many
// copies of the model as the GPUs hold, laid out so that it ends soonest.
func (s *Stage) generate(m *machine) (Estimate, error) {
	w := &s.spec
	if err := m.runs(w.Evaluate.Weights); err != nil {
		return Estimate{}, err
	}
	v, parts := w.serve(m)
	t := w.answerSeconds(m, v)
	expected, gpus := t.total(), float64(m.gpus)
	e := Estimate{
		Precision: m.precision, Sharding: ShardNone, Parallelism: w.servingWords(m, v),
		GPUsPerCopy: v.width, Shares: t.shares(), Batch: v.batch, Weights: v.format,
	}
	made := float64(w.Evaluate.Requests) * float64(w.Evaluate.OutputTokens)
	e.TokensPerSecondPerGPU = made / expected / gpus
	e.MFU = w.answerFLOPs() * float64(w.Evaluate.Requests) / (expected * gpus * m.servingPeak(v.format))
	first := w.promptSeconds(m, v, 1)
	next := w.stepSeconds(m, v, float64(v.batch))
	e.FirstTokenSeconds, e.TokenSeconds = first.total(), next.total()
	answer := w.batchSeconds(m, v, float64(v.batch))
	e.AnswerSeconds = answer.total()
	e.remember(parts, servingMargin, m.memoryGB)
	e.spread(expected, math.Sqrt(square(widthGeneration, true)+
		square(widthExperts, w.Shape.mixture())+square(widthNewGPU, m.unproven)))
	return e, nil
}

// servingWords names the layout.
func (s *Spec) servingWords(m *machine, v serving) string {
	switch {
	case m.gpus == 1:
		return "one GPU"
	case v.width > 1 && s.Evaluate.Framework == Eager:
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
// copy fits; of the widths that hold a copy the one that ends soonest is taken.
func (s *Spec) serve(m *machine) (serving, Memory) {
	format := s.servingFormat(m)
	var best serving
	soonest := math.Inf(1)
	for width := 1; width <= m.perNode; width *= 2 {
		v := s.laidOut(m, width, format)
		last := best.width == 0 && 2*width > m.perNode
		if !last && !s.serves(m, v) {
			continue
		}
		t := s.answerSeconds(m, v)
		if total := t.total(); total < soonest {
			best, soonest = v, total
		}
	}
	return best, s.servingMemory(best)
}

// laidOut is copies over width GPUs each, with the batch that is asked for or else
// the largest up to usualDecodeBatch that fits. No copy answers more requests at a
// time than it has.
func (s *Spec) laidOut(m *machine, width int, format Format) serving {
	v := serving{width: width, copies: m.nodes * (m.perNode / width), batch: 1, format: format}
	share := max(1, (s.Evaluate.Requests+v.copies-1)/v.copies)
	if s.Evaluate.Batch > 0 {
		v.batch = min(s.Evaluate.Batch, share)
		return v
	}
	low, high := 1, min(usualDecodeBatch, share)
	for low < high { // the largest of [low, high] that fits, or 1
		v.batch = (low + high + 1) / 2
		if s.serves(m, v) && s.soonEnough(m, v) {
			low = v.batch
		} else {
			high = v.batch - 1
		}
	}
	v.batch = low
	return v
}

// soonEnough reports whether a full batch is answered within the latency asked for.
func (s *Spec) soonEnough(m *machine, v serving) bool {
	most := s.Evaluate.MaxLatencySeconds
	if most == 0 {
		return true
	}
	t := s.batchSeconds(m, v, float64(v.batch))
	return t.total() <= most
}

// servingFormat settles FormatAuto: 16 bits if a copy fits on a node so, else 8,
// else 4.
func (s *Spec) servingFormat(m *machine) Format {
	if s.Evaluate.Weights != FormatAuto {
		return s.Evaluate.Weights
	}
	for _, format := range [...]Format{Bits16, Bits8} {
		for width := 1; width <= m.perNode; width *= 2 {
			if s.serves(m, serving{width: width, batch: 1, format: format}) {
				return format
			}
		}
	}
	return Bits4
}

// serves reports whether a copy fits.
func (s *Spec) serves(m *machine, v serving) bool {
	return fitOf(s.servingMemory(v), servingMargin, m.memoryGB) == Fits
}

// servingMemory is the peak per GPU of a copy: weights, adapters, keys and values, the
// prompt chunk at hand, FP32 logits of the last tokens. Of a lone request all tokens
// are held in the end; many requests are at different tokens, half of the output on
// average, as engines with paged caches (Kwon et al. 2023, vLLM) count on.
func (s *Spec) servingMemory(v serving) Memory {
	x, split, batch := &s.Shape, float64(v.width), float64(v.batch)
	chunk := min(prefillChunk, batch*float64(s.Evaluate.InputTokens))
	held := float64(s.Evaluate.InputTokens) + float64(s.Evaluate.OutputTokens)*(0.5+0.5/batch)
	p := Memory{
		Weights:     x.storedBytes(v.format) / split,
		KVCache:     batch * held * s.kvBytes(v.format) / split,
		Activations: weightBytes * chunk * float64(4*x.Width+2*x.FFN) / split,
		Logits:      4 * batch * float64(x.Vocabulary),
		Overhead:    overheadGB * 1e9,
	}
	if s.Method.adapted() {
		p.Adapters = weightBytes * s.adapterParams() / split
	}
	return p.inGB()
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
