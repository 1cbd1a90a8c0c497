package schemas

// TCORequest is the body of POST /v1/tco: what is rented, run, stored and moved
// every month, and other ways to do the same.
type TCORequest struct {
	Option
	Compare          []Option `json:"compare,omitempty"`
	CommitmentMonths *int     `json:"commitment_months,omitempty"`
	Currency         string   `json:"currency,omitempty"`
	Language         string   `json:"language,omitempty"`
}

// Option is one way to get work done, month after month.
type Option struct {
	Name      string     `json:"name,omitempty"`
	Resources []Resource `json:"resources,omitempty"`
	Jobs      []Job      `json:"jobs,omitempty"`
	Storage   []Volume   `json:"storage,omitempty"`
	Network   []Edge     `json:"network,omitempty"`
	Discounts []OwnPrice `json:"discounts,omitempty"`
}

// Resource is instances of the offer that is named or described.
type Resource struct {
	Name              string          `json:"name,omitempty"`
	OfferID           string          `json:"offer_id,omitempty"`
	Offer             *DescribedOffer `json:"offer,omitempty"`
	Instances         *int            `json:"instances,omitempty"`
	HoursPerDay       *string         `json:"hours_per_day,omitempty"`
	DaysPerMonth      *string         `json:"days_per_month,omitempty"`
	HoursPerRun       *string         `json:"hours_per_run,omitempty"`
	RunsPerMonth      *string         `json:"runs_per_month,omitempty"`
	UtilizationPct    *string         `json:"utilization_pct,omitempty"`
	SetupMinutes      *string         `json:"setup_minutes,omitempty"`
	LostWorkPct       *string         `json:"lost_work_pct,omitempty"`
	DiskGB            *int            `json:"disk_gb,omitempty"`
	DiskKept          string          `json:"disk_kept,omitempty"` // "always" or "while_on"
	Efficiency        *string         `json:"efficiency,omitempty"`
	StoragePenaltyPct *string         `json:"storage_penalty_pct,omitempty"`
	NetworkPenaltyPct *string         `json:"network_penalty_pct,omitempty"`
}

// DescribedOffer says which offers may be taken.
type DescribedOffer struct {
	GPU           string `json:"gpu,omitempty"`
	GPUCount      *int   `json:"gpu_count,omitempty"`
	SKU           string `json:"sku,omitempty"`
	Provider      string `json:"provider,omitempty"`
	Region        string `json:"region,omitempty"`
	Country       string `json:"country,omitempty"`
	PurchaseModel string `json:"purchase_model,omitempty"`
}

// Job is a request for plans whose best one is run every month.
type Job struct {
	Name         string           `json:"name,omitempty"`
	Recommend    RecommendRequest `json:"recommend"`
	RunsPerMonth *string          `json:"runs_per_month,omitempty"`
}

// Volume is storage that is held at a place.
type Volume struct {
	Name            string  `json:"name,omitempty"`
	Place           string  `json:"place,omitempty"`
	GB              *string `json:"gb,omitempty"`
	PricePerGBMonth *string `json:"price_per_gb_month,omitempty"`
}

// Edge is data that moves between two places, or from or to the internet.
type Edge struct {
	Name       string  `json:"name,omitempty"`
	From       string  `json:"from,omitempty"`
	To         string  `json:"to,omitempty"`
	GBPerMonth *string `json:"gb_per_month,omitempty"`
	FreeGB     *string `json:"free_gb,omitempty"`
	Tiers      []Tier  `json:"tiers,omitempty"`
}

// Tier is a step of the caller's own price of traffic.
type Tier struct {
	FromGB *string `json:"from_gb,omitempty"`
	UpToGB *string `json:"up_to_gb,omitempty"`
	Price  *string `json:"price,omitempty"` // per GB
}

// OwnPrice is the tenant's own price of some offers.
type OwnPrice struct {
	Provider             string  `json:"provider,omitempty"`
	Region               string  `json:"region,omitempty"`
	SKU                  string  `json:"sku,omitempty"`
	GPU                  string  `json:"gpu,omitempty"`
	PurchaseModel        string  `json:"purchase_model,omitempty"`
	DiscountPct          *string `json:"discount_pct,omitempty"`
	PricePerInstanceHour *string `json:"price_per_instance_hour,omitempty"`
}

// TCOResponse is the answer of /v1/tco. Amounts are exact decimals in Currency; a
// nil pointer is written as null and never means zero.
type TCOResponse struct {
	CatalogVersion string  `json:"catalog_version"`
	AsOf           *string `json:"as_of"`
	ComputedAt     string  `json:"computed_at"`
	Staleness
	Currency      string         `json:"currency"`
	HoursPerMonth string         `json:"hours_per_month"`
	Options       []CostedOption `json:"options"`
	Assumptions   []Assumption   `json:"assumptions"`
	Warnings      []Warning      `json:"warnings"`
}

// CostedOption is an option with its cost.
type CostedOption struct {
	Name                      string             `json:"name"`
	Lines                     []BillLine         `json:"lines"`
	ByLine                    map[string]Amounts `json:"by_line"`
	Total                     Amounts            `json:"total"`
	CostPerEffectiveHour      *string            `json:"cost_per_effective_hour"`
	TotalPerEffectiveHour     *string            `json:"total_per_effective_hour"`
	CostPerEffectivePFLOPHour *string            `json:"cost_per_effective_pflop_hour"`
	AdjustedHourlyAsPublished *string            `json:"adjusted_hourly_as_published"`
	Resources                 []CostedResource   `json:"resources"`
}

// BillLine is a quantity of a month at a unit price.
type BillLine struct {
	Line            string  `json:"line"`
	Of              string  `json:"of"`
	Quantity        string  `json:"quantity"`
	Unit            string  `json:"unit"`
	Instances       *int64  `json:"instances"`
	Hours           *string `json:"hours"`
	UnitPrice       string  `json:"unit_price"`
	NativeUnitPrice *string `json:"native_unit_price"`
	NativeCurrency  *string `json:"native_currency"`
	Assumed         bool    `json:"assumed"`
	Amounts         Amounts `json:"amounts"`
}

// Amounts are what something costs over several spans.
type Amounts struct {
	PerHour   string `json:"per_hour"`
	PerMonth  string `json:"per_month"`
	PerYear   string `json:"per_year"`
	Per3Years string `json:"per_3_years"`
}

// CostedResource is a resource, and its instances under every purchase model.
type CostedResource struct {
	Name                string     `json:"name"`
	Offer               Offer      `json:"offer"`
	Instances           int64      `json:"instances"`
	UsefulHoursPerMonth string     `json:"useful_hours_per_month"`
	Efficiency          *string    `json:"efficiency"`
	PurchaseModels      []Purchase `json:"purchase_models"`
}

// Purchase is a resource under one purchase model.
type Purchase struct {
	PurchaseModel        string             `json:"purchase_model"`
	OfferID              *string            `json:"offer_id"`
	Reason               *string            `json:"reason"` // why it is no choice
	PricePerInstanceHour *string            `json:"price_per_instance_hour"`
	Amounts              *Amounts           `json:"amounts"`
	BreakEven            *BreakEven         `json:"break_even"`
	BreakEvenLostWorkPct map[string]*string `json:"break_even_lost_work_pct"`
}

// BreakEven is the use from which on a commitment is no dearer than on demand.
type BreakEven struct {
	UtilizationPct *string `json:"utilization_pct"`
	HoursPerMonth  *string `json:"hours_per_month"`
	HoursPerTerm   *string `json:"hours_per_term"`
}
