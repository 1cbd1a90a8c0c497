package seed

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/tierwise/tierwise/catalog"
)

//go:embed *.csv
var tables embed.FS

// Load reads the embedded tables. An error means that they were written wrong,
// and says where. The snapshot's version is the same wherever the tables are.
func Load() (*catalog.Snapshot, error) { return Read(tables) }

// Read reads the tables in the root of fsys and checks them against each other.
// The version is "seed-", the newest date of any fact, and the start of a digest
// of all tables.
func Read(fsys fs.FS) (*catalog.Snapshot, error) {
	l := loader{
		shared:    make(map[string]string),
		sources:   make(map[string]*source),
		instances: make(map[string]*catalog.Instance),
		attested:  make(map[catalog.ProviderID][]catalog.Attestation),
		stopped:   make(map[catalog.ProviderID][]catalog.StoppedRule),
		images:    make(map[catalog.ProviderID][]catalog.PreinstalledImage),
		bands:     make(map[host]*catalog.Band),
		banded:    make(map[string]*catalog.Band),
		flags:     make(map[string][]catalog.Flag),
		parts:     catalog.Parts{GPUAliases: make(map[string]catalog.GPUID)},
	}
	digest := sha256.New()
	for _, table := range Tables() {
		content, err := fs.ReadFile(fsys, table)
		if err != nil {
			return nil, fmt.Errorf("read seed: %w", err)
		}
		fmt.Fprintf(digest, "%s %d\n", table, len(content))
		digest.Write(content)
		if table == OffersTable {
			l.parts.Offers = make([]catalog.Offer, 0, bytes.Count(content, []byte("\n")))
		}
		if err := eachRow(table, content, l.shared, l.reader(table)); err != nil {
			return nil, fmt.Errorf("read seed: %w", err)
		}
	}
	l.parts.Version = catalog.Version(fmt.Sprintf("seed-%s-%s", l.newest, hex.EncodeToString(digest.Sum(nil))[:8]))
	snapshot, err := catalog.NewSnapshot(l.parts)
	if err != nil {
		return nil, fmt.Errorf("check seed: %w", err)
	}
	return snapshot, nil
}

// source is a row of the table of sources.
type source struct{ catalog.Provenance }

// loader collects the parts of a snapshot, table by table.
type loader struct {
	shared    map[string]string
	sources   map[string]*source
	instances map[string]*catalog.Instance // one copy of every instance
	buffer    []byte
	attested  map[catalog.ProviderID][]catalog.Attestation
	stopped   map[catalog.ProviderID][]catalog.StoppedRule
	images    map[catalog.ProviderID][]catalog.PreinstalledImage
	bands     map[host]*catalog.Band
	banded    map[string]*catalog.Band  // one copy of every band
	flags     map[string][]catalog.Flag // one slice for every combination of flags
	newest    catalog.Date
	parts     catalog.Parts
}

// reader is what reads one row of a table.
func (l *loader) reader(table string) func(*row) {
	return map[string]func(*row){
		SourcesTable:      l.source,
		PriorsTable:       l.prior,
		FXTable:           l.fx,
		GPUsTable:         l.gpu,
		GPUAliasesTable:   l.gpuAlias,
		ComplianceTable:   l.attestation,
		StoppedTable:      l.stoppedRule,
		ImagesTable:       l.image,
		ProvidersTable:    l.provider,
		RegionsTable:      l.region,
		InterruptionTable: l.band,
		OffersTable:       l.offer,
		EgressTable:       l.egress,
		StorageTable:      l.storage,
		ModelsTable:       l.model,
		HistoryTable:      l.pricePoint,
		FabricTable:       l.fabric,
	}[table]
}

// source reads a source.
func (l *loader) source(x *row) {
	id := x.required()
	if _, twice := l.sources[id]; twice {
		x.fail(id, "an id that is not taken")
	}
	l.sources[id] = &source{catalog.Provenance{Source: x.required(), Licence: x.text()}}
}

// cited is the next cell as the source it refers to; an empty source if empty.
func (l *loader) cited(x *row) *source {
	id := x.cell()
	if id == "" {
		return &source{}
	}
	s, ok := l.sources[id]
	if !ok {
		x.fail(id, "the id of a source")
		return &source{}
	}
	return s
}

// dated is the next cell as the date of a fact, and counts towards the newest.
func (l *loader) dated(x *row) catalog.Date {
	d := x.date()
	if l.newest.Before(d) {
		l.newest = d
	}
	return d
}
