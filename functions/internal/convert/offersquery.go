package convert

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// defaultLimit is how many offers a page has unless the query says otherwise.
const defaultLimit = 100

// Listing is a query of offers as the catalogue takes it.
type Listing struct {
	Query       catalog.Query
	Skip, Limit int
	gpus        []string // what the query's GPUs stand for
}

// Names of what is no kind of GPU.
const (
	noGPU       = "none"
	unmappedGPU = string(catalog.UnmappedGPU)
)

// OffersQuery reads a valid query of offers. The error is a
// *schemas.ValidationError: a name that the catalogue does not have, or a cursor of
// another query or catalogue version.
func (c *Catalogue) OffersQuery(wire schemas.OffersQuery) (Listing, error) {
	r := &reader{snapshot: c.snapshot}
	out := Listing{Query: catalog.Query{
		GPUs:       r.listedGPUs(wire.GPU),
		Markets:    distinct(words[catalog.PurchaseModel](wire.PurchaseModel)),
		MinVRAMGB:  r.decimal(wire.MinVRAMGB, "/min_vram_gb").Decimal.InexactFloat64(),
		MaxGPUHour: r.decimal(wire.MaxPricePerGPUHour, "/max_price_per_gpu_hour"),
		ECC:        wire.ECC,
		NVLink:     wire.NVLink,
		Providers:  distinct(r.providers(wire.Provider, "/provider")),
		Classes:    distinct(words[catalog.ProviderClass](wire.ProviderClass)),
		Regions:    distinct(r.regions(wire.Region, "/region")),
		Countries:  distinct(r.countries(wire.Country, "/country")),
		Text:       wire.Q,
	}}
	out.Query.Sort = cmp.Or(catalog.Sort(wire.Sort), usualSort(out.Query.GPUs))
	out.Query.GPUCounts = r.counts(wire.GPUCount)
	if wire.Q != "" && catalog.FoldName(wire.Q) == "" {
		r.fail("/q", "want Latin letters or digits to look for; got %s", schemas.Quoted(wire.Q))
	}
	for _, id := range out.Query.GPUs {
		out.gpus = append(out.gpus, cmp.Or(string(id), noGPU))
	}
	out.Limit = defaultLimit
	if wire.Limit != nil {
		out.Limit = *wire.Limit
	}
	if err := r.refused(); err != nil {
		return Listing{}, err
	}
	return out, c.resume(&out, wire.Cursor)
}

// usualSort is the order of offers of some GPUs unless the query gives one: what has
// no GPU is compared by instance.
func usualSort(gpus []catalog.GPUID) catalog.Sort {
	if len(gpus) == 1 && gpus[0] == "" {
		return catalog.ByInstanceHour
	}
	return catalog.ByGPUHour
}

// resume sets where the page begins.
func (c *Catalogue) resume(l *Listing, cursor string) error {
	if cursor == "" {
		return nil
	}
	var err error
	l.Skip, err = decodeCursor(cursor, c.snapshot.Version(), l.Query)
	if errors.Is(err, errCursorDamaged) || errors.Is(err, errCursorQuery) || errors.Is(err, errCursorVersion) {
		return schemas.Invalid("/cursor", "%s", err)
	}
	return err
}

// listedGPUs reads GPUs, families of them, and what is none.
func (r *reader) listedGPUs(names []string) []catalog.GPUID {
	var ids []catalog.GPUID
	for i, name := range names {
		switch strings.ToLower(name) {
		case noGPU:
			ids = append(ids, "")
		case unmappedGPU:
			ids = append(ids, catalog.UnmappedGPU)
		default:
			ids = append(ids, r.gpus(name, item("/gpu", i))...)
		}
	}
	return distinct(ids)
}

// counts reads numbers of GPUs.
func (r *reader) counts(texts []string) []decimal.Decimal {
	var counts []decimal.Decimal
	for i := range texts {
		counts = append(counts, r.decimal(&texts[i], item("/gpu_count", i)).Decimal)
	}
	slices.SortFunc(counts, decimal.Decimal.Cmp)
	return slices.CompactFunc(counts, decimal.Decimal.Equal)
}

// distinct are the values in order, each once.
func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
