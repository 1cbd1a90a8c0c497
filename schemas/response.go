package schemas

import "encoding/json"

// RecommendResponse is the answer of /v1/recommend. Amounts are exact decimals in
// Currency; hours are rounded up to four decimals. A nil pointer is written as
// null and means that the value is unknown or does not apply; it never means zero.
type RecommendResponse struct {
	PlanSetID      string  `json:"plan_set_id"`
	CatalogVersion string  `json:"catalog_version"`
	AsOf           *string `json:"as_of"` // date of the oldest price used
	ComputedAt     string  `json:"computed_at"`
	Staleness
	Currency      string            `json:"currency"`
	Interpreted   *RecommendRequest `json:"interpreted"` // what a text set; null for a JSON request
	NotUnderstood []string          `json:"not_understood"`
	Suggestions   []Suggestion      `json:"suggestions,omitempty"`
	Assumptions   []Assumption      `json:"assumptions"`
	Plans         []Plan            `json:"plans"`
	Frontier      []FrontierPoint   `json:"frontier"`
	Considered    int               `json:"considered"` // offers looked at, summed over the stages
	Rejected      []Rejection       `json:"rejected"`
	Nearest       []Nearest         `json:"nearest"`
	Charts        *Charts           `json:"charts,omitempty"` // if asked for
}

// Suggestion is a piece of a text that was not understood, and known words that are
// spelt like it.
type Suggestion struct {
	Text string   `json:"text"`
	Near []string `json:"near"`
}

// Assumption is a value that nobody stated.
type Assumption struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

// Plan is one ranked answer.
type Plan struct {
	Rank        int         `json:"rank"`
	Total       string      `json:"total"`
	Hours       string      `json:"hours"` // expected wall time, moves included
	HoursP95    string      `json:"hours_p95"`
	Stages      []Stage     `json:"stages"`
	Moves       []Move      `json:"moves"`
	Baseline    *Baseline   `json:"baseline"` // null if the whole job can't run on the main stage's node
	SavingsPct  *string     `json:"savings_pct"`
	ECCPremium  *string     `json:"ecc_premium"`
	RiskPct     *string     `json:"deadline_risk_pct"` // null without a deadline
	Environment Environment `json:"environment"`
	Why         string      `json:"why"`
	Flips       []string    `json:"flips"`
	Warnings    []Warning   `json:"warnings"`
}

// Stage is one step of a plan on one offer.
type Stage struct {
	Name       string      `json:"name"`
	Offer      Offer       `json:"offer"`
	Instances  int         `json:"instances"`
	GPUs       int         `json:"gpus"` // over all instances; 0 for a CPU stage
	Hours      Hours       `json:"hours"`
	Memory     *Memory     `json:"memory"`     // null where no memory was estimated
	Efficiency *Efficiency `json:"efficiency"` // null where no coefficient applies
	// Models is of work that shares GPUs, RoundS and Slowest of work in rounds.
	Models  int    `json:"models_per_instance,omitempty"`
	RoundS  string `json:"round_s,omitempty"`
	Slowest string `json:"slowest,omitempty"`
	Spot    Spot   `json:"spot"`
	Cost    Cost   `json:"cost"`
}

// Spot is a stage's instances on spot against on demand.
type Spot struct {
	Reason              string     `json:"reason"`
	Total               *string    `json:"total"`
	TotalP95            *string    `json:"total_p95"`
	OnDemandTotal       *string    `json:"on_demand_total"`
	CheckpointIntervalS *int64     `json:"checkpoint_interval_s"`
	Interruptions       *string    `json:"interruptions"`
	RatePerHour         *SpotRange `json:"rate_per_hour"`
	BreakEvenPerHour    *string    `json:"break_even_rate_per_hour"`
}

// SpotRange is how often one instance is interrupted, per hour.
type SpotRange struct {
	Low     string `json:"low"`
	Central string `json:"central"`
	High    string `json:"high"`
}

// Hours is a stage's wall time: start-up, work and interruptions. Low and High
// are the ends of an 80% interval of the work.
type Hours struct {
	Low      string `json:"low"`
	Expected string `json:"expected"`
	High     string `json:"high"`
	P95      string `json:"p95"`
}

// Memory is the estimated peak per GPU, in GB, against what a GPU has.
type Memory struct {
	RequiredGB string      `json:"required_gb"` // with the margin for what the estimate misses
	PerGPUGB   string      `json:"per_gpu_gb"`
	Parts      MemoryParts `json:"parts"`
}

