package workload

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestTrainFLOPs(t *testing.T) {
	// 12 L d s = 12 x 32 x 4096 x 2048 = 3,221,225,472 per token for the 7B shape.
	tests := []struct {
		name string
		edit func(*Spec)
		want float64
	}{
		{"lora: (4 x 6,738,415,616 + 3,221,225,472) x 5e7", func(*Spec) {}, 30_174_887_936 * 5e7},
		{"qlora counts as lora", func(s *Spec) { s.Method = QLoRA }, 30_174_887_936 * 5e7},
		{"full: (6 x 6,738,415,616 + 3,221,225,472) x 5e7", func(s *Spec) { s.Method = Full }, 43_651_719_168 * 5e7},
		{"pretraining counts as full", func(s *Spec) { s.Kind, s.Method = Pretrain, "" }, 43_651_719_168 * 5e7},
		{"four times the length adds to attention only", func(s *Spec) { s.SeqLen = 8192 }, (26_953_662_464 + 4*3_221_225_472) * 5e7},
		{"recomputation is no model FLOP", func(s *Spec) { s.Checkpointing = CheckpointOn }, 30_174_887_936 * 5e7},
		{"mixture: active parameters", func(s *Spec) { s.Shape = mixtral() }, (4*12_879_925_248 + 3_221_225_472) * 5e7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(llama7B())
			tt.edit(&s)
			if got := s.TrainFLOPs(); math.Abs(got/tt.want-1) > 1e-12 {
				t.Errorf("TrainFLOPs = %g, want %g", got, tt.want)
			}
		})
	}
}

func TestCheckRefusesAbsurdValues(t *testing.T) {
	tests := []struct {
		name  string
		edit  func(*Spec)
		field string
	}{
		{"no kind", func(s *Spec) { s.Kind = "" }, "kind"},
		{"unknown method", func(s *Spec) { s.Method = "prompt" }, "method"},
		{"no method", func(s *Spec) { s.Method = "" }, "method"},
		{"pretraining adapters", func(s *Spec) { s.Kind = Pretrain }, "method"},
		{"unknown framework", func(s *Spec) { s.Framework = "jax" }, "framework"},
		{"unknown quantizer", func(s *Spec) { s.Quantizer = "int3" }, "quantizer"},
		{"unknown sharding", func(s *Spec) { s.Sharding = "zero9" }, "sharding"},
		{"unknown checkpointing", func(s *Spec) { s.Checkpointing = "maybe" }, "checkpointing"},
		{"no parameters", func(s *Spec) { s.Shape.Params = 0 }, "model.params_b"},
		{"negative parameters", func(s *Spec) { s.Shape.Params = -7e9 }, "model.params_b"},
		{"too many parameters", func(s *Spec) { s.Shape.Params = 1.1e14 }, "model.params_b"},
		{"NaN parameters", func(s *Spec) { s.Shape.Params = math.NaN() }, "model.params_b"},
		{"infinite parameters", func(s *Spec) { s.Shape.Params = math.Inf(1) }, "model.params_b"},
		{"more active than all", func(s *Spec) { s.Shape.ActiveParams = 8e9 }, "model.active_params_b"},
		{"no layers", func(s *Spec) { s.Shape.Layers = 0 }, "model.layers"},
		{"no width", func(s *Spec) { s.Shape.Width = 0 }, "model.width"},
		{"negative heads", func(s *Spec) { s.Shape.Heads = -1 }, "model"},
		{"absurd vocabulary", func(s *Spec) { s.Shape.Vocabulary = math.MaxInt }, "model"},
		{"no tokens", func(s *Spec) { s.Tokens = 0 }, "tokens_b"},
		{"too many tokens", func(s *Spec) { s.Tokens = 2e16 }, "tokens_b"},
		{"NaN tokens", func(s *Spec) { s.Tokens = math.NaN() }, "tokens_b"},
		{"no length", func(s *Spec) { s.SeqLen = 0 }, "seq_len"},
		{"absurd length", func(s *Spec) { s.SeqLen = 10_000_001 }, "seq_len"},
		{"no micro-batch", func(s *Spec) { s.MicroBatch = 0 }, "micro_batch"},
		{"negative batch", func(s *Spec) { s.BatchTokens = -1 }, "batch_tokens"},
		{"no rank", func(s *Spec) { s.LoRARank = 0 }, "lora_rank"},
		{"rank above the width", func(s *Spec) { s.LoRARank = 4097 }, "lora_rank"},
		{"negative preprocessing", func(s *Spec) { s.PreprocessCoreHours = -1 }, "preprocess.cpu_core_hours"},
		{"infinite dataset", func(s *Spec) { s.DatasetGB = math.Inf(1) }, "data.size_gb"},
		{"negative requests", func(s *Spec) { s.Evaluate.Requests = -1 }, "evaluate.requests"},
		{"negative prompt", func(s *Spec) { s.Evaluate.InputTokens = -1 }, "evaluate.input_tokens"},
		{"negative output", func(s *Spec) { s.Evaluate.OutputTokens = -1 }, "evaluate.output_tokens"},
		{"empty requests", func(s *Spec) { s.Evaluate = Evaluation{Requests: 1} }, "evaluate.output_tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(llama7B())
			tt.edit(&s)
			_, err := Size(s)
			var field FieldError
			if !errors.As(err, &field) {
				t.Fatalf("Size: error %v, want a FieldError", err)
			}
			if field.Field != tt.field || field.Want == "" {
				t.Errorf("error %q, want one of %q that says what is accepted", err, tt.field)
			}
		})
	}
}

