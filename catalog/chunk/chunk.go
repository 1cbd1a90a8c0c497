package chunk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/tierwise/tierwise/catalog"
)

// MaxBytes is the size of the largest chunk. A DynamoDB item may have 400 KB,
// names and keys included.
const MaxBytes = 360 << 10

// How large a catalogue may become when it is read. The ratio bounds what a
// damaged or hostile frame can make a reader allocate.
const (
	largestBytes = 512 << 20
	largestRatio = 500
)

// Digest identifies encoded content: the SHA-256 of all chunks in order, in hex.
type Digest string

// Set is an encoded catalogue.
type Set struct {
	Digest Digest
	Chunks [][]byte // each of at most MaxBytes
}

// Bytes is the size of all chunks together.
func (s Set) Bytes() int {
	n := 0
	for _, c := range s.Chunks {
		n += len(c)
	}
	return n
}

// Encode writes the parts of a catalogue. Equal parts in equal order give equal
// chunks. It refuses an offer without an instance or a provenance.
func Encode(parts catalog.Parts) (Set, error) {
	raw, err := write(parts)
	if err != nil {
		return Set{}, fmt.Errorf("encode catalogue %q: %w", parts.Version, err)
	}
	to, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return Set{}, fmt.Errorf("encode catalogue %q: %w", parts.Version, err)
	}
	frame := to.EncodeAll(raw, nil)
	sum := sha256.Sum256(frame)
	return Set{
		Digest: Digest(hex.EncodeToString(sum[:])),
		Chunks: slices.Collect(slices.Chunk(frame, MaxBytes)),
	}, nil
}

// Decode reads what Encode wrote. It fails if a byte is missing, added or
// changed. What it returns shares no memory with the chunks.
func Decode(set Set) (catalog.Parts, error) {
	frame := bytes.Join(set.Chunks, nil)
	if sum := sha256.Sum256(frame); hex.EncodeToString(sum[:]) != string(set.Digest) {
		return catalog.Parts{}, fmt.Errorf("decode catalogue: %d chunks of %d bytes do not have the digest %q: %w",
			len(set.Chunks), len(frame), set.Digest, catalog.ErrCorrupt)
	}
	raw, err := inflate(frame)
	if err != nil {
		return catalog.Parts{}, fmt.Errorf("decode catalogue: %w", errors.Join(err, catalog.ErrCorrupt))
	}
	parts, err := read(raw)
	if err != nil {
		return catalog.Parts{}, fmt.Errorf("decode catalogue: %w", err)
	}
	return parts, nil
}

// inflate is the content of a frame.
func inflate(frame []byte) ([]byte, error) {
	var header zstd.Header
	if err := header.Decode(frame); err != nil {
		return nil, fmt.Errorf("read frame header: %w", err)
	}
	most := min(uint64(len(frame))*largestRatio, largestBytes)
	if !header.HasFCS || header.FrameContentSize > most {
		return nil, fmt.Errorf("a frame of %d bytes says it holds %d, want at most %d", len(frame), header.FrameContentSize, most)
	}
	from, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(most))
	if err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	defer from.Close()
	raw, err := from.DecodeAll(frame, nil)
	if err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	return raw, nil
}
