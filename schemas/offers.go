package schemas

// OffersQuery is the query parameters of GET /v1/offers. A list means any of its
// values.
type OffersQuery struct {
	GPU                []string `json:"gpu,omitempty"`
	MinVRAMGB          *string  `json:"min_vram_gb,omitempty"`
	MaxPricePerGPUHour *string  `json:"max_price_per_gpu_hour,omitempty"` // US dollars
	Provider           []string `json:"provider,omitempty"`
	ProviderClass      []string `json:"provider_class,omitempty"`
	Region             []string `json:"region,omitempty"`
	Country            []string `json:"country,omitempty"` // ISO codes, "EU", "EEA"
	PurchaseModel      []string `json:"purchase_model,omitempty"`
	GPUCount           []string `json:"gpu_count,omitempty"`
	ECC                bool     `json:"ecc,omitempty"`
	NVLink             bool     `json:"nvlink,omitempty"`
	Q                  string   `json:"q,omitempty"`
	Sort               string   `json:"sort,omitempty"`
	Limit              *int     `json:"limit,omitempty"`
	Cursor             string   `json:"cursor,omitempty"`
	ComputedAt         string   `json:"computed_at,omitempty"`
}

// OffersResponse is the answer of GET /v1/offers: a page of offers.
type OffersResponse struct {
	Offers          []Offer         `json:"offers"`
	Total           int             `json:"total"`       // on all pages
	Reason          *string         `json:"reason"`      // why there are none
	NextCursor      *string         `json:"next_cursor"` // null on the last page
	Sort            string          `json:"sort"`
	GPUs            []string        `json:"gpus"` // what the parameter gpu stands for
	RegionsSearched int             `json:"regions_searched"`
	RegionsHidden   []HiddenRegions `json:"regions_hidden"`
	StaleProviders  []string        `json:"stale_providers"`
	CatalogVersion  string          `json:"catalog_version"`
	AsOf            *string         `json:"as_of"` // date of the oldest price on the page
	ComputedAt      string          `json:"computed_at"`
	Stale           bool            `json:"stale"` // the catalogue could not be refreshed
}

// HiddenRegions counts regions that a query did not look at, by the parameter that
// hides them.
type HiddenRegions struct {
	Why     string `json:"why"`
	Regions int    `json:"regions"`
}

// OfferResponse is the answer of GET /v1/offers/{id}.
type OfferResponse struct {
	Offer          Offer   `json:"offer"`
	CatalogVersion string  `json:"catalog_version"`
	AsOf           *string `json:"as_of"`
	ComputedAt     string  `json:"computed_at"`
	Stale          bool    `json:"stale"`
}

// HistoryResponse is the answer of GET /v1/offers/{id}/history.
type HistoryResponse struct {
	OfferID        string       `json:"offer_id"`
	History        []PricePoint `json:"history"` // oldest first
	CatalogVersion string       `json:"catalog_version"`
	AsOf           *string      `json:"as_of"`
	ComputedAt     string       `json:"computed_at"`
	Stale          bool         `json:"stale"`
}

// PricePoint is a price that an offer had, as its source says it.
type PricePoint struct {
	AsOf     *string `json:"as_of"`
	Price    *string `json:"price"` // null if it had none
	Currency string  `json:"currency"`
	Basis    string  `json:"basis"`
	Source   string  `json:"source"`
}
