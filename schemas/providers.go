package schemas

// ProvidersQuery is the query parameters of GET /v1/providers.
type ProvidersQuery struct {
	Provider      []string `json:"provider,omitempty"`
	ProviderClass []string `json:"provider_class,omitempty"`
	Compare       string   `json:"compare,omitempty"` // "class"
	GPU           []string `json:"gpu,omitempty"`
	PurchaseModel []string `json:"purchase_model,omitempty"`
	ComputedAt    string   `json:"computed_at,omitempty"`
}

// ProvidersResponse is the answer of GET /v1/providers: the providers, or with
// compare the market by class of providers.
type ProvidersResponse struct {
	Providers      []Provider  `json:"providers"`
	Comparison     *Comparison `json:"comparison"`
	CatalogVersion string      `json:"catalog_version"`
	AsOf           *string     `json:"as_of"`
	ComputedAt     string      `json:"computed_at"`
}

// Provider is who rents, and on what terms. null is what no source says.
type Provider struct {
	ID                string            `json:"id"`
	Name              string            `json:"name"`
	Class             string            `json:"class"`
	Offers            int               `json:"offers"`
	NewestAsOf        *string           `json:"newest_as_of"`
	Places            []ProviderPlace   `json:"places"`
	BillingIncrementS *int64            `json:"billing_increment_s"`
	BillingMinimumS   *int64            `json:"billing_minimum_s"`
	BillingSource     *string           `json:"billing_source"`
	Compliance        []Attestation     `json:"compliance"`
	Egress            []EgressRate      `json:"egress"`              // null if unknown
	Storage           []BlockStorageFee `json:"storage"`             // null if unknown
	Stopped           []StoppedRule     `json:"stopped_instances"`   // null if unknown
	Images            []ReadyImage      `json:"preinstalled_images"` // null if unknown
}

// ProviderPlace is a region of a provider.
type ProviderPlace struct {
	Region       string  `json:"region"`
	Country      *string `json:"country"`
	City         *string `json:"city"`
	Jurisdiction *string `json:"jurisdiction"`
}

// Attestation is a compliance statement of a provider, and where it was read.
type Attestation struct {
	Name   string  `json:"name"`
	Scope  *string `json:"scope"`
	Source string  `json:"source"`
	AsOf   *string `json:"as_of"`
}

// EgressRate is what traffic that leaves a region costs; a null region is every
// region without a rate of its own.
type EgressRate struct {
	Region       *string      `json:"region"`
	Scope        string       `json:"scope"`
	Unit         string       `json:"unit"`
	Currency     string       `json:"currency"`
	FreePerMonth string       `json:"free_per_month"`
	Tiers        []EgressTier `json:"tiers"`
	AsOf         *string      `json:"as_of"`
	Source       string       `json:"source"`
}

// EgressTier is a step of a tiered rate; the last has no end.
type EgressTier struct {
	UpTo  *string `json:"up_to"`
	Price string  `json:"price"`
}

// BlockStorageFee is what block storage costs per unit of volume and month.
type BlockStorageFee struct {
	Region   *string `json:"region"`
	Item     string  `json:"item"`
	Price    string  `json:"price"`
	Unit     string  `json:"unit"`
	Currency string  `json:"currency"`
	AsOf     *string `json:"as_of"`
	Source   string  `json:"source"`
}

// StoppedRule is a statement of what a stopped instance costs. ComputeBilled is nil
// where its source leaves it open.
type StoppedRule struct {
	Item          string  `json:"item"`
	Text          string  `json:"text"`
	ComputeBilled *bool   `json:"compute_billed"`
	AsOf          *string `json:"as_of"`
	Source        string  `json:"source"`
}

// ReadyImage is a statement of which images are ready to run.
type ReadyImage struct {
	Item   string  `json:"item"`
	Text   string  `json:"text"`
	AsOf   *string `json:"as_of"`
	Source string  `json:"source"`
}

// Comparison is the market by class of providers.
type Comparison struct {
	Currency  string        `json:"currency"`
	GPUs      []ComparedGPU `json:"gpus"`
	Discounts []Discount    `json:"discounts"`
}

// ComparedGPU is the classes side by side for one GPU and purchase model.
type ComparedGPU struct {
	GPU           string          `json:"gpu"`
	PurchaseModel string          `json:"purchase_model"`
	Classes       []ComparedClass `json:"classes"`
}

// ComparedClass is what a class of providers asks for a GPU and hour.
type ComparedClass struct {
	ProviderClass         string  `json:"provider_class"`
	Providers             int     `json:"providers"`
	Offers                int     `json:"offers"`
	MedianPricePerGPUHour string  `json:"median_price_per_gpu_hour"`
	LowestPricePerGPUHour string  `json:"lowest_price_per_gpu_hour"`
	ToHyperscaler         *string `json:"to_hyperscaler"` // this median over the hyperscalers'
}

// Discount is what a purchase model saves against on-demand, as shares of its price.
type Discount struct {
	ProviderClass string `json:"provider_class"`
	PurchaseModel string `json:"purchase_model"`
	Pairs         int    `json:"pairs"`
	Median        string `json:"median"`
	P10           string `json:"p10"`
	P90           string `json:"p90"`
}
