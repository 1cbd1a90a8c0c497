package web

import "slices"

// kinds are the kinds of work that the form of a plan knows, in its order.
func kinds() []choice {
	return []choice{
		{"finetune", "Fine-tune"}, {"pretrain", "Pretrain"}, {"inference", "Inference"},
		{"batch", "Batch"}, {"render", "Render"}, {"edge_incremental", "Edge training"},
		{"devtest", "Development"}, {"rental", "Just hardware"},
	}
}

// planInputs are the fields of the form of a plan, in its order.
func planInputs() []input {
	work := within("work", []input{
		{Name: "model", Pointer: "/workload/model", As: asModel, Label: "Model", Hint: "A size such as 7B, or a name such as llama-3-8b", Kinds: "finetune pretrain inference", List: "models"},
		{Name: "method", Pointer: "/workload/method", As: asOne, Label: "Method", Choices: methods(), Kinds: "finetune"},
		{Name: "tokens_b", Pointer: "/workload/tokens_b", Label: "Tokens, in billions", Hint: "Per epoch, such as 0.05", Kinds: "finetune pretrain"},
		{Name: "epochs", Pointer: "/workload/epochs", As: asWhole, Label: "Epochs", Kinds: "finetune pretrain"},
		{Name: "seq_len", Pointer: "/workload/seq_len", As: asWhole, Label: "Tokens per sequence", Kinds: "finetune pretrain"},
		{Name: "requests", Pointer: "/workload/inference/requests", As: asWhole, Label: "Requests", Hint: "In all; or a rate and hours", Kinds: "inference"},
		{Name: "qps", Pointer: "/workload/inference/qps", Label: "Requests per second", Kinds: "inference"},
		{Name: "hours", Pointer: "/workload/inference/hours", Label: "For how many hours", Kinds: "inference"},
		{Name: "input_tokens", Pointer: "/workload/inference/input_tokens", As: asWhole, Label: "Tokens in a request", Kinds: "inference"},
		{Name: "output_tokens", Pointer: "/workload/inference/output_tokens", As: asWhole, Label: "Tokens in an answer", Kinds: "inference"},
		{Name: "max_latency_ms", Pointer: "/workload/inference/max_latency_ms", As: asWhole, Label: "Longest answer, in ms", Kinds: "inference"},
		{Name: "gpu_hours", Pointer: "/workload/batch/gpu_hours", Label: "GPU hours", Hint: "Of all the work on one reference GPU", Kinds: "batch"},
		{Name: "batch_gpu", Pointer: "/workload/batch/reference_gpu", Label: "Reference GPU", Hint: "The GPU that it was timed on", Kinds: "batch", List: "gpus"},
		{Name: "frames", Pointer: "/workload/render/frames", As: asWhole, Label: "Frames", Kinds: "render"},
		{Name: "seconds_per_frame", Pointer: "/workload/render/seconds_per_frame", Label: "Seconds per frame", Hint: "On one reference GPU", Kinds: "render"},
		{Name: "render_gpu", Pointer: "/workload/render/reference_gpu", Label: "Reference GPU", Hint: "The GPU that it was timed on", Kinds: "render", List: "gpus"},
		{Name: "rounds", Pointer: "/workload/edge_incremental/rounds", As: asWhole, Label: "Rounds", Kinds: "edge_incremental"},
		{Name: "workers", Pointer: "/workload/edge_incremental/workers", As: asWhole, Label: "Workers", Hint: "GPUs that work in every round", Kinds: "edge_incremental"},
		{Name: "bytes_per_round", Pointer: "/workload/edge_incremental/bytes_per_round", As: asWhole, Label: "Bytes per round", Hint: "That each worker sends", Kinds: "edge_incremental"},
		{Name: "step_seconds", Pointer: "/workload/edge_incremental/step_seconds", Label: "Seconds per step", Hint: "On one reference GPU", Kinds: "edge_incremental"},
		{Name: "edge_gpu", Pointer: "/workload/edge_incremental/reference_gpu", Label: "Reference GPU", Hint: "The GPU that it was timed on", Kinds: "edge_incremental", List: "gpus"},
		{Name: "models", Pointer: "/workload/devtest/models", As: asWhole, Label: "Models side by side", Kinds: "devtest"},
		{Name: "vram_gb_each", Pointer: "/workload/devtest/vram_gb_each", Label: "GPU memory of each, in GB", Kinds: "devtest"},
		{Name: "hours_per_day", Pointer: "/workload/devtest/hours_per_day", Label: "Hours per day", Kinds: "devtest"},
		{Name: "days", Pointer: "/workload/devtest/days", As: asWhole, Label: "Days", Kinds: "devtest"},
		{Name: "rental_hours", Pointer: "/rental/hours", Label: "Hours", Hint: "168 is a week", Kinds: "rental"},
		{Name: "gpu", Pointer: "/hardware/gpu", Label: "GPU", Hint: "Such as H100; empty for any", List: "gpus"},
		{Name: "gpu_count", Pointer: "/hardware/gpu_count", As: asWhole, Label: "How many GPUs"},
	}...)
	goal := within("goal", []input{
		{Name: "objective", Pointer: "/objective", As: asOne, Label: "Best means", Usual: true, Choices: []choice{{"cost", "Cheapest"}, {"time", "Fastest"}, {"balanced", "Balanced"}}},
		{Name: "budget", Pointer: "/constraints/budget", Label: "Budget", Hint: "Most that the whole plan may cost"},
		{Name: "currency", Pointer: "/currency", As: asOne, Label: "Currency", Usual: true, Choices: currencies()},
		{Name: "deadline_hours", Pointer: "/constraints/deadline_hours", Label: "Deadline, in hours", Hint: "Kept in 95 of 100 cases"},
	}...)
	limits := within("limits", []input{
		{Name: "countries", Pointer: "/constraints/countries", As: asList, Label: "Countries", Hint: "Such as EU, US"},
		{Name: "gpus", Pointer: "/constraints/gpus", As: asList, Label: "Only these GPUs", Hint: "Such as A100, H100"},
		{Name: "min_vram_gb", Pointer: "/constraints/min_vram_gb", Label: "Least GPU memory, in GB"},
		{Name: "max_price_per_gpu_hour", Pointer: "/constraints/max_price_per_gpu_hour", Label: "Highest price per GPU-hour"},
		{Name: "size_gb", Pointer: "/data/size_gb", Label: "Data, in GB"},
		{Name: "place", Pointer: "/data/place", Label: "Where the data lies", Hint: "Such as aws/us-east-1"},
		{Name: "commitment_months", Pointer: "/commitment_months", As: asWhole, Label: "Months you can commit"},
		{Name: "purchase_models", Pointer: "/constraints/purchase_models", As: asSeveral, Label: "Bought as", Choices: purchaseModels()},
		{Name: "provider_classes", Pointer: "/constraints/provider_classes", As: asSeveral, Label: "From", Choices: providerClasses()},
		{Name: "ecc", Pointer: "/constraints/ecc", As: asFlag, Label: "ECC memory only"},
		{Name: "nvlink", Pointer: "/constraints/nvlink", As: asFlag, Label: "NVLink only"},
		{Name: "critical", Pointer: "/critical", As: asFlag, Label: "The work is critical"},
		{Name: "sensitive", Pointer: "/data/sensitive", As: asFlag, Label: "The data is sensitive"},
	}...)
	return slices.Concat(work, goal, limits)
}

// methods are the ways to fine-tune.
func methods() []choice {
	return []choice{{"lora", "LoRA"}, {"qlora", "QLoRA"}, {"full", "All parameters"}}
}

// currencies are those that the form offers; the API takes more.
func currencies() []choice {
	return []choice{{"USD", "USD"}, {"EUR", "EUR"}, {"GBP", "GBP"}, {"CNY", "CNY"}, {"JPY", "JPY"}, {"INR", "INR"}}
}

// purchaseModels are the ways to buy.
func purchaseModels() []choice {
	return []choice{{"on_demand", "On demand"}, {"spot", "Spot"}, {"reserved_1y", "1-year term"}, {"reserved_3y", "3-year term"}, {"capacity_block", "Capacity block"}}
}

// providerClasses are the classes of providers.
func providerClasses() []choice {
	return []choice{{"hyperscaler", "Hyperscalers"}, {"specialist", "Specialists"}, {"community", "Community"}}
}
