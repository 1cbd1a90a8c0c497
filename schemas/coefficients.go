package schemas

// CoefficientsQuery is the query of GET /v1/coefficients.
type CoefficientsQuery struct {
	GPU        []string `json:"gpu"`
	Provider   []string `json:"provider"`
	SKU        []string `json:"sku"`
	ComputedAt string   `json:"computed_at"`
}

// CoefficientsResponse is the answer of GET /v1/coefficients. A nil pointer is written
// as null and means that the value is unknown or does not apply.
type CoefficientsResponse struct {
	Coefficients   []Coefficient                `json:"coefficients"`
	Checks         []CheckRate                  `json:"checks"`
	Priors         []PriorOfClass               `json:"priors"`
	Shares         map[string]map[string]string `json:"shares"`  // by kind of workload, then resource
	Refused        map[string]int64             `json:"refused"` // by reason
	CatalogVersion string                       `json:"catalog_version"`
	ComputedAt     string                       `json:"computed_at"`
}

// Coefficient is what was measured of a GPU at a provider.
type Coefficient struct {
	GPU              string            `json:"gpu"`
	Provider         string            `json:"provider"`
	SKU              *string           `json:"sku"`
	Source           string            `json:"source"` // measured or prior
	Value            string            `json:"value"`
	Interval         [2]string         `json:"interval"`
	Prior            string            `json:"prior"`
	Measured         *string           `json:"measured"`
	MeasuredInterval *[2]string        `json:"measured_interval"`
	Tier             string            `json:"tier"`
	Tiers            map[string]int    `json:"tiers"` // boxes
	Terms            []CoefficientTerm `json:"terms"`
	Availability     *string           `json:"availability"`
	Reference        *string           `json:"reference"` // spec or learnt
	Tenants          int               `json:"tenants"`
	Outliers         int               `json:"outliers"`
	Boxes            int               `json:"boxes"`
	Reports          int               `json:"reports"`
	NewestAt         *string           `json:"newest_at"`
	AgeDays          *int              `json:"age_days"`
	Host             *HostSeries       `json:"host"`
	Frozen           bool              `json:"frozen"`
}

// CoefficientTerm is what a resource gives against the reference.
type CoefficientTerm struct {
	Resource string `json:"resource"`
	Ratio    string `json:"ratio"`
	Source   string `json:"source"` // measured or prior
}

// HostSeries is what the provider's own boxes sent.
type HostSeries struct {
	Measured string `json:"measured"`
	Boxes    int    `json:"boxes"`
}

// CheckRate is how boxes did in a check.
type CheckRate struct {
	GPU      string  `json:"gpu"`
	Provider string  `json:"provider"`
	SKU      *string `json:"sku"`
	Check    string  `json:"check"`
	Boxes    int     `json:"boxes"`
	Passed   int     `json:"passed"`
	Tenants  int     `json:"tenants"`
}

// PriorOfClass is what stands in where nothing was measured.
type PriorOfClass struct {
	Class    string    `json:"class"`
	Value    string    `json:"value"`
	Interval [2]string `json:"interval"`
	Source   string    `json:"source"`
}
