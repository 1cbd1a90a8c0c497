package candidate

import (
	"cmp"
	"math"
	"slices"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/tco"
	"github.com/tierwise/tierwise/functions/internal/workload"
)

// lane is offers that differ in nothing but place, price and age: what rules one out
// for another reason rules out all, and one sizing serves all.
type lane struct {
	rigs     [works]int32
	source   int32
	unpriced Reason // why none of them can be ranked; "" if they can
	offers   []Tag  // in the order of what a node costs at least
	own      []Tag  // the same without those that another at their site replaces
	lean     []Tag  // own without the offers of eclipsed sites
	// step and least are the metering step and the minimum that all of them share, in
	// seconds; 1 and 0 if they differ.
	step, least int64
	// roomGB is the most that any has of disk of its own, gbMonth the least that storage
	// costs at any: the cheapest by the hour need not be the cheapest with its disk.
	roomGB  int32
	gbMonth tco.Nano
	// interrupts is the least of how often any is interrupted, per hour.
	interrupts float64
}

// Tag is what of an offer most decisions need, close together.
type Tag struct {
	rates tco.Rates // of a node-hour, and of a GB of block storage and month
	// step and least are the metering step and the minimum, in seconds.
	step, least int64
	// interrupts is how often a spot instance is interrupted, per hour; 0 for others.
	interrupts float64
	quote      int32 // position in Market.quotes
	roomGB     int32 // disk of a node's own
	// Site, Provider, Way and Kind are as Quote numbers them; Exit numbers the ways out of
	// each provider.
	Site, Provider, Way, Kind, Exit int32
	// strays says that it is in another country than the first offer at its site.
	strays bool
}

// tag is the tag of a quote.
func (m *Market) tag(at int32) Tag {
	q := &m.quotes[at]
	return Tag{
		rates: q.Rates, step: q.Tariff.IncrementSeconds, least: q.Tariff.MinimumSeconds, interrupts: q.interrupts.Central,
		quote: at, roomGB: int32(min(q.Offer.DiskGB, math.MaxInt32)),
		Site: int32(q.SiteNumber), Provider: int32(q.ProviderNumber), Way: int32(q.WayNumber), Kind: int32(q.KindNumber), Exit: q.exit,
	}
}

// hour is what a node costs per hour at least.
func (t *Tag) hour() tco.Nano { return t.rates.NodeHour.Low }

// work is what a stage asks of hardware: offers of one rig are equal to it.
type work uint8

// The works.
const (
	onCPUs work = iota
	onGPUs
	works
)

// workOf is the work of a stage.
func workOf(stage *workload.Stage) work {
	if stage.GPU() {
		return onGPUs
	}
	return onCPUs
}

// rig is the hardware of a node as stages of a work see it. Its offers are sized alike.
type rig struct {
	node    node
	lanes   []entry  // of offers with a price, in the order of their cheapest
	dearest tco.Nano // what a node of any costs per hour at most
}

// entry is what of a lane is needed to list it.
type entry struct {
	hour                             tco.Nano // what a node costs at least
	number, source, offers, provider int32
}

// source is who rents offers out, and how.
type source struct {
	provider catalog.Provider
	sample   *catalog.Offer // one of them
	offers   int
}

// rigKey is what the offers of a rig share.
type rigKey struct {
	vcpus     float64 // of a node, for CPUs
	gpu       catalog.GPUID
	gpus      int64 // coefficient and
	exponent  int32 // exponent of the number of GPUs, which may be a fraction
	counted   bool  // the number of GPUs is known
	units     int   // priced units of a node
	fabricGBs float64
	alone     bool // boxes of a marketplace
	spread    bool // boxes that meet over the internet
	measured  *catalog.Coefficient
}

// sourceKey is what the offers of a source share.
type sourceKey struct {
	provider int
	market   catalog.PurchaseModel
	service  catalog.Service
	missing  bool // none is available
}

// laneKey is what the offers of a lane share.
type laneKey struct {
	rigs     [works]int32
	source   int32
	unpriced Reason
}

// rigOf is the rig that an offer belongs to.
func (m *Market) rigOf(q *Quote, w work) rigKey {
	o := q.Offer
	if w == onCPUs {
		return rigKey{vcpus: nodeVCPUs(o), alone: o.Service == catalog.Marketplace}
	}
	if !o.HasGPU() {
		return rigKey{}
	}
	key := rigKey{
		gpu: o.GPU, counted: o.GPUs.Valid, units: o.Units(), fabricGBs: q.SourcedFabricGBs,
		alone: o.Service == catalog.Marketplace, spread: m.spread(o), measured: q.Coefficient,
	}
	if o.GPUs.Valid {
		key.gpus, key.exponent = o.GPUs.Decimal.CoefficientInt64(), o.GPUs.Decimal.Exponent()
	}
	return key
}

// divider puts quotes into lanes.
type divider struct {
	market  *Market
	rigs    [works]map[rigKey]int
	known   map[box][works]int32
	sources map[sourceKey]int
	lanes   map[laneKey]int
	sizes   []int // of lanes
	// hardware numbers what nodes differ in that take different time.
	hardware map[hardwareKey]int
}

