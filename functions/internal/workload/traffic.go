package workload

// trafficSeconds is what the GPUs send each other in one micro-step. part is the
// micro-step's part of an optimizer step. Sharded weights are gathered in each pass
// of each micro-step (Rajbhandari et al. 2020, ZeRO, section 7); whole copies only
// add up their gradients once per step; experts stay where they are, so a mixture
// moves only its active parameters. GPUs that split a copy exchange their parts side
// by side.
func (t *training) trafficSeconds(m *machine, l *layout, part float64) float64 {
	copies := l.groups(m)
	if copies <= 1 {
		return 0
	}
	perByte := (copies - 1) / copies / m.link(l.split())
	switch {
	case t.routed && !t.adapted:
		return 3 * weightBytes * t.Shape.ActiveParams * perByte * part
	case l.sharding == Zero3 && t.adapted:
		return 2 * t.streamed * perByte
	case l.sharding == Zero3:
		return 3 * weightBytes * t.Shape.Params * perByte
	case l.sharding == Zero2 && !t.tuned: // those keep gradients whole until the step
		return (4*part + 2) * t.trained * perByte
	default:
		return 4 * t.trained * perByte * part
	}
}

// streamedBytes is one pass over the weights: 2 bytes per parameter, or QLoRA's format
// with its scales.
func (s *Spec) streamedBytes() float64 {
	if s.Method == QLoRA {
		return s.Quantizer.format().bytes() * s.Shape.Params
	}
	return weightBytes * s.Shape.Params
}

// streamSeconds is per micro-step the frozen weights coming in from host memory, once
// for the forward and once for the backward pass; each GPU brings in its shard.
func (t *training) streamSeconds(m *machine, l *layout) float64 {
	bytes := 2 * t.streamed
	if l.sharding == Zero3 {
		bytes /= float64(m.gpus)
	}
	return bytes / hostLink
}

// expertSeconds is the all-to-all of a mixture in training: each routed layer sends
// every token, 2 bytes wide, to its k experts and back, forward and backward.
func (t *training) expertSeconds(m *machine, micro float64) float64 {
	if t.routing == 0 {
		return 0
	}
	return t.routing * micro / m.expertLink()
}

// activeExperts is how many experts a token is sent to. It follows from the counts:
// with A parameters outside the experts, each of E experts holds (N - A) / E, and
// active ones account for N_active - A. Unknown: the common 2 of 8, or 8 of many.
func (x *Shape) activeExperts() float64 {
	if x.Experts < 2 {
		if x.Params > 8*x.ActiveParams {
			return 8
		}
		return 2
	}
	outside := x.embeddingParams() + float64(x.Layers)*x.attentionParams()
	inExperts, active := x.Params-outside, x.ActiveParams-outside
	if inExperts <= 0 || active <= 0 {
		return 2
	}
	return max(1, active/(inExperts/float64(x.Experts)))
}

// attentionParams is the query, key, value and output matrices of one layer.
func (x *Shape) attentionParams() float64 {
	return 2 * float64(x.Width) * float64(x.HeadSize) * float64(x.Heads+x.KVHeads)
}
