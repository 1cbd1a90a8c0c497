package chunk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
)

// document is a catalogue as tables.
type document struct {
	parts       catalog.Parts
	versions    []named // the one version
	aliases     []alias
	instances   pool[catalog.Instance]
	provenances pool[catalog.Provenance]
	bands       pool[catalog.Band]
}

// named is the row that names the catalogue.
type named struct{ version catalog.Version }

// alias is another name of a GPU.
type alias struct {
	name string
	gpu  catalog.GPUID
}

// newDocument collects what offers point to, each value once.
func newDocument(parts catalog.Parts) (*document, error) {
	d := &document{parts: parts, versions: []named{{parts.Version}}}
	for name, gpu := range parts.GPUAliases {
		d.aliases = append(d.aliases, alias{name, gpu})
	}
	slices.SortFunc(d.aliases, func(a, b alias) int { return cmp.Compare(a.name, b.name) })
	d.instances.at = make(map[*catalog.Instance]int)
	d.provenances.at = make(map[*catalog.Provenance]int)
	d.bands.at = make(map[*catalog.Band]int)
	instances := make(map[instanceKey]int)
	provenances := make(map[catalog.Provenance]int)
	bands := make(map[bandKey]int)
	for i := range parts.Offers {
		o := &parts.Offers[i]
		if o.Instance == nil || o.Provenance == nil {
			return nil, fmt.Errorf("offer %q has no instance or no provenance", o.ID)
		}
		collect(&d.instances, instances, o.Instance, keyOfInstance(*o.Instance))
		collect(&d.provenances, provenances, o.Provenance, *o.Provenance)
		if o.Interruption != nil {
			collect(&d.bands, bands, o.Interruption, keyOfBand(*o.Interruption))
		}
	}
	for _, b := range parts.Bands {
		if b.Band != nil {
			collect(&d.bands, bands, b.Band, keyOfBand(*b.Band))
		}
	}
	return d, nil
}

// instanceKey is an instance in a form that == compares.
type instanceKey struct {
	plain catalog.Instance
	gpus  string
}

func keyOfInstance(i catalog.Instance) instanceKey {
	key := instanceKey{plain: i, gpus: keyOfOptional(i.GPUs)}
	key.plain.GPUs = decimal.NullDecimal{}
	return key
}

// bandKey is a band in a form that == compares.
type bandKey struct {
	plain     catalog.Band
	low, high string
}

func keyOfBand(b catalog.Band) bandKey {
	key := bandKey{plain: b, low: keyOfOptional(b.Low), high: keyOfOptional(b.High)}
	key.plain.Low, key.plain.High = decimal.NullDecimal{}, decimal.NullDecimal{}
	return key
}

// keyOfOptional tells decimals apart by digits, exponent and validity.
func keyOfOptional(d decimal.NullDecimal) string {
	if d.Valid {
		return "+" + string(appendDecimal(nil, d.Decimal))
	}
	return "-" + string(appendDecimal(nil, d.Decimal))
}

// check tests what the tables alone do not say.
func (d *document) check() error {
	if len(d.versions) != 1 {
		return fmt.Errorf("%d versions are named, want one: %w", len(d.versions), catalog.ErrCorrupt)
	}
	for i := range d.parts.Offers {
		if o := &d.parts.Offers[i]; o.Instance == nil || o.Provenance == nil {
			return fmt.Errorf("offer %q has no instance or no provenance: %w", o.ID, catalog.ErrCorrupt)
		}
	}
	return nil
}

// restored is the parts that were read.
func (d *document) restored() catalog.Parts {
	if len(d.versions) == 1 {
		d.parts.Version = d.versions[0].version
	}
	if len(d.aliases) > 0 {
		d.parts.GPUAliases = make(map[string]catalog.GPUID, len(d.aliases))
	}
	for _, a := range d.aliases {
		d.parts.GPUAliases[a.name] = a.gpu
	}
	return d.parts
}
