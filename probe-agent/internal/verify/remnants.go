package verify

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Remnants samples blocks that hold no file now, read-only, and counts those that are
// not empty. It keeps no content.
type Remnants struct {
	Rand    *rand.Rand
	Samples int // how many blocks
	// Progress is told after every block; nil if nobody wants to know.
	Progress func(done, of int)
}

const (
	remnantsID    = "data_remnants"
	remnantsTitle = "Disks were erased before the rental"
)

// sampleBytes is how much of a block is read.
const sampleBytes = 4096

// Found is what the samples held.
type Found struct {
	Samples    int            `json:"samples"`
	NonZero    int            `json:"non_zero"`
	Random     int            `json:"random"`     // look like noise: encrypted, or overwritten with it
	Signatures map[string]int `json:"signatures"` // beginnings of files, by kind
}

// Sample reads blocks of a region at random.
func (r *Remnants) Sample(in io.ReaderAt, region Region) (Found, error) {
	found := Found{Signatures: make(map[string]int)}
	if region.Blocks == 0 {
		return found, nil
	}
	buffer := make([]byte, sampleBytes)
	for found.Samples < r.Samples {
		n, err := in.ReadAt(buffer[:min(sampleBytes, region.BlockSize)], region.Offset(r.Rand.Int64N(region.Blocks)))
		if err != nil && (err != io.EOF || n == 0) {
			return found, fmt.Errorf("read a block: %w", err)
		}
		found.add(buffer[:n])
		if r.Progress != nil {
			r.Progress(found.Samples, r.Samples)
		}
	}
	return found, nil
}

func (f *Found) add(block []byte) {
	f.Samples++
	if isZero(block) {
		return
	}
	f.NonZero++
	if kind := signature(block); kind != "" {
		f.Signatures[kind]++
	} else if looksRandom(block) {
		f.Random++
	}
}

func isZero(block []byte) bool {
	return len(bytes.TrimLeft(block, "\x00")) == 0
}

// signatures are how files of common kinds begin.
var signatures = []struct {
	kind   string
	prefix string
}{
	{"elf", "\x7fELF"}, {"gzip", "\x1f\x8b\x08"}, {"zip", "PK\x03\x04"}, {"png", "\x89PNG\r\n\x1a\n"}, {"jpeg", "\xff\xd8\xff"},
	{"pdf", "%PDF-"}, {"sqlite", "SQLite format 3\x00"}, {"hdf5", "\x89HDF\r\n\x1a\n"}, {"parquet", "PAR1"}, {"gguf", "GGUF"},
	{"zstd", "\x28\xb5\x2f\xfd"}, {"xz", "\xfd7zXZ\x00"}, {"numpy", "\x93NUMPY"}, {"pickle", "\x80\x04\x95"}, {"script", "#!/"},
	{"private_key", "-----BEGIN"}, {"git_pack", "PACK\x00\x00"}, {"tar", ""},
}

// signature is the kind of file that begins with a block, or "".
func signature(block []byte) string {
	for _, s := range signatures {
		if s.prefix != "" && bytes.HasPrefix(block, []byte(s.prefix)) {
			return s.kind
		}
	}
	if len(block) > 262 && string(block[257:262]) == "ustar" {
		return "tar"
	}
	return ""
}

// looksRandom tests whether all bytes are about equally common: the chi-square
// statistic with 255 degrees of freedom is within some four standard deviations
// (sqrt(2*255) = 22.6) of its mean.
func looksRandom(block []byte) bool {
	if len(block) < 1024 {
		return false
	}
	var counts [256]int
	for _, b := range block {
		counts[b]++
	}
	expected := float64(len(block)) / 256
	chi := 0.0
	for _, n := range counts {
		chi += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return math.Abs(chi-255) < 90
}

// Interval is Wilson's 95% interval of the share of blocks that are not empty.
// (Wilson 1927, "Probable inference", eq. 1.)
func (f Found) Interval() (low, high float64) {
	if f.Samples == 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(f.Samples), float64(f.NonZero)/float64(f.Samples)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, centre-half), min(1, centre+half)
}

// remnantShare is how many blocks may be in use without a file: file systems leave
// some of their own behind.
const remnantShare = 0.01

// JudgeRemnants says what was left on a disk.
func JudgeRemnants(found Found, region Region) Check {
	c := Check{ID: remnantsID, Title: remnantsTitle, Required: fmt.Sprintf("at most %g%% of unallocated blocks hold data, no files", 100*remnantShare)}
	if found.Samples == 0 {
		c.Status, c.Actual, c.Evidence = Inconclusive, "no block to look at", region.What
		return c
	}
	share := float64(found.NonZero) / float64(found.Samples)
	low, high := found.Interval()
	c = c.withValue(share, "")
	c.Actual = fmt.Sprintf("%.2f%% of %d sampled blocks hold data (95%% interval %.2f%% to %.2f%%)", 100*share, found.Samples, 100*low, 100*high)
	c.Evidence = region.What + describeFound(found)
	c.Remedy = "overwrite or discard the disk before you use it, and again before you give it back: the next tenant can do what you just did"
	files := 0
	for _, n := range found.Signatures {
		files += n
	}
	switch {
	case files > 0 || low > remnantShare && found.Random < found.NonZero*9/10:
		c.Status = Fail
	case found.NonZero > 0:
		c.Status = Warn
	default:
		c.Status, c.Remedy = Pass, ""
	}
	return c
}

func describeFound(found Found) string {
	var text strings.Builder
	if found.Random > 0 {
		fmt.Fprintf(&text, "; %d blocks look like noise: encrypted, or overwritten with it", found.Random)
	}
	for _, kind := range slices.Sorted(maps.Keys(found.Signatures)) {
		fmt.Fprintf(&text, "; %d x the beginning of a file: %s", found.Signatures[kind], kind)
	}
	return text.String()
}

// Uncheckable is the check of a disk that can't be looked at.
func Uncheckable(reason string) Check {
	c := skipped(remnantsID, remnantsTitle, "not checkable: "+reason)
	c.Remedy = "name a scratch device such as /dev/nvme1n1, as root"
	return c
}
