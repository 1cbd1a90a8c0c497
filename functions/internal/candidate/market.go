package candidate

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/spot"
	"github.com/tierwise/tierwise/functions/internal/tco"
)

// assumedIncrementSeconds is the metering step of an offer whose step no source
// states: an hour, the coarsest step that sourced providers bill by.
const assumedIncrementSeconds = 3600

// Quote is an offer as it is charged in the answer's currency.
type Quote struct {
	Offer *catalog.Offer
	Site  Site
	// SiteNumber, ProviderNumber, WayNumber and KindNumber number sites, providers, ways
	// out and kinds (of provider, GPU and purchase model) within the market, from 0.
	SiteNumber, ProviderNumber, WayNumber, KindNumber int

	Tariff tco.Tariff
	Rates  tco.Rates
	Meter  tco.Meter // of Tariff

	// Coefficient is what was measured of the offer's GPUs, nil if nothing was.
	Coefficient *catalog.Coefficient

	// SourcedFabricGBs is the network between nodes of the offer, GB/s per node and
	// direction, 0 if no source gives it.
	SourcedFabricGBs float64

	// IncrementAssumed and StorageAssumed tell that a rate is unknown and the
	// dearest stands in for it.
	IncrementAssumed, StorageAssumed bool
	number                           int32     // among all of the market
	exit                             int32     // numbers exits
	interrupts                       spot.Rate // of a spot instance; zero for others
	// Unpriced says why the offer can't be ranked; "" if it can.
	Unpriced Reason
}

// Market is every offer of a snapshot with its tariff in one currency. It is
// built once per snapshot and currency, never changes, and may be shared.
type Market struct {
	Snapshot  *catalog.Snapshot
	Converter tco.Converter
	quotes    []Quote
	byPrice   []int32 // positions in quotes
	lanes     []lane
	rigs      [works][]rig
	sources   []source
	laneOf    []int32   // by position in quotes
	bySite    [][]int32 // positions in quotes
	sites     map[Site]int
	providers map[catalog.ProviderID]int
	kinds     map[kindKey]int
	exits     []Exit
	ways      []Way
	wayOf     map[catalog.Place]int
	steadyGB  decimal.Decimal // of ways, if falls
	falls     bool
	stores    map[catalog.Place]*store
	cards     map[cardKey]*card
	unpriced  []int32 // lanes without a price
	hardware  int     // how many sorts of hardware are numbered
	worst     worst
}

// NewMarket prices a snapshot in a currency. ok is false if the catalogue has no
// exchange rate for it.
func NewMarket(s *catalog.Snapshot, currency catalog.Currency) (market *Market, ok bool) {
	converter, ok := tco.NewConverter(s, currency)
	if !ok {
		return nil, false
	}
	m := &Market{Snapshot: s, Converter: converter, quotes: make([]Quote, len(s.Offers())), stores: make(map[catalog.Place]*store)}
	for i := range m.quotes {
		m.quotes[i] = m.quote(&s.Offers()[i])
		m.quotes[i].number = int32(i)
	}
	m.setWorst()
	m.number()
	m.deal()
	m.divide()
	m.outshine()
	m.eclipse()
	return m, true
}

// worst is what no offer is worse than.
type worst struct {
	// node and gb are for how many seconds a node, and a GB of block storage, certainly cost
	// no more than a quarter of limit.
	node, gb   int64
	atOnce     int64   // seconds that a node may be billed beyond those that it is held
	interrupts float64 // per hour of a node
}

// setWorst sets the worst.
func (m *Market) setWorst() {
	var dearest tco.Rates
	w := &m.worst
	for i := range m.quotes {
		q := &m.quotes[i]
		dearest.NodeHour.High = max(dearest.NodeHour.High, q.Rates.NodeHour.High)
		dearest.GBMonth.High = max(dearest.GBMonth.High, q.Rates.GBMonth.High)
		w.atOnce = max(w.atOnce, q.Tariff.IncrementSeconds, q.Tariff.MinimumSeconds)
		w.interrupts = max(w.interrupts, q.interrupts.Central)
	}
	w.node, w.gb = quarterOfLimit(dearest.NodeHour.High, 1), quarterOfLimit(dearest.GBMonth.High, catalog.HoursPerMonth)
}

// quarterOfLimit is for about how many seconds, and no more, something costs a quarter of
// limit that costs at most so much for so many hours.
func quarterOfLimit(price tco.Nano, hours int64) int64 {
	return min(int64(limit/4/max(price, 1)), 1_000_000_000_000) * hours * 3600
}

// order sorts offers by the least that a node can cost per hour, unpriced ones first,
// equal ones by id.
func (m *Market) order(tags []Tag) {
	type key struct {
		hour tco.Nano
		at   int32
	}
	keys := make([]key, len(tags))
	for i := range tags {
		keys[i] = key{tags[i].hour(), int32(i)}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.at, b.at)) })
	m.byPrice = make([]int32, len(tags))
	for i := range keys {
		m.byPrice[i] = keys[i].at
	}
}

// kindKey is what the offers of a kind share.
type kindKey struct {
	provider int
	gpu      catalog.GPUID
	market   catalog.PurchaseModel
}

