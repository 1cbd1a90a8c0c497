package schemas

// RecommendRequest is the body of POST /v1/recommend, and what a text query is
// turned into. Everything but the kind of work (or a rental) and the model's size
// has a default.
type RecommendRequest struct {
	Workload         *Workload    `json:"workload,omitempty"`
	Rental           *Rental      `json:"rental,omitempty"`
	Data             *Data        `json:"data,omitempty"`
	Critical         *bool        `json:"critical,omitempty"`
	Verify           *bool        `json:"verify,omitempty"`
	Constraints      *Constraints `json:"constraints,omitempty"`
	Hardware         *Hardware    `json:"hardware,omitempty"`
	CommitmentMonths *int         `json:"commitment_months,omitempty"`
	Objective        string       `json:"objective,omitempty"`
	Currency         string       `json:"currency,omitempty"`
	Alternatives     *int         `json:"alternatives,omitempty"`
	Language         string       `json:"language,omitempty"`
}

// Workload is the work to be done.
type Workload struct {
	Kind             string      `json:"kind,omitempty"`   // "finetune", "pretrain", "inference", "batch", "render", "edge_incremental" or "devtest"
	Method           string      `json:"method,omitempty"` // "full", "lora" or "qlora"
	Model            *Model      `json:"model,omitempty"`
	TokensB          *string     `json:"tokens_b,omitempty"` // 10^9 tokens per epoch
	Epochs           *int        `json:"epochs,omitempty"`
	SeqLen           *int        `json:"seq_len,omitempty"` // tokens
	MicroBatch       *int        `json:"micro_batch,omitempty"`
	LoRARank         *int        `json:"lora_rank,omitempty"`
	Packing          *bool       `json:"packing,omitempty"`
	Framework        string      `json:"framework,omitempty"`
	Precision        string      `json:"precision,omitempty"`
	Optimizer        string      `json:"optimizer,omitempty"`
	Quantizer        string      `json:"quantizer,omitempty"`
	Checkpointing    string      `json:"checkpointing,omitempty"`
	Sharding         string      `json:"sharding,omitempty"`
	TensorParallel   *int        `json:"tensor_parallel,omitempty"`
	PipelineParallel *int        `json:"pipeline_parallel,omitempty"`
	BatchTokens      *int        `json:"batch_tokens,omitempty"` // per optimizer step, over all GPUs
	ChunkedLoss      *bool       `json:"chunked_loss,omitempty"`
	Offload          *bool       `json:"offload,omitempty"`
	Preprocess       *Preprocess `json:"preprocess,omitempty"`
	Evaluate         *Evaluate   `json:"evaluate,omitempty"`
	Inference        *Inference  `json:"inference,omitempty"`
	Batch            *Batch      `json:"batch,omitempty"`
	Render           *Render     `json:"render,omitempty"`
	Edge             *EdgeRounds `json:"edge_incremental,omitempty"`
	DevTest          *DevTest    `json:"devtest,omitempty"`
}

// Model names a network, or gives its size and optionally its shape.
type Model struct {
	Name          string  `json:"name,omitempty"`
	ParamsB       *string `json:"params_b,omitempty"`        // 10^9 parameters
	ActiveParamsB *string `json:"active_params_b,omitempty"` // 10^9 parameters that one token passes
	Layers        *int    `json:"layers,omitempty"`
	Width         *int    `json:"width,omitempty"`
}

// Preprocess is the CPU work ahead of training.
type Preprocess struct {
	CPUCoreHours *string `json:"cpu_core_hours,omitempty"`
}

// Evaluate is the batch of requests that the trained model is tried on.
type Evaluate struct {
	Requests     *int   `json:"requests,omitempty"`
	InputTokens  *int   `json:"input_tokens,omitempty"`
	OutputTokens *int   `json:"output_tokens,omitempty"`
	Batch        *int   `json:"batch,omitempty"`
	Weights      string `json:"weights,omitempty"`
	Framework    string `json:"framework,omitempty"`
}

// Inference is the requests that kind inference answers.
type Inference struct {
	Requests     *int    `json:"requests,omitempty"`
	QPS          *string `json:"qps,omitempty"`
	Hours        *string `json:"hours,omitempty"`
	InputTokens  *int    `json:"input_tokens,omitempty"`
	OutputTokens *int    `json:"output_tokens,omitempty"`
	MaxLatencyMS *int    `json:"max_latency_ms,omitempty"`
	Batch        *int    `json:"batch,omitempty"`
	Weights      string  `json:"weights,omitempty"`
	Framework    string  `json:"framework,omitempty"`
}