func TestCheckAcceptsDefaults(t *testing.T) {
	s := loraJob(llama7B())
	s.Framework, s.Quantizer, s.Sharding, s.Checkpointing = "", "", "", ""
	if err := s.Check(); err != nil {
		t.Errorf("Check: %v, want nil", err)
	}
}

func TestParse(t *testing.T) {
	if got, err := ParseSharding("zero3"); got != Zero3 || err != nil {
		t.Errorf("ParseSharding(zero3) = %q, %v", got, err)
	}
	tests := []struct {
		name  string
		parse func(string) error
		want  []string
	}{
		{"kind", func(s string) error { _, err := ParseKind(s); return err }, []string{"pretrain", "finetune", "inference"}},
		{"method", func(s string) error { _, err := ParseMethod(s); return err }, []string{"full", "lora", "qlora"}},
		{"framework", func(s string) error { _, err := ParseFramework(s); return err }, []string{"eager", "flash", "compiled", "tuned"}},
		{"quantizer", func(s string) error { _, err := ParseQuantizer(s); return err }, []string{"nf4", "gptq", "int8"}},
		{"precision", func(s string) error { _, err := ParsePrecision(s); return err }, []string{"auto", "bf16", "fp16", "fp8", "fp32"}},
		{"optimizer", func(s string) error { _, err := ParseOptimizer(s); return err }, []string{"adamw", "adamw_16bit", "adamw_8bit", "adafactor"}},
		{"evaluate.weights", func(s string) error { _, err := ParseFormat(s); return err }, []string{"auto", "bf16", "fp8", "fp4", "int8", "int4", "int3", "int2"}},
		{"fabric", func(s string) error { _, err := ParseFabric(s); return err }, []string{"infiniband", "efa", "omnipath", "ethernet", "internet"}},
		{"sharding", func(s string) error { _, err := ParseSharding(s); return err }, []string{"auto", "none", "zero2", "zero3"}},
		{"checkpointing", func(s string) error { _, err := ParseCheckpointing(s); return err }, []string{"auto", "on", "off"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, word := range tt.want {
				if err := tt.parse(word); err != nil {
					t.Errorf("parse %q: %v", word, err)
				}
			}
			err := tt.parse("nonsense")
			if err == nil {
				t.Fatal("nonsense was accepted")
			}
			for _, word := range append(tt.want, "nonsense", tt.name) {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not mention %q", err, word)
				}
			}
		})
	}
}
