package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Version names a state of the catalogue; equal versions hold equal facts.
type Version string

// Parts is everything a Snapshot is made of. The order within each slice does
// not matter.
type Parts struct {
	Version    Version
	Offers     []Offer
	GPUs       []GPUModel
	GPUAliases map[string]GPUID // other names of GPUs, as sources write them
	Providers  []Provider
	Regions    []Region
	Egress     []EgressRate
	Storage    []StorageRate
	FX         []FXRate
	Priors     []Prior
	Models     []Model
	History    []PricePoint // prices that offers had earlier
	Bands      []SKUBand
	Fabrics    []Fabric

	Coefficients []Coefficient // measured efficiencies
	Checks       []CheckRate
}

// Snapshot is the catalogue at one version. It never changes after NewSnapshot,
// so any number of goroutines may read it. What its methods return is shared:
// callers must not modify it.
type Snapshot struct {
	version   Version
	offers    []Offer        // by id
	shelves   func() []shelf // by GPU, market and number of GPUs; made once, for the first query
	places    []Place        // by name
	countries map[Place]string
	gpus      map[GPUID]GPUModel
	gpuIDs    []GPUID
	names     gpuNames
	providers map[ProviderID]Provider
	regions   map[Place]Region
	rates     rateIndex
	dearest   dearest
	priors    map[GPUClass]Prior
	models    modelIndex
	facts     factIndex
}

// NewSnapshot checks the parts against each other and indexes them. It refuses
// parts that contradict themselves (two offers of one id, an offer of an unknown
// provider or GPU), and says which. The snapshot shares the parts' memory: they
// must not be modified afterwards.
func NewSnapshot(parts Parts) (*Snapshot, error) {
	s := &Snapshot{version: parts.Version, offers: parts.Offers}
	byID := func(a, b Offer) int { return strings.Compare(string(a.ID), string(b.ID)) }
	if !slices.IsSortedFunc(s.offers, byID) {
		s.offers = slices.Clone(s.offers)
		slices.SortFunc(s.offers, byID)
	}
	s.indexGPUs(parts.GPUs, parts.GPUAliases)
	s.providers = make(map[ProviderID]Provider, len(parts.Providers))
	for _, p := range parts.Providers {
		s.providers[p.ID] = p
	}
	s.regions = make(map[Place]Region, len(parts.Regions))
	for _, r := range parts.Regions {
		s.regions[r.Place] = r
	}
	s.priors = make(map[GPUClass]Prior, len(parts.Priors))
	for _, p := range parts.Priors {
		s.priors[p.Class] = p
	}
	s.rates = newRateIndex(parts)
	s.dearest = s.newDearest()
	s.models = newModelIndex(parts.Models)
	s.facts = newFactIndex(parts)
	if err := s.checkOffers(); err != nil {
		return nil, fmt.Errorf("index catalogue %q: %w", parts.Version, err)
	}
	s.shelves = sync.OnceValue(s.newShelves)
	s.countries = s.newCountries()
	s.places = slices.SortedFunc(maps.Keys(s.countries), func(a, b Place) int { return strings.Compare(a.String(), b.String()) })
	return s, nil
}

// indexGPUs fills the GPU tables.
func (s *Snapshot) indexGPUs(models []GPUModel, aliases map[string]GPUID) {
	s.gpus = make(map[GPUID]GPUModel, len(models))
	for _, g := range models {
		s.gpus[g.ID] = g
		s.gpuIDs = append(s.gpuIDs, g.ID)
	}
	slices.Sort(s.gpuIDs)
	s.names = newGPUNames(models, aliases)
}

