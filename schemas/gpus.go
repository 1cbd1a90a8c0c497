package schemas

// GPUsQuery is the query parameters of GET /v1/gpus.
type GPUsQuery struct {
	GPU        []string `json:"gpu,omitempty"`
	ComputedAt string   `json:"computed_at,omitempty"`
}

// GPUsResponse is the answer of GET /v1/gpus.
type GPUsResponse struct {
	GPUs           []GPU         `json:"gpus"`
	Unmapped       []UnmappedGPU `json:"unmapped"`
	Currency       string        `json:"currency"`
	CatalogVersion string        `json:"catalog_version"`
	AsOf           *string       `json:"as_of"` // date of the oldest price shown
	ComputedAt     string        `json:"computed_at"`
}

// GPU is a kind of GPU: its specification, and what it rents for. null is a figure
// that no source gives. Peaks are dense, in TFLOPS.
type GPU struct {
	ID                string  `json:"id"`
	Name              string  `json:"name"`
	Family            string  `json:"family"`
	Vendor            *string `json:"vendor"`
	Form              *string `json:"form"`
	Architecture      *string `json:"architecture"`
	Class             *string `json:"class"`
	Tier              *int    `json:"tier"`
	ComputeCapability *string `json:"compute_capability"`
	MinCUDA           *string `json:"min_cuda"`

	MemoryGB     *string `json:"memory_gb"`
	BF16TFLOPS   *string `json:"bf16_tflops"`
	FP16TFLOPS   *string `json:"fp16_tflops"`
	FP32TFLOPS   *string `json:"fp32_tflops"`
	FP64TFLOPS   *string `json:"fp64_tflops"`
	FP8TFLOPS    *string `json:"fp8_tflops"`
	BandwidthGBs *string `json:"bandwidth_gb_s"`
	TDPWatts     *string `json:"tdp_w"`
	NVLinkGBs    *string `json:"nvlink_gb_s"`
	NVLink       *bool   `json:"nvlink"`
	ECC          *bool   `json:"ecc"`
	MIG          *bool   `json:"mig"`

	SpecOf  *string     `json:"spec_of"` // the variant whose specification stands in
	Source  *string     `json:"source"`
	Sized   bool        `json:"sized"`   // enough is known to plan with it
	Aliases int         `json:"aliases"` // how many other names it has
	Offers  int         `json:"offers"`
	Markets []GPUMarket `json:"markets"` // every purchase model
}

// GPUMarket is what a GPU rents for under one purchase model. Reason says why
// there is no price.
type GPUMarket struct {
	PurchaseModel         string  `json:"purchase_model"`
	Offers                int     `json:"offers"`
	LowestPricePerGPUHour *string `json:"lowest_price_per_gpu_hour"`
	OfferID               *string `json:"offer_id"`
	AsOf                  *string `json:"as_of"`
	Reason                *string `json:"reason"`
}

// UnmappedGPU counts the offers of a GPU whose name is not known.
type UnmappedGPU struct {
	GPUName string `json:"gpu_name"`
	Offers  int    `json:"offers"`
}
