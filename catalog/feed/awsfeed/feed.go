package awsfeed

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/feed"
)

// Name is the name of the format.
const Name = "aws"

// URL is where the price list of a region is: its name stands where %s does.
const URL = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/%s/index.json"

// Region is the region that the address or the path of a list names, "" if it names
// none. The name of the server may have one in it too, before it.
func Region(at string) string {
	all := regionIn.FindAllString(at, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// regionIn finds "us-east-1".
var regionIn = regexp.MustCompile(`\b[a-z]{2}(?:-[a-z]+)+-[0-9]\b`)

// largest is the size of the largest list that is read.
const largest = 2 << 30

// list is what is kept of a price list.
type list struct {
	batch    *feed.Batch
	wanted   func(catalog.ProviderID, catalog.SKU) bool
	products map[string]*product // by AWS's own number of the product
	terms    map[termID]*term
}

// Read reads the lists of one region or several.
func Read(ctx context.Context, from feed.Source, of feed.Subject) (feed.Batch, error) {
	b := feed.Batch{Provider: "aws", Source: catalog.Provenance{Source: "AWS price list"}, Direct: true}
	of.Limit = cmp.Or(of.Limit, largest)
	err := of.Each(ctx, from, &b, func(d *feed.Document) error {
		l := list{batch: &b, wanted: of.Wanted, products: make(map[string]*product), terms: make(map[termID]*term)}
		read := l.table
		if d.Expect("", "{") == nil {
			read = l.document
		}
		published, err := read(d)
		if err != nil {
			return err
		}
		if published.Known() && published.Before(b.AsOf) && !of.AsOf.Known() {
			b.AsOf = published
		}
		return l.rows()
	})
	if err == nil {
		name(&b)
	}
	return b, err
}

// name names the batch after its region, so that the lists of two regions are two
// sources, and its provider, since China's is another.
func name(b *feed.Batch) {
	var regions []string
	for i := range b.Rows {
		regions = append(regions, string(b.Rows[i].Region))
	}
	if len(regions) == 0 {
		return
	}
	slices.Sort(regions)
	b.Provider = feed.PartitionOfAWS(catalog.RegionID(regions[0]))
	// A local zone is called as its region is, and then some.
	if !slices.ContainsFunc(regions, func(r string) bool { return !strings.HasPrefix(r, regions[0]) }) {
		b.Source.Source += ", " + regions[0]
	}
}

// rows makes the offers of all products.
func (l *list) rows() error {
	if len(l.products) == 0 {
		return &feed.Fault{Row: 1, Column: "products", Want: "at least one Linux machine of shared tenancy"}
	}
	if len(l.terms) == 0 {
		return &feed.Fault{Row: 1, Column: "terms", Want: "at least one price of a Linux machine"}
	}
	byProduct := make(map[string][]*term)
	for id, t := range l.terms {
		byProduct[id.product] = append(byProduct[id.product], t)
	}
	inOrder := slices.SortedFunc(maps.Keys(l.products), func(a, b string) int {
		return cmp.Compare(l.products[a].row.Number, l.products[b].row.Number)
	})
	for _, id := range inOrder {
		p, terms := l.products[id], byProduct[id]
		slices.SortFunc(terms, func(a, b *term) int {
			return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.payment, b.payment), cmp.Compare(a.code, b.code))
		})
		l.product(p, terms)
	}
	return nil
}

// product makes the offers of a product: its price on demand, which it should have,
// and those of its reservations.
func (l *list) product(p *product, terms []*term) {
	row, priced := p.row, false
	for _, t := range terms {
		row := p.row
		err := t.price(&row)
		if err == nil && row.Market == "" {
			l.batch.Skip(t.kind())
			continue
		}
		if err != nil {
			_ = l.batch.Fault(err) // it is one
			priced = priced || !t.reserved
			continue
		}
		priced = priced || !t.reserved
		l.batch.Rows = append(l.batch.Rows, sold(row))
	}
	if !priced {
		l.batch.Rows = append(l.batch.Rows, sold(row))
	}
}

// sold moves an offer without a price to the market in which its machine is sold,
// if that has capacity blocks alone: it is no gap of the list then.
func sold(row feed.Row) feed.Row {
	family, _, _ := strings.Cut(string(row.SKU), ".")
	if row.Market == catalog.OnDemand && !row.Price.Known() && (family == "p5e" || strings.HasPrefix(family, "p6e-")) {
		row.Market = catalog.CapacityBlock
	}
	return row
}