// number numbers sites, providers, ways out and kinds in the order of the offers.
func (m *Market) number() {
	m.sites, m.providers = make(map[Site]int), make(map[catalog.ProviderID]int)
	m.kinds = make(map[kindKey]int)
	exits := make(map[Exit]int)
	ways := newWays(m)
	for i := range m.quotes {
		q := &m.quotes[i]
		if i > 0 && m.quotes[i-1].Site == q.Site { // offers of a site mostly follow each other
			last := &m.quotes[i-1]
			q.SiteNumber, q.WayNumber, q.ProviderNumber, q.exit = last.SiteNumber, last.WayNumber, last.ProviderNumber, last.exit
		} else {
			q.SiteNumber = numberOf(m.sites, q.Site)
			q.WayNumber = ways.number(q.Site.Place)
			q.ProviderNumber = numberOf(m.providers, q.Site.Place.Provider)
			exit := Exit{q.ProviderNumber, q.WayNumber}
			if q.exit = int32(numberOf(exits, exit)); int(q.exit) == len(m.exits) {
				m.exits = append(m.exits, exit)
			}
		}
		q.KindNumber = numberOf(m.kinds, kindKey{q.ProviderNumber, q.Offer.GPU, q.Offer.Market})
	}
	m.ways, m.wayOf = ways.list, ways.places
	m.steadyGB, m.falls = steadyGB(m.ways)
}

// numberOf is the number of a key, a new one if it has none.
func numberOf[K comparable](numbers map[K]int, key K) int {
	n, seen := numbers[key]
	if !seen {
		n = len(numbers)
		numbers[key] = n
	}
	return n
}

// Sites is how many different sites the market has.
func (m *Market) Sites() int { return len(m.sites) }

// ProviderNumber is the number of a provider; ok is false if no offer is its.
func (m *Market) ProviderNumber(p catalog.ProviderID) (number int, ok bool) {
	number, ok = m.providers[p]
	return number, ok
}

// Ways are the different ways out of the market's places.
func (m *Market) Ways() []Way { return m.ways }

// Quotes are all offers as charged, ordered by offer id.
func (m *Market) Quotes() []Quote { return m.quotes }

// quote works out how an offer is charged.
func (m *Market) quote(o *catalog.Offer) Quote {
	q := Quote{Offer: o, Site: SiteOf(o), Coefficient: coefficientOf(m.Snapshot, o)}
	if fabric, known := m.Snapshot.Fabric(o); known {
		q.SourcedFabricGBs = fabric.GBs
	}
	if o.Market == catalog.Spot {
		q.interrupts = spot.RateOf(o.Interruption)
	}
	rate, known := o.NodeRate()
	if !known {
		q.Unpriced = PriceUnknown
		return q
	}
	conversion, ok := m.Converter.From(rate.Currency, o.AsOf)
	if !ok {
		q.Unpriced = NoExchangeRate
		return q
	}
	q.Tariff.Node, q.Tariff.Conversion = rate, conversion
	m.bill(&q)
	store := m.storeAt(o.Place)
	if q.StorageAssumed = store.assumed; !store.ok {
		q.Unpriced = NoExchangeRate
		return q
	}
	q.Tariff.Storage, q.Tariff.StorageConversion = store.tariff.Storage, store.tariff.StorageConversion
	q.Rates = tco.Rates{NodeHour: q.Tariff.NodeBound(), GBMonth: store.bound}
	q.Meter = q.Tariff.MeterWith(store.meter)
	return q
}

// bill sets the metering step and the minimum: the offer's own, else the
// provider's, else the assumption. A commitment is billed for its whole term.
func (m *Market) bill(q *Quote) {
	provider, _ := m.Snapshot.Provider(q.Offer.Provider)
	step := q.Offer.BillingIncrementSeconds
	if step == 0 {
		step = provider.BillingIncrementSeconds
	}
	if step == 0 {
		step, q.IncrementAssumed = assumedIncrementSeconds, true
	}
	term := int64(q.Offer.Market.TermMonths()) * catalog.HoursPerMonth * 3600
	q.Tariff.IncrementSeconds = step
	q.Tariff.MinimumSeconds = max(provider.BillingMinimumSeconds, term)
}

// store is block storage at a place. It is not ok if its currency has no exchange rate.
type store struct {
	tariff      tco.Tariff // of storage alone
	bound       tco.Bound
	meter       tco.Meter
	assumed, ok bool
}

// storeAt is block storage at a place, worked out once.
func (m *Market) storeAt(place catalog.Place) *store {
	s := m.stores[place]
	if s == nil {
		s = new(store)
		s.tariff.Storage, s.tariff.StorageConversion, s.assumed, s.ok = m.BlockStorage(place)
		if s.ok {
			s.bound, s.meter = s.tariff.StorageBound(), s.tariff.StorageMeter()
		}
		m.stores[place] = s
	}
	return s
}

// Exit is a way out of places of a provider, by their numbers.
type Exit struct{ Provider, Way int }

// Exits are the different exits of all places.
func (m *Market) Exits() []Exit { return m.exits }

// Kinds is how many different kinds of offers the market has.
func (m *Market) Kinds() int { return len(m.kinds) }

// Providers is how many different providers the market has.
func (m *Market) Providers() int { return len(m.providers) }
