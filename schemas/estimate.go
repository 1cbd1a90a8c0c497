package schemas

// EstimateRequest is the body of POST /v1/estimate: a job on named hardware, or on
// instances of an offer.
type EstimateRequest struct {
	Workload  *Workload          `json:"workload,omitempty"`
	Hardware  *EstimatedHardware `json:"hardware,omitempty"`
	OfferID   string             `json:"offer_id,omitempty"`
	Instances *int               `json:"instances,omitempty"`
	Data      *Data              `json:"data,omitempty"`
	Currency  string             `json:"currency,omitempty"`
	Language  string             `json:"language,omitempty"`
}

// EstimatedHardware is the hardware that an estimate is asked for.
type EstimatedHardware struct {
	GPU          string `json:"gpu,omitempty"`
	GPUCount     *int   `json:"gpu_count,omitempty"` // in all, over every node
	Nodes        *int   `json:"nodes,omitempty"`
	Interconnect string `json:"interconnect,omitempty"`
	Fabric       string `json:"fabric,omitempty"`
}

// EstimateResponse is the answer of /v1/estimate. Numbers are decimals in quotes; a
// nil pointer is written as null and means unknown or not applicable, never zero.
type EstimateResponse struct {
	CatalogVersion string  `json:"catalog_version"`
	AsOf           *string `json:"as_of"` // date of the price
	ComputedAt     string  `json:"computed_at"`
	Staleness
	Currency    string           `json:"currency"`
	Stage       string           `json:"stage"`
	Hardware    SizedHardware    `json:"hardware"`
	Fit         *string          `json:"fit"`      // "fits", "may_not_fit" or "does_not_fit"
	Memory      *EstimatedMemory `json:"memory"`   // null, as fit and speed, for work counted in time on a reference
	Smallest    *SizedHardware   `json:"smallest"` // fewest GPUs of the kind that it fits on
	Speed       *Speed           `json:"speed"`
	Serving     *Serving         `json:"serving"`  // null for training
	Relative    *RelativeSpeed   `json:"relative"` // null for other work
	Hours       Hours            `json:"hours"`
	Efficiency  *Efficiency      `json:"efficiency"`
	Offer       *Offer           `json:"offer"`
	Cost        *Cost            `json:"cost"`
	Unpriced    *string          `json:"unpriced"` // why the offer has no cost
	Environment Environment      `json:"environment"`
	Assumptions []Assumption     `json:"assumptions"`
	Warnings    []Warning        `json:"warnings"`
}

// SizedHardware is the hardware that was estimated on.
type SizedHardware struct {
	GPU       string  `json:"gpu"`
	GPUCount  int     `json:"gpu_count"`
	Nodes     int     `json:"nodes"`
	NVLink    bool    `json:"nvlink"`
	FabricGBs *string `json:"fabric_gb_s"` // per node and direction; null for one node
}

// EstimatedMemory is the peak per GPU, in GB.
type EstimatedMemory struct {
	ExpectedGB string      `json:"expected_gb"` // sum of the parts
	RequiredGB string      `json:"required_gb"` // with the margin for what the estimate misses
	PerGPUGB   string      `json:"per_gpu_gb"`
	LacksGB    string      `json:"lacks_gb"` // what would make it fit for certain
	Parts      MemoryParts `json:"parts"`
}

// Speed is the steady state on a healthy reference, and how the work is laid out.
type Speed struct {
	TokensPerSecondPerGPU string  `json:"tokens_per_s_per_gpu"`
	TokensPerSecond       string  `json:"tokens_per_s"`
	MFU                   string  `json:"mfu"`
	Precision             string  `json:"precision"`
	Parallelism           string  `json:"parallelism"`
	Sharding              string  `json:"sharding"`
	TensorParallel        int     `json:"tensor_parallel"`
	PipelineParallel      int     `json:"pipeline_parallel"`
	GPUsPerCopy           int     `json:"gpus_per_copy"`
	Recomputation         bool    `json:"recomputation"`
	HoursOnPaper          *string `json:"hours_on_paper"` // FLOPs over 40% of the peak
}

// RelativeSpeed is how the GPU compares with the one that the work was timed on.
type RelativeSpeed struct {
	ReferenceGPU string `json:"reference_gpu"`
	Speed        string `json:"speed"` // the reference's is 1
	Basis        string `json:"basis"` // "same_gpu", "measured", "specification" or "fp32_rates"
	TaskSeconds  string `json:"task_s"`
}

// Serving is how requests are answered, in milliseconds.
type Serving struct {
	Batch                int     `json:"batch"`
	Weights              string  `json:"weights"`
	FirstTokenMS         string  `json:"first_token_ms"`
	TokenMS              string  `json:"token_ms"`
	AnswerMS             string  `json:"answer_ms"`
	CostPerMillionTokens *string `json:"cost_per_million_tokens"`
}