// MemoryParts are what the peak is made of, in GB.
type MemoryParts struct {
	Weights     string `json:"weights_gb"`
	Gradients   string `json:"gradients_gb"`
	Optimizer   string `json:"optimizer_gb"`
	Adapters    string `json:"adapters_gb"`
	Activations string `json:"activations_gb"`
	Logits      string `json:"logits_gb"`
	KVCache     string `json:"kv_cache_gb"`
	Gather      string `json:"gather_gb"`
	Overhead    string `json:"overhead_gb"`
}

// Efficiency is the coefficient that the hours were divided by.
type Efficiency struct {
	Value    string            `json:"value"`
	Interval [2]string         `json:"interval"`
	Source   string            `json:"source"`
	Tier     string            `json:"tier"`
	Tenants  int               `json:"tenants"`
	Boxes    int               `json:"boxes"`
	Terms    map[string]string `json:"terms"`
}

// Cost is the disjoint lines of a stage; they add up to Total exactly.
type Cost struct {
	Instance     string `json:"instance"`
	Idle         string `json:"idle"`
	Storage      string `json:"storage"`
	Network      string `json:"network"`
	Interruption string `json:"interruption"`
	Setup        string `json:"setup"`
	Verification string `json:"verification"`
	Discount     string `json:"discount"`
	Total        string `json:"total"`
}

// Move is data on its way between two places. Its cost is part of the network
// line of the stage that it goes to, or comes from after the last stage.
type Move struct {
	From    string `json:"from"`
	To      string `json:"to"`
	GB      string `json:"gb"`
	Hours   string `json:"hours"`
	Cost    string `json:"cost"`
	Assumed bool   `json:"assumed"` // no source gives the rate; the dearest stands in
}

// Baseline is the whole job on the main stage's node.
type Baseline struct {
	Description string `json:"description"`
	Total       string `json:"total"`
}

// Environment is what the main stage needs of its software.
type Environment struct {
	Image   *string  `json:"image"`
	CUDAMin *string  `json:"cuda_min"` // first CUDA release that knows the GPU
	Notes   []string `json:"notes"`
}

// Warning is something about a plan that its reader should know.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// FrontierPoint is a plan that no other beats in both cost and time. Plan is its
// rank, null if it is not among the plans.
type FrontierPoint struct {
	Total string `json:"total"`
	Hours string `json:"hours"`
	Plan  *int   `json:"plan"`
}

// Rejection counts what a reason ruled out for a stage.
type Rejection struct {
	Reason string `json:"reason"`
	Stage  string `json:"stage"`
	Count  int    `json:"count"`
	// Message is the reason in words.
	Message string `json:"message"`
}

// Nearest says to what one constraint must be relaxed, at least, to get a plan
// while the others hold.
type Nearest struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Why   string `json:"why"`
}

// Offer is one thing that can be rented, as one rentable instance of it.
type Offer struct {
	ID            string  `json:"id"`
	Provider      string  `json:"provider"`
	ProviderClass string  `json:"provider_class"`
	Tier          *int    `json:"tier"`
	SKU           string  `json:"sku"`
	Region        string  `json:"region"`
	Country       *string `json:"country"`
	PurchaseModel string  `json:"purchase_model"`

	GPU          *string      `json:"gpu"`       // null for a CPU-only offer
	GPUCount     *json.Number `json:"gpu_count"` // a fraction for a slice
	VRAMPerGPUGB *string      `json:"vram_per_gpu_gb"`
	VRAMTotalGB  *string      `json:"vram_total_gb"`
	VCPU         *json.Number `json:"vcpu"`
	RAMGB        *string      `json:"ram_gb"`

	// The prices are in Currency. Derived names those that are not the source's
	// own figure but a product, a quotient or a conversion of NativePrice.
	PricePerInstanceHour *string  `json:"price_per_instance_hour"`
	PricePerGPUHour      *string  `json:"price_per_gpu_hour"`
	PriceBasis           string   `json:"price_basis"`
	Derived              []string `json:"derived"`
	Currency             string   `json:"currency"`
	NativePrice          *string  `json:"native_price"`
	NativeCurrency       string   `json:"native_currency"`
	BillingIncrementS    *int64   `json:"billing_increment_s"`

	Availability    string      `json:"availability"`
	InterruptionPct *[2]*string `json:"interruption_pct"` // monthly band; an open end is null
	Interconnect    *string     `json:"interconnect"`     // between the GPUs of an instance
	ECC             *bool       `json:"ecc"`
	Compliance      []string    `json:"compliance"` // what the provider states

	AsOf    *string  `json:"as_of"`
	AgeDays *int     `json:"age_days"`
	Stale   *bool    `json:"stale"`
	Source  string   `json:"source"`
	Flags   []string `json:"flags"`
}