// hardwareKey is what nodes of GPUs share that take the same time for the same work.
type hardwareKey struct {
	gpu       catalog.GPUID
	gpus      int
	fabricGBs float64
}

// divide puts the quotes into lanes and into sites, in the order of their prices.
func (m *Market) divide() {
	d := divider{market: m, known: make(map[box][works]int32), sources: make(map[sourceKey]int), lanes: make(map[laneKey]int)}
	d.hardware = make(map[hardwareKey]int)
	for w := range works {
		d.rigs[w] = make(map[rigKey]int)
	}
	m.laneOf = make([]int32, len(m.quotes))
	tags := make([]Tag, len(m.quotes))
	for at := range m.quotes {
		m.laneOf[at], tags[at] = int32(d.lane(int32(at))), m.tag(int32(at))
	}
	m.order(tags)
	for n := range m.lanes {
		m.lanes[n].offers = make([]Tag, 0, d.sizes[n])
	}
	m.bySite = make([][]int32, len(m.sites))
	for _, at := range m.byPrice {
		l, tag := &m.lanes[m.laneOf[at]], tags[at]
		l.offers = append(l.offers, tag)
		m.bySite[tag.Site] = append(m.bySite[tag.Site], at)
		l.offers[len(l.offers)-1].strays = m.quotes[at].Offer.Country != m.quotes[m.bySite[tag.Site][0]].Offer.Country
	}
	m.hardware = len(d.hardware)
	for n := range m.lanes {
		m.join(int32(n))
	}
	for _, rigs := range m.rigs {
		for n := range rigs {
			slices.SortStableFunc(rigs[n].lanes, func(a, b entry) int { return cmp.Compare(a.hour, b.hour) })
		}
	}
}

// lane is the number of the lane that an offer belongs to.
func (d *divider) lane(at int32) int {
	m, q, rigs := d.market, &d.market.quotes[at], d.rigsOf(at)
	s := numberOf(d.sources, sourceKey{q.ProviderNumber, q.Offer.Market, q.Offer.Service, q.Offer.Availability == catalog.NoneAvailable})
	if s == len(m.sources) {
		m.sources = append(m.sources, m.newSource(q.Offer))
	}
	m.sources[s].offers++
	n := numberOf(d.lanes, laneKey{rigs, int32(s), q.Unpriced})
	if n == len(m.lanes) {
		m.lanes, d.sizes = append(m.lanes, lane{rigs: rigs, source: int32(s), unpriced: q.Unpriced}), append(d.sizes, 0)
	}
	d.sizes[n]++
	return n
}

// newSource is the source of an offer, of which none is counted yet.
func (m *Market) newSource(o *catalog.Offer) source {
	s := source{sample: o}
	s.provider, _ = m.Snapshot.Provider(o.Provider)
	s.provider.ID = o.Provider
	return s
}

// box is the hardware of an offer without looking at it: many offers share an instance.
type box struct {
	instance *catalog.Instance
	provider int
	basis    catalog.Basis
	fabric   float64
	measured *catalog.Coefficient
}

// rigsOf are the numbers of the rigs that an offer belongs to.
func (d *divider) rigsOf(at int32) [works]int32 {
	m, q := d.market, &d.market.quotes[at]
	b := box{q.Offer.Instance, q.ProviderNumber, q.Offer.Price.Basis, q.SourcedFabricGBs, q.Coefficient}
	rigs, seen := d.known[b]
	if seen {
		return rigs
	}
	for w := range works {
		r := numberOf(d.rigs[w], m.rigOf(q, w))
		if r == len(m.rigs[w]) {
			n := m.nodeOf(q)
			n.hardware = int32(numberOf(d.hardware, hardwareKey{q.Offer.GPU, n.gpus, n.fabricGBs}))
			m.rigs[w] = append(m.rigs[w], rig{node: n})
		}
		rigs[w] = int32(r)
	}
	d.known[b] = rigs
	return rigs
}

// join adds a lane to its rigs.
func (m *Market) join(number int32) {
	l := &m.lanes[number]
	if l.unpriced != "" {
		m.unpriced = append(m.unpriced, number)
		return
	}
	first := &m.quotes[l.offers[0].quote].Tariff
	l.step, l.least = first.IncrementSeconds, first.MinimumSeconds
	l.gbMonth, l.interrupts = tco.MaxNano, l.offers[0].interrupts
	dearest := tco.Nano(0)
	for i := range l.offers {
		dearest = max(dearest, l.offers[i].rates.NodeHour.High)
		l.roomGB, l.gbMonth = max(l.roomGB, l.offers[i].roomGB), min(l.gbMonth, l.offers[i].rates.GBMonth.Low)
		l.interrupts = min(l.interrupts, l.offers[i].interrupts)
	}
	for i := range l.offers {
		if t := &l.offers[i]; t.step != l.step || t.least != l.least {
			l.step, l.least = 1, 0
			break
		}
	}
	for w := range works {
		r := &m.rigs[w][l.rigs[w]]
		r.dearest = max(r.dearest, dearest)
		r.lanes = append(r.lanes, entry{l.offers[0].hour(), number, l.source, int32(len(l.offers)), l.offers[0].Provider})
	}
}

// Least is what a candidate takes at least.
type Least struct {
	Cost    tco.Nano // in US dollars
	Seconds int64    // expected wall time
}
