package workload

import (
	"math"
	"testing"
)

func TestSizeLeavesOutStagesWithoutWork(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Spec)
		want []StageName
	}{
		{"all", func(*Spec) {}, []StageName{Preprocess, Train, Evaluate}},
		{"no preprocessing", func(s *Spec) { s.PreprocessCoreHours = 0 }, []StageName{Train, Evaluate}},
		{"no evaluation", func(s *Spec) { s.Evaluate = Evaluation{} }, []StageName{Preprocess, Train}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := loraJob(llama7B())
			tt.edit(&s)
			stages, err := Size(s)
			if err != nil {
				t.Fatalf("Size: %v", err)
			}
			if len(stages) != len(tt.want) {
				t.Fatalf("%d stages, want %v", len(stages), tt.want)
			}
			for i, name := range tt.want {
				if stages[i].Name != name {
					t.Errorf("stage %d is %s, want %s", i, stages[i].Name, name)
				}
			}
		})
	}
}

func TestDataAroundStages(t *testing.T) {
	// 7B in 16 bits is 13.48 GB; rank-16 adapters are 39,976,960 parameters.
	lora, full := loraJob(llama7B()), loraJob(llama7B())
	full.Method = Full
	tests := []struct {
		name string
		spec Spec
		want map[StageName][5]float64 // input, output, download, disk, checkpoint in GB
	}{
		{"lora", lora, map[StageName][5]float64{
			Preprocess: {10, 10, 0, 40, 0},
			Train:      {10, 0.07995392, 13.476831232, 50 + 10 + 13.476831232 + 2*0.55967744 + 0.07995392, 0.55967744},
			Evaluate:   {0.07995392, 0.00512, 13.476831232, 50 + 0.07995392 + 13.476831232 + 0.00512, 0},
		}},
		{"full", full, map[StageName][5]float64{
			Train:    {10, 13.476831232, 13.476831232, 50 + 10 + 2*13.476831232 + 2*94.337818624, 94.337818624},
			Evaluate: {13.476831232, 0.00512, 0, 50 + 13.476831232 + 0.00512, 0},
		}},
	}
	for _, tt := range tests {
		for name, want := range tt.want {
			g := stage(t, tt.spec, name)
			got := [5]float64{g.InputGB, g.OutputGB, g.DownloadGB, g.DiskGB, g.CheckpointGB}
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-9 {
					t.Errorf("%s %s: input, output, download, disk, checkpoint = %v, want %v", tt.name, name, got, want)
					break
				}
			}
			if g.Parallel != (name != Train) {
				t.Errorf("%s %s: parallel %v", tt.name, name, g.Parallel)
			}
		}
	}
	pretrain := full
	pretrain.Kind = Pretrain
	if g := stage(t, pretrain, Train); g.DownloadGB != 0 {
		t.Errorf("pretraining downloads %g GB of weights, want none", g.DownloadGB)
	}
}

func TestOnCPU(t *testing.T) {
	p := stage(t, loraJob(llama7B()), Preprocess) // 4 core-hours
	tests := []struct {
		vcpus float64
		nodes int
		want  float64
	}{
		{2, 1, 14400}, // two vCPUs are one core
		{8, 1, 3600},
		{8, 4, 900},
		{0, 0, 28800}, // unknown: the slowest machine there is
	}
	for _, tt := range tests {
		if got := p.OnCPU(tt.vcpus, tt.nodes); got != tt.want {
			t.Errorf("OnCPU(%g, %d) = %g s, want %g", tt.vcpus, tt.nodes, got, tt.want)
		}
	}
	if got := stage(t, loraJob(llama7B()), Train).OnCPU(8, 1); got != 0 {
		t.Errorf("training on CPUs = %g s, want 0", got)
	}
}
