package candidate

import "github.com/tierwise/tierwise/catalog"

// Site is where a stage's data lies while it runs. Two stages at the same site
// need no move between them. Within a region that is the place; where the
// provider does not say where a box stands, or boxes belong to different hosts,
// only the very same offer is the same site.
type Site struct {
	Place catalog.Place
	Box   catalog.OfferID // "" where the place alone decides
}

// SiteOf is the site of an offer.
func SiteOf(o *catalog.Offer) Site {
	if o.Service == catalog.Marketplace || o.Region == "" || o.Region == "global" {
		return Site{Place: o.Place, Box: o.ID}
	}
	return Site{Place: o.Place}
}
