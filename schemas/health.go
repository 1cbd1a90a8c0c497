package schemas

// Health is the answer of /healthz.
type Health struct {
	Status         string  `json:"status"` // "ok"; "degraded" if the store can't be reached
	CatalogVersion string  `json:"catalog_version"`
	Offers         int     `json:"offers"`
	Providers      int     `json:"providers"`
	AsOf           *string `json:"as_of"`           // date of the newest price, null if none has one
	Store          string  `json:"store,omitempty"` // "ok" or "unreachable"; absent unless asked for
	Staleness

	Feeds      []FeedHealth `json:"feeds,omitempty"`       // by name; absent if none was ever read
	FeedsError bool         `json:"feeds_error,omitempty"` // the runs of feeds can't be read
}

// FeedHealth is how the readings of a source of prices went. What the last good one
// found stays while later ones fail.
type FeedHealth struct {
	Name        string  `json:"name"`
	Status      string  `json:"status"`       // "ok", "late" if it is overdue, "failing"
	AsOf        *string `json:"as_of"`        // date of the prices of the last good reading, null if there was none
	AttemptedAt *string `json:"attempted_at"` // null if never
	SucceededAt *string `json:"succeeded_at"` // null if never
	DueAt       *string `json:"due_at"`       // null if it is read by hand only
	Failures    int     `json:"failures"`     // in a row
	Error       string  `json:"error,omitempty"`
	Offers      int     `json:"offers"`  // that the source stands for
	Changed     int     `json:"changed"` // of them by the last good reading
	Held        int     `json:"held"`    // rows in quarantine, or noted
}

// Staleness is part of an answer from the last good catalogue, while the store can't be
// asked for a newer one. Both are absent otherwise.
type Staleness struct {
	Stale        bool `json:"stale,omitempty"`
	StaleSeconds *int `json:"stale_s,omitempty"` // since the catalogue was last known to be current
}
