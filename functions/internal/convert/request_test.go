package convert

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/stageplan"
	"github.com/tierwise/tierwise/functions/internal/wording"
	"github.com/tierwise/tierwise/functions/internal/workload"
	"github.com/tierwise/tierwise/schemas"
)

// at is the instant that tests are answered at.
func at() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC) }

// smallCatalogue is the catalogue of functions/testdata.
func smallCatalogue(t *testing.T) *catalog.Snapshot {
	t.Helper()
	s, err := seed.Read(os.DirFS("../../testdata/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request converts a JSON request.
func request(t *testing.T, document string) (engine.Request, error) {
	t.Helper()
	var wire schemas.RecommendRequest
	if err := schemas.Decode(schemas.RecommendRequestSchema, []byte(document), &wire); err != nil {
		t.Fatal(err)
	}
	return Request(smallCatalogue(t), wire, at())
}

// accepted converts a JSON request that must be fine.
func accepted(t *testing.T, document string) engine.Request {
	t.Helper()
	r, err := request(t, document)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// assumed is the value that was assumed for a field, "" if it was stated.
func assumed(r engine.Request, field string) string {
	for _, a := range r.Assumed {
		if a.Field == field {
			return a.Value
		}
	}
	return ""
}

// The smallest fine-tune is the default job, and every part of it is an assumption.
func TestDefaultFineTune(t *testing.T) {
	r := accepted(t, `{"workload": {"kind": "finetune", "model": {"name": "Llama 2 7B"}}}`)
	want := workload.Spec{
		Kind: workload.FineTune, Method: workload.LoRA, Tokens: 50e6, SeqLen: 2048, MicroBatch: 1, LoRARank: 16, Packing: true,
		Framework: workload.Eager, Precision: workload.PrecisionAuto, Sharding: workload.ShardAuto, Checkpointing: workload.CheckpointAuto,
		Assumed:             workload.Assumed{SeqLen: true, MicroBatch: true},
		PreprocessCoreHours: 4, Evaluate: workload.Evaluation{Requests: 1000, InputTokens: 512, OutputTokens: 128}, DatasetGB: 10,
	}
	model, _ := smallCatalogue(t).Model("llama-2-7b")
	want.Shape = workload.ShapeOf(model)
	if diff := cmp.Diff(want, *r.Work); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if r.Objective != stageplan.Cost || r.Currency != "USD" || r.Alternatives != 5 || r.Budget.Valid || r.DeadlineSeconds != 0 ||
		r.Data.Place != nil || r.Data.ResultsTo != nil || !r.ComputedAt.Equal(at()) {
		t.Errorf("got %+v", r)
	}
	if !r.Constraints.Markets[catalog.OnDemand] || !r.Constraints.Markets[catalog.Spot] || len(r.Constraints.Markets) != 2 {
		t.Errorf("got markets %v", r.Constraints.Markets)
	}
	for field, want := range map[string]string{
		"workload.method": "lora", "workload.tokens_b": "0.05", "workload.epochs": "1", "workload.seq_len": "2048",
		"workload.micro_batch": "1", "workload.lora_rank": "16", "workload.packing": "true", "workload.framework": "eager",
		"workload.checkpointing": "auto", "workload.sharding": "auto", "workload.offload": "false",
		"workload.preprocess.cpu_core_hours": "4", "workload.evaluate.requests": "1000", "workload.evaluate.input_tokens": "512",
		"workload.evaluate.output_tokens": "128", "data.size_gb": "10", "data.place": "where the first stage runs",
		"data.results_to": "where the last stage runs", "commitment_months": "0", "constraints.purchase_models": "on_demand, spot",
		"objective": "cost", "currency": "USD", "alternatives": "5",
	} {
		if got := assumed(r, field); got != want {
			t.Errorf("%s: assumed %q, want %q", field, got, want)
		}
	}
}

// What is stated is taken, and nothing of it is an assumption.
func TestEverythingStated(t *testing.T) {
	r := accepted(t, `{
		"workload": {"kind": "finetune", "method": "qlora", "model": {"params_b": "7.5", "active_params_b": "2", "layers": 30, "width": 4000},
			"tokens_b": "0.1", "epochs": 3, "seq_len": 4096, "micro_batch": 4, "lora_rank": 8, "packing": false, "framework": "flash",
			"precision": "bf16", "optimizer": "adamw_8bit", "tensor_parallel": 2, "pipeline_parallel": 3, "batch_tokens": 65536, "chunked_loss": true,
			"quantizer": "gptq", "checkpointing": "on", "sharding": "zero2", "offload": true, "preprocess": {"cpu_core_hours": "0.5"},
			"evaluate": {"requests": 7, "input_tokens": 8, "output_tokens": 9, "batch": 4, "weights": "int8", "framework": "tuned"}},
		"data": {"size_gb": "12.5", "place": "AWS/US-EAST-1", "results_to": "Google Cloud/europe-west3", "sensitive": false}, "critical": false,
		"constraints": {"deadline_hours": "1.99999", "budget": "100.10", "max_price_per_instance_hour": "20", "max_price_per_gpu_hour": "0.1",
			"min_vram_gb": "24", "provider_classes": ["hyperscaler"], "providers": ["Amazon Web Services", "gcp"], "exclude_providers": ["vast.ai"],
			"countries": ["de", "us"], "exclude_countries": ["CN"], "regions": ["us-east-1"], "compliance": ["ISO 27001"], "ecc": true, "nvlink": true,
			"purchase_models": ["spot"], "max_interruption_pct": "10", "gpus": ["A100-80GB-SXM"], "max_age_days": 90, "allow_unknown": ["ecc", "age"]},
		"hardware": {"gpu": "A100-80GB-SXM", "gpu_count": 4, "nodes": 2}, "commitment_months": 12, "objective": "time", "currency": "EUR", "alternatives": 3, "language": "en"}`)
	want := engine.Request{
		Work: &workload.Spec{
			Kind: workload.FineTune, Method: workload.QLoRA, Shape: workload.FitShape(7.5e9, 2e9, 30, 4000), Tokens: 300e6, SeqLen: 4096,
			MicroBatch: 4, LoRARank: 8, Framework: workload.Flash, Quantizer: workload.GPTQ, Sharding: workload.Zero2,
			Precision: workload.BF16, Optimizer: workload.AdamW8, TensorParallel: 2, PipelineParallel: 3, BatchTokens: 65536, ChunkedLoss: true,
			Checkpointing: workload.CheckpointOn, Offload: true, PreprocessCoreHours: 0.5,
			DatasetGB: 12.5,
			Evaluate:  workload.Evaluation{Requests: 7, InputTokens: 8, OutputTokens: 9, Batch: 4, Weights: workload.Bits8, Framework: workload.Tuned},
		},
		Data: engine.Data{Place: &catalog.Place{Provider: "aws", Region: "us-east-1"},
			ResultsTo: &catalog.Place{Provider: "gcp", Region: "europe-west3"}},
		Constraints: candidate.Constraints{
			Classes: candidate.SetOf(catalog.Hyperscaler), Providers: candidate.SetOf[catalog.ProviderID]("aws", "gcp"),
			ExcludeProviders: candidate.SetOf[catalog.ProviderID]("vast"), Countries: candidate.SetOf("DE", "US"),
			ExcludeCountries: candidate.SetOf("CN"), Regions: candidate.SetOf[catalog.RegionID]("us-east-1"),
			Compliance: []string{"ISO 27001"}, ECC: true, NVLink: true, Markets: candidate.SetOf(catalog.Spot),
			GPUs: candidate.SetOf[catalog.GPUID]("A100-80GB-SXM"), MinVRAMGB: 24, MaxInterruptionPct: known10("10"),
			MaxInstanceHour: known10("20"), MaxGPUHour: known10("0.1"), MaxAgeDays: 90, CommitmentMonths: 12,
			AllowUnknown: candidate.SetOf(candidate.UnknownECC, candidate.UnknownAge),
		},
		Hardware:        candidate.Pin{GPUs: candidate.SetOf[catalog.GPUID]("A100-80GB-SXM"), GPUCount: 4, Nodes: 2},
		Budget:          known10("100.10"),
		DeadlineSeconds: 7199, // 7199.964 s, rounded down
		Objective:       stageplan.Time, Currency: "EUR", Alternatives: 3, ComputedAt: at(),
		Seed: r.Seed, Language: wording.English,
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// known10 is a decimal that is there.
func known10(text string) decimal.NullDecimal {
	return decimal.NullDecimal{Decimal: decimal.RequireFromString(text), Valid: true}
}

func TestDefaultPretraining(t *testing.T) {
	r := accepted(t, `{"workload": {"kind": "pretrain", "model": {"params_b": "1.3"}}}`)
	if r.Work.Tokens != 26e9 || r.Work.Method != workload.Full || r.Work.Framework != workload.Flash || r.Work.LoRARank != 0 ||
		r.Work.PreprocessCoreHours != 0 || r.Work.DatasetGB != 104 {
		t.Errorf("got %+v", r.Work)
	}
	if got := assumed(r, "workload.tokens_b"); got != "26" {
		t.Errorf("tokens_b: assumed %q, want 26: 20 per parameter", got)
	}
	if assumed(r, "workload.model") == "" {
		t.Error("a fitted shape is no assumption")
	}
	stated := accepted(t, `{"workload": {"kind": "pretrain", "model": {"params_b": "1.3"}, "tokens_b": "0.3", "epochs": 2}}`)
	if stated.Work.Tokens != 0.6e9 || stated.Work.DatasetGB != 1.2 {
		t.Errorf("got %g tokens, %g GB, want the dataset counted once", stated.Work.Tokens, stated.Work.DatasetGB)
	}
}

// Tokens cross from decimal to float64 exactly once.
func TestTokensAreExact(t *testing.T) {
	for text, want := range map[string]float64{"0.05": 50e6, "0.1": 100e6, "0.3": 300e6, "0.000000001": 1, "300": 300e9, "9999999.999999999": 9999999999999999} {
		r := accepted(t, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}, "tokens_b": "`+text+`"}}`)
		if r.Work.Tokens != want {
			t.Errorf("tokens_b %s: got %v, want %v", text, r.Work.Tokens, want)
		}
	}
}

func TestRental(t *testing.T) {
	r := accepted(t, `{"rental": {"hours": "0.1"}, "hardware": {"gpu": "H100"}}`)
	if r.Work != nil || r.RentalSeconds != 360 {
		t.Errorf("got %v s, want 360", r.RentalSeconds)
	}
	r = accepted(t, `{"rental": {}, "hardware": {"gpu": "H100"}}`)
	if r.RentalSeconds != 3600 || assumed(r, "rental.hours") != "1" {
		t.Errorf("got %v s, assumed %q", r.RentalSeconds, assumed(r, "rental.hours"))
	}
}

// Eight GPUs are one machine, unless the request says otherwise; sixteen are not.
func TestMachines(t *testing.T) {
	for hardware, want := range map[string]candidate.Pin{
		`"gpu_count": 8`:                {GPUCount: 8, MaxNodes: 1},
		`"gpu_count": 8, "nodes": 8`:    {GPUCount: 8, Nodes: 8},
		`"gpu_count": 16`:               {GPUCount: 16},
		`"nodes": 2`:                    {Nodes: 2},
		`"gpu_count": 8, "nodes": null`: {GPUCount: 8, MaxNodes: 1},
	} {
		r := accepted(t, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {`+hardware+`}}`)
		if diff := cmp.Diff(want, r.Hardware); diff != "" {
			t.Errorf("%s (-want +got):\n%s", hardware, diff)
		}
		if got := assumed(r, "hardware.nodes"); (got == "1") != (want.MaxNodes == 1) {
			t.Errorf("%s: assumed %q nodes", hardware, got)
		}
	}
}

func TestNames(t *testing.T) {
	r := func(constraints string) candidate.Constraints {
		return accepted(t, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "constraints": {`+constraints+`}}`).Constraints
	}
	keys := func(ids ...string) string { return strings.Join(ids, " ") }
	for _, c := range []struct{ name, got, want string }{
		{"a family is its variants", sorted(r(`"gpus": ["a100"]`).GPUs), keys("A100-40GB-SXM", "A100-80GB", "A100-80GB-PCIe", "A100-80GB-SXM")},
		{"an open form is every form of that memory", sorted(r(`"gpus": ["A100 80GB"]`).GPUs), keys("A100-80GB", "A100-80GB-PCIe", "A100-80GB-SXM")},
		{"an alias", sorted(r(`"gpus": ["RTX 4090"]`).GPUs), "RTX-4090-24GB"},
		{"a city is its regions", sorted(r(`"regions": ["frankfurt"]`).Regions), keys("eu-central-1", "europe-west3")},
		{"a region, whatever the case", sorted(r(`"regions": ["US-East-1"]`).Regions), "us-east-1"},
		{"no list constrains nothing", sorted(r(`"regions": [], "countries": []`).Regions), ""},
		{"a group of countries and one more", sorted(r(`"countries": ["EEA", "us"]`).Countries),
			"AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK US"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

// sorted lists the members of a set.
func sorted[T ~string](set candidate.Set[T]) string {
	var names []string
	for member := range set {
		names = append(names, string(member))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestFamiliesAreListed(t *testing.T) {
	r := accepted(t, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {"gpu": "A100"}, "constraints": {"gpus": ["H100", "A100"]}}`)
	want := "A100-40GB-SXM, A100-80GB, A100-80GB-PCIe, A100-80GB-SXM"
	if got := assumed(r, "hardware.gpu"); got != want {
		t.Errorf("hardware.gpu: assumed %q, want %q", got, want)
	}
	if got := assumed(r, "constraints.gpus.1"); got != want {
		t.Errorf("constraints.gpus.1: assumed %q, want %q", got, want)
	}
	if got := assumed(r, "constraints.gpus.0"); got != "" {
		t.Errorf("constraints.gpus.0: assumed %q, but it is one GPU", got)
	}
}

func TestLocality(t *testing.T) {
	for _, name := range []string{"eu-central-1", "AWS/eu-central-1", "frankfurt"} {
		r := accepted(t, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "constraints": {"users_region": "`+name+`", "max_rtt_ms": "12.5"}}`)
		if near := r.Constraints.Near; near == nil || near.Users.City != "Frankfurt" || near.MaxRTTMs != 12.5 {
			t.Errorf("%s: got %+v", name, near)
		}
		if got, want := assumed(r, "constraints.users_region"), "aws/eu-central-1, Frankfurt"; got != want {
			t.Errorf("%s: assumed %q, want %q", name, got, want)
		}
	}
}

func TestCommitmentsOpenReservations(t *testing.T) {
	for months, want := range map[string]string{"0": "on_demand, spot", "11": "on_demand, spot", "12": "on_demand, spot, reserved_1y", "36": "on_demand, spot, reserved_1y, reserved_3y"} {
		r := accepted(t, `{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "commitment_months": `+months+`}`)
		if got := assumed(r, "constraints.purchase_models"); got != want {
			t.Errorf("%s months: got %s, want %s", months, got, want)
		}
	}
}

// What can't be honoured word for word is listed.
func TestSoftenedWishesAreListed(t *testing.T) {
	r := accepted(t, `{"workload": {"kind": "finetune", "method": "full", "model": {"params_b": "7"}, "lora_rank": 4, "quantizer": "nf4"},
		"critical": true, "data": {"sensitive": true}}`)
	if !r.Critical || r.Constraints.Classes[catalog.Community] || len(r.Constraints.Classes) != 2 {
		t.Errorf("got %+v", r.Constraints)
	}
	for field, want := range map[string]string{
		"critical": "ECC up to 1.2 x", "constraints.provider_classes": "hyperscaler, specialist",
		"workload.lora_rank": "unused", "workload.quantizer": "unused",
	} {
		if got := assumed(r, field); got != want {
			t.Errorf("%s: assumed %q, want %q", field, got, want)
		}
	}
}

// A request that never met its schema must not do harm either.
func TestRequestWithoutSchema(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, wire := range map[string]schemas.RecommendRequest{
		"empty":         {},
		"no model":      {Workload: &schemas.Workload{Kind: "finetune"}},
		"no kind":       {Workload: &schemas.Workload{Model: &schemas.Model{ParamsB: text("7")}}},
		"huge exponent": {Workload: &schemas.Workload{Kind: "finetune", Model: &schemas.Model{ParamsB: text("1e999999999")}}},
		"no number":     {Workload: &schemas.Workload{Kind: "finetune", Model: &schemas.Model{ParamsB: text("...")}}},
		"long number":   {Workload: &schemas.Workload{Kind: "finetune", Model: &schemas.Model{ParamsB: text(strings.Repeat("9", 1000))}}},
		"objective":     {Workload: &schemas.Workload{Kind: "finetune", Model: &schemas.Model{ParamsB: text("7")}}, Objective: "luck"},
		"rental":        {Rental: &schemas.Rental{Hours: text("-1")}},
		"method":        {Workload: &schemas.Workload{Kind: "finetune", Method: "magic", Model: &schemas.Model{ParamsB: text("7")}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Request(smallCatalogue(t), wire, at())
			var invalid *schemas.ValidationError
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
				t.Errorf("got error %v, want a *schemas.ValidationError", err)
			}
		})
	}
}

func TestBlamed(t *testing.T) {
	other := errors.New("disk full")
	if got := Blamed(other); got != other {
		t.Errorf("got %v, want the error as it is", got)
	}
	for _, c := range []struct {
		err     error
		pointer string
	}{
		{engine.CurrencyError{Currency: "XYZ"}, "/currency"},
		{workload.FieldError{Field: "tokens"}, "/workload/tokens_b"},
		{workload.FieldError{Field: "params"}, "/workload/model/params_b"},
		{workload.FieldError{Field: "width"}, "/workload/model/width"},
		{workload.FieldError{Field: "data.size_gb"}, "/data/size_gb"},
		{workload.FieldError{Field: "evaluate.requests"}, "/workload/evaluate/requests"},
	} {
		var invalid *schemas.ValidationError
		if !errors.As(Blamed(c.err), &invalid) || invalid.Problems[0].Pointer != c.pointer {
			t.Errorf("Blamed(%v) = %v, want pointer %s", c.err, Blamed(c.err), c.pointer)
		}
	}
}