// checkOffers checks every offer against the rest of the catalogue. Offers are
// ordered by provider, and share instances: what was just seen is not looked up
// again.
func (s *Snapshot) checkOffers() error {
	known := make(map[*Instance]bool)
	for i := range s.offers {
		o := &s.offers[i]
		switch {
		case o.Instance == nil || o.Provenance == nil:
			return fmt.Errorf("offer %q: no instance or no source", o.ID)
		case i > 0 && o.ID == s.offers[i-1].ID:
			return fmt.Errorf("two offers have the id %q", o.ID)
		}
		if i == 0 || o.Provider != s.offers[i-1].Provider {
			if _, ok := s.providers[o.Provider]; !ok {
				return fmt.Errorf("offer %q: unknown provider %q", o.ID, o.Provider)
			}
		}
		if !known[o.Instance] && !s.knowsGPU(o.GPU) {
			return fmt.Errorf("offer %q: unknown GPU %q", o.ID, o.GPU)
		}
		known[o.Instance] = true
	}
	return nil
}

// knowsGPU reports whether an instance may have the GPU: none, an unmapped one, or
// a model.
func (s *Snapshot) knowsGPU(id GPUID) bool {
	_, ok := s.gpus[id]
	return ok || id == "" || id == UnmappedGPU
}

// Version is the version the snapshot was made from.
func (s *Snapshot) Version() Version { return s.version }

// Offers are all offers, ordered by id.
func (s *Snapshot) Offers() []Offer { return s.offers }

// Offer finds an offer by its id.
func (s *Snapshot) Offer(id OfferID) (Offer, bool) {
	i, ok := slices.BinarySearchFunc(s.offers, id, func(o Offer, id OfferID) int { return strings.Compare(string(o.ID), string(id)) })
	if !ok {
		return Offer{}, false
	}
	return s.offers[i], true
}

// Provider finds a provider.
func (s *Snapshot) Provider(id ProviderID) (Provider, bool) {
	p, ok := s.providers[id]
	return p, ok
}

// ProviderIDs are all providers' ids, ordered.
func (s *Snapshot) ProviderIDs() []ProviderID {
	ids := make([]ProviderID, 0, len(s.providers))
	for id := range s.providers {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Region finds what is known of a place.
func (s *Snapshot) Region(p Place) (Region, bool) {
	r, ok := s.regions[p]
	return r, ok
}

// Places are all places that have an offer or a region, ordered.
func (s *Snapshot) Places() []Place { return s.places }

// Country is the country of a place (ISO 3166-1 alpha-2), "" if no source says it.
func (s *Snapshot) Country(p Place) string { return s.countries[p] }

// newCountries collects all places with the country that is known of each: its
// region's, else that of an offer there.
func (s *Snapshot) newCountries() map[Place]string {
	countries := make(map[Place]string, len(s.regions))
	for p, r := range s.regions {
		countries[p] = r.Country
	}
	for i := range s.offers {
		if o := &s.offers[i]; countries[o.Place] == "" {
			countries[o.Place] = o.Country
		}
	}
	return countries
}

// GPU finds a GPU model by its canonical id.
func (s *Snapshot) GPU(id GPUID) (GPUModel, bool) {
	g, ok := s.gpus[id]
	return g, ok
}

// GPUIDs are all GPU models' ids, ordered.
func (s *Snapshot) GPUIDs() []GPUID { return s.gpuIDs }

// GPUVariants are the canonical ids that a name stands for: one for the name or
// alias of a variant, several for a family ("A100"), none if nothing knows it.
func (s *Snapshot) GPUVariants(name string) []GPUID { return s.names.variants(name) }

// GPUsOfDevice are the canonical ids of the GPUs that have a PCI device id, four
// digits in lower-case hex; none if no source gives it.
func (s *Snapshot) GPUsOfDevice(device string) []GPUID { return s.names.devices[device] }

// Prior is the efficiency coefficient to assume for a class of GPUs.
func (s *Snapshot) Prior(class GPUClass) (Prior, bool) {
	p, ok := s.priors[class]
	return p, ok
}

// Model finds a named model by its name or an alias; spelling differences of
// case, spaces and punctuation do not matter.
func (s *Snapshot) Model(name string) (Model, bool) { return s.models.find(name) }

// Models are all named models, ordered by name.
func (s *Snapshot) Models() []Model { return s.models.sorted }
