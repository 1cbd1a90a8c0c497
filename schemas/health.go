package schemas

// Health is the answer of /healthz.
type Health struct {
	Status         string  `json:"status"` // "ok"
	CatalogVersion string  `json:"catalog_version"`
	Offers         int     `json:"offers"`
	Providers      int     `json:"providers"`
	AsOf           *string `json:"as_of"` // date of the newest price, null if none has one

	// The store can't be asked for a newer catalogue, and since when; absent otherwise.
	Stale        bool `json:"stale,omitempty"`
	StaleSeconds *int `json:"stale_s,omitempty"`
}