// Batch is the independent work of kind batch: how long it takes on a reference GPU.
type Batch struct {
	GPUHours     *string `json:"gpu_hours,omitempty"`
	ReferenceGPU string  `json:"reference_gpu,omitempty"`
	Tasks        *int    `json:"tasks,omitempty"` // equal ones that it splits into
}

// Render is the frames of kind render: how long each takes on a reference GPU.
type Render struct {
	Frames          *int    `json:"frames,omitempty"`
	SecondsPerFrame *string `json:"seconds_per_frame,omitempty"`
	ReferenceGPU    string  `json:"reference_gpu,omitempty"`
	Tasks           *int    `json:"tasks,omitempty"` // equal ones that they are handed out in
}

// EdgeRounds is the rounds of kind edge_incremental.
type EdgeRounds struct {
	Rounds        *int    `json:"rounds,omitempty"`
	BytesPerRound *int64  `json:"bytes_per_round,omitempty"` // that each worker sends, and as many that it receives
	StepSeconds   *string `json:"step_seconds,omitempty"`    // of one worker and round on the reference GPU
	ReferenceGPU  string  `json:"reference_gpu,omitempty"`
	Workers       *int    `json:"workers,omitempty"`
	UplinkMbitS   *int    `json:"uplink_mbit_s,omitempty"`
	WeightsGB     *string `json:"weights_gb,omitempty"` // that are placed on each worker
}

// DevTest is the small models of kind devtest, which share GPUs.
type DevTest struct {
	Models      *int    `json:"models,omitempty"`
	VRAMGBEach  *string `json:"vram_gb_each,omitempty"`
	HoursPerDay *string `json:"hours_per_day,omitempty"`
	Days        *int    `json:"days,omitempty"`
}

// Rental prices time on the hardware of Hardware instead of a workload.
type Rental struct {
	Hours *string `json:"hours,omitempty"`
}

// Data says how much data there is, where it lies and where results belong.
// Places are written "provider/region".
type Data struct {
	SizeGB    *string `json:"size_gb,omitempty"`
	Place     string  `json:"place,omitempty"`
	ResultsTo string  `json:"results_to,omitempty"`
	Sensitive *bool   `json:"sensitive,omitempty"`
}

// Constraints are what every stage of every plan must meet. An empty list
// constrains nothing.
type Constraints struct {
	DeadlineHours           *string  `json:"deadline_hours,omitempty"`
	Budget                  *string  `json:"budget,omitempty"` // in the request's currency
	MaxPricePerInstanceHour *string  `json:"max_price_per_instance_hour,omitempty"`
	MaxPricePerGPUHour      *string  `json:"max_price_per_gpu_hour,omitempty"`
	MinVRAMGB               *string  `json:"min_vram_gb,omitempty"`
	ProviderClasses         []string `json:"provider_classes,omitempty"`
	Providers               []string `json:"providers,omitempty"`
	ExcludeProviders        []string `json:"exclude_providers,omitempty"`
	Countries               []string `json:"countries,omitempty"` // ISO codes, "EU", "EEA"
	ExcludeCountries        []string `json:"exclude_countries,omitempty"`
	Regions                 []string `json:"regions,omitempty"`
	Compliance              []string `json:"compliance,omitempty"`
	ECC                     *bool    `json:"ecc,omitempty"`
	NVLink                  *bool    `json:"nvlink,omitempty"`
	PurchaseModels          []string `json:"purchase_models,omitempty"`
	MaxInterruptionPct      *string  `json:"max_interruption_pct,omitempty"`
	GPUs                    []string `json:"gpus,omitempty"`
	MaxAgeDays              *int     `json:"max_age_days,omitempty"`
	UsersRegion             string   `json:"users_region,omitempty"`
	MaxRTTMs                *string  `json:"max_rtt_ms,omitempty"`
	AllowUnknown            []string `json:"allow_unknown,omitempty"`
}

// Hardware pins the main stage: "8xH100" is GPU "H100" and GPUCount 8.
type Hardware struct {
	GPU          string `json:"gpu,omitempty"`
	GPUCount     *int   `json:"gpu_count,omitempty"` // in all, over every node
	Nodes        *int   `json:"nodes,omitempty"`
	Interconnect string `json:"interconnect,omitempty"`
	Fabric       string `json:"fabric,omitempty"`
}
