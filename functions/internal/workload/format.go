package workload

// Format is how a serving engine stores a model's weights.
type Format string

// The formats: 16-bit values; FP8 and FP4, which tensor cores of their own compute
// with; 8, 4, 3 and 2 bits with scales, which are turned into 16-bit values first and
// run on any GPU. FormatAuto is the widest of 16, 8 and 4 bits that fits. "" stands
// for Bits16.
const (
	FormatAuto Format = "auto"
	Bits16     Format = "bf16"
	FormatFP8  Format = "fp8"
	FormatFP4  Format = "fp4"
	Bits8      Format = "int8"
	Bits4      Format = "int4"
	Bits3      Format = "int3"
	Bits2      Format = "int2"
)

// ParseFormat reads a format by its name.
func ParseFormat(text string) (Format, error) {
	return parse("evaluate.weights", text, FormatAuto, Bits16, FormatFP8, FormatFP4, Bits8, Bits4, Bits3, Bits2)
}

// bytes is per parameter, with the scales of blocks of 64 to 128 values: 0.5 bits
// each (Dettmers et al. 2023, QLoRA, section 3).
func (f Format) bytes() float64 {
	switch f {
	case FormatFP8, Bits8:
		return 1
	case FormatFP4, Bits4:
		return quantizedBytes
	case Bits3:
		return 0.44
	case Bits2:
		return 0.31
	default:
		return weightBytes
	}
}

// computed reports whether the tensor cores compute in the format.
func (f Format) computed() bool { return f == FormatFP8 || f == FormatFP4 }

// fp8 is how many times the FP8 rate the format computes at; 0 if in 16 bits. FP4 is
// twice FP8 (NVIDIA Blackwell data sheets).
func (f Format) fp8() float64 {
	switch f {
	case FormatFP8:
		return 1
	case FormatFP4:
		return 2
	default:
		return 0
	}
}

// runs is a FieldError if the GPU has no tensor cores for the format.
func (m *machine) runs(f Format) error {
	if f == FormatFP8 && m.fp8 == 0 || f == FormatFP4 && (m.fp8 == 0 || !m.unproven) {
		return FieldError{"evaluate.weights", "a format that the GPU computes with, not " + string(f)}
	}
	return nil
}

// servingPeak is the dense peak of products whose format computes at so many times the
// FP8 rate; 0 for those of 16 bits.
func (m *machine) servingPeak(fp8 float64) float64 {
	if fp8 == 0 {
		return m.peak
	}
	return fp8 * m.fp8
}

// servingRate is the FLOP/s that such products reach.
func (m *machine) servingRate(fp8 float64) float64 {
	rate := m.servingPeak(fp8) * m.k.MatrixEfficiency * m.clock
	if fp8 > 0 {
		rate *= m.k.FP8Efficiency
	}
	return rate
}
