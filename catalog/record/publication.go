package record

import (
	"errors"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/chunk"
)

// Publication is an entry of the log of versions, with where its content is.
type Publication struct {
	Version    string `json:"version"`
	Sequence   int64  `json:"sequence"`
	At         string `json:"at"`
	Offers     int    `json:"offers"`
	Bytes      int    `json:"bytes"`
	RolledBack bool   `json:"rolled_back,omitempty"`

	Set    string `json:"set"` // names the chunks; several entries may share them
	Digest string `json:"digest"`
	Chunks int    `json:"chunks"`
}

// FromPublication is the stored form of an entry whose content is the set of a name.
func FromPublication(p catalog.Publication, set string, content chunk.Set) Publication {
	return Publication{
		Version: string(p.Version), Sequence: p.Sequence, At: Instant(p.At), Offers: p.Offers, Bytes: content.Bytes(),
		RolledBack: p.RolledBack, Set: set, Digest: string(content.Digest), Chunks: len(content.Chunks),
	}
}

// Again is the entry that makes p current again.
func (p Publication) Again(sequence int64, at string) Publication {
	p.Sequence, p.At, p.RolledBack = sequence, at, true
	return p
}

// Parse is the entry.
func (p Publication) Parse() (catalog.Publication, error) {
	at, err := parseInstant(p.At)
	if p.Version == "" || p.Sequence <= 0 {
		err = errors.Join(err, catalog.ErrCorrupt)
	}
	return catalog.Publication{
		Version: catalog.Version(p.Version), Sequence: p.Sequence, At: at, Offers: p.Offers, Bytes: p.Bytes, RolledBack: p.RolledBack,
	}, err
}

// Snapshot is the catalogue that an entry's chunks hold.
func (p Publication) Snapshot(chunks [][]byte) (*catalog.Snapshot, error) {
	parts, err := chunk.Decode(chunk.Set{Digest: chunk.Digest(p.Digest), Chunks: chunks})
	if err != nil {
		return nil, err
	}
	return catalog.NewSnapshot(parts)
}
