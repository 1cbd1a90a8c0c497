// Package naming finds the catalogue's names of what boxes and their owners call
// things: GPUs as the driver names them, providers and SKUs as people type them.
package naming

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/near"
)

// Names are the names of one catalogue. They never change after New.
type Names struct {
	snapshot  *catalog.Snapshot
	providers map[string]catalog.ProviderID // by folded name
	known     []string
	skus      map[catalog.ProviderID]map[string]catalog.SKU
}

// others are more names that owners of boxes type.
const others = `aws: amazon, amazon web services, ec2
azure: microsoft, microsoft azure
gcp: google, google cloud, google cloud platform
alibaba: aliyun, alibaba cloud
oci: oracle, oracle cloud
lambda: lambda labs, lambda cloud
vast: vast.ai
ovh: ovhcloud
verda: datacrunch`

// New indexes a catalogue.
func New(s *catalog.Snapshot) *Names {
	n := &Names{snapshot: s, providers: make(map[string]catalog.ProviderID), skus: make(map[catalog.ProviderID]map[string]catalog.SKU)}
	for _, id := range s.ProviderIDs() {
		n.add(string(id), id)
	}
	for _, id := range s.ProviderIDs() {
		p, _ := s.Provider(id)
		n.add(p.Name, id)
	}
	for line := range strings.Lines(others) {
		id, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.SplitSeq(names, ", ") {
			if _, ok := s.Provider(catalog.ProviderID(id)); ok {
				n.add(name, catalog.ProviderID(id))
			}
		}
	}
	for i := range s.Offers() {
		o := &s.Offers()[i]
		if n.skus[o.Provider] == nil {
			n.skus[o.Provider] = make(map[string]catalog.SKU)
		}
		n.skus[o.Provider][folded(string(o.SKU))] = o.SKU
	}
	return n
}

// add enters a name of a provider unless it is taken.
func (n *Names) add(name string, id catalog.ProviderID) {
	if key := folded(name); key != "" && n.providers[key] == "" {
		n.providers[key] = id
		n.known = append(n.known, name)
	}
}

// Provider is the provider that was typed; "" if none is called so, with those that
// are called nearly so.
func (n *Names) Provider(typed string) (id catalog.ProviderID, likely []string) {
	if typed == "" {
		return "", nil
	}
	if id := n.providers[folded(typed)]; id != "" {
		return id, nil
	}
	for _, name := range near.Names(typed, n.known) {
		if id := string(n.providers[folded(name)]); id != "" && !slices.Contains(likely, id) {
			likely = append(likely, id)
		}
	}
	return "", likely
}

// SKU is the instance type of a provider that was typed; "" if none is called so, with
// those that are called nearly so.
func (n *Names) SKU(p catalog.ProviderID, typed string) (sku catalog.SKU, likely []string) {
	if typed == "" || p == "" {
		return "", nil
	}
	if sku := n.skus[p][folded(typed)]; sku != "" {
		return sku, nil
	}
	var known []string
	for _, sku := range n.skus[p] {
		known = append(known, string(sku))
	}
	return "", near.Names(typed, known)
}

// folded keeps the letters and digits of a name, in lower case and any script.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Card is a GPU as its driver describes it; what is not known is "" or 0.
type Card struct {
	Name        string
	PCIDevice   string // the device's half of its PCI id
	MemoryBytes float64
}

// GPU is the kind of GPU that a card is: what its PCI device id says and its name, and
// among several the one with its memory. ok is false if nothing, or more than one,
// answers to it. A card whose device and name are of two families is contrary.
func (n *Names) GPU(c Card) (g catalog.GPUModel, ok, contrary bool) {
	byDevice, byName := n.snapshot.GPUsOfDevice(c.PCIDevice), n.snapshot.GPUVariants(c.Name)
	both := slices.DeleteFunc(slices.Clone(byName), func(id catalog.GPUID) bool { return !slices.Contains(byDevice, id) })
	candidates := both
	switch {
	case len(both) > 0:
	case len(byDevice) == 0:
		candidates = byName
	case len(byName) == 0:
		candidates = byDevice
	case !n.relatives(byDevice, byName):
		return g, false, true
	default: // one family: the name is the driver's own
		candidates = byName
	}
	if len(candidates) > 1 {
		candidates = n.narrowed(candidates, c.MemoryBytes)
	}
	if len(candidates) != 1 {
		return g, false, false
	}
	g, ok = n.snapshot.GPU(candidates[0])
	return g, ok, false
}

// relatives reports whether two lists of GPUs share a family.
func (n *Names) relatives(a, b []catalog.GPUID) bool {
	families := make(map[string]bool)
	for _, id := range a {
		g, _ := n.snapshot.GPU(id)
		families[g.Family] = true
	}
	return slices.ContainsFunc(b, func(id catalog.GPUID) bool {
		g, _ := n.snapshot.GPU(id)
		return families[g.Family]
	})
}

// Roomy is how far a card's memory may be from what is sold, as a share of that: GB
// and GiB are mixed up, and error correction takes some.
const Roomy = 0.12

// narrowed are the candidates that have the memory, and those that stand for an open
// form factor only if no other does.
func (n *Names) narrowed(candidates []catalog.GPUID, memoryBytes float64) []catalog.GPUID {
	var fitting, exact []catalog.GPUID
	for _, id := range candidates {
		g, _ := n.snapshot.GPU(id)
		if memoryBytes > 0 && math.Abs(memoryBytes/1e9-g.MemoryGB) > Roomy*g.MemoryGB {
			continue
		}
		fitting = append(fitting, id)
		if g.SpecOf == "" {
			exact = append(exact, id)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return fitting
}
