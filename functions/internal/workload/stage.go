package workload

// StageName is a step of a job.
type StageName string

// The stages, in the order in which they run.
const (
	Preprocess StageName = "preprocess"
	Train      StageName = "train"
	Evaluate   StageName = "evaluate"
	// Rental is time on hardware, whatever is done with it.
	Rental StageName = "rental"
	// Batch and Render are work whose time on a reference GPU is known.
	Batch  StageName = "batch"
	Render StageName = "render"
	// EdgeRounds is training in rounds on GPUs that are spread out.
	EdgeRounds StageName = "edge_incremental"
	// DevTest is many small models that share GPUs for some hours of some days.
	DevTest StageName = "devtest"
)

// Stage is one step of a job: the work of it and the data around it. A stage comes
// from Size and can be read by any number of goroutines.
type Stage struct {
	Name StageName
	// CoreSeconds is the work of a CPU stage in seconds of one core; 0 for a GPU stage.
	CoreSeconds float64

	InputGB  float64 // data that must be moved to where the stage runs
	OutputGB float64 // data it leaves for the next stage, or as the job's result
	// DownloadGB is published base weights: they come from a public hub to wherever
	// the stage runs, so they cost time there but are never moved between places.
	DownloadGB float64
	// DiskGB is the block storage the stage needs while it runs: operating system
	// and images, input, base weights, two checkpoints, output.
	DiskGB float64
	// CheckpointGB is what must be written so that an interruption loses little; 0
	// where each piece of the work stands alone.
	CheckpointGB float64
	// Parallel says that the work splits into independent pieces.
	Parallel bool
	// VerifySeconds is how long the hardware is tried before the work, and
	// StoppedSeconds how long its disks stay while it is switched off.
	VerifySeconds  int64
	StoppedSeconds float64
	// Workers is how many GPUs work in rounds, and ExchangeGB what they send to where
	// they meet, in all: of EdgeRounds.
	Workers    int
	ExchangeGB float64
	Pool       *Pool // of DevTest; nil otherwise
	// RentedSeconds is the fixed duration of a rental; 0 for every other stage.
	RentedSeconds float64

	// Of a stage that can be estimated on a GPU one of the three is set.
	training   *training
	generation *generation
	relative   *comparison
	constants  *constants
}

// GPU reports whether the stage runs on GPUs.
func (s *Stage) GPU() bool { return s.Name != Preprocess }

// Size turns a job into its stages, in order. A stage without work is left out:
// no preprocessing hours, no evaluation requests. The error is a FieldError.
func Size(s Spec) ([]Stage, error) { return s.stages(calibrated()) }

// SizeWith is Size with other fitted constants: for refitting them.
func SizeWith(fitted Fitted, s Spec) ([]Stage, error) { return s.stages(fitted.with()) }

// stages are those of the job by some constants.
func (s Spec) stages(k *constants) ([]Stage, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	stages := make([]Stage, 0, 3)
	if s.PreprocessCoreHours > 0 {
		stages = append(stages, preprocessStage(&s))
	}
	if s.Kind != Inference {
		stages = append(stages, trainStage(&s, k))
	}
	if s.Evaluate.Requests > 0 {
		stages = append(stages, evaluateStage(&s, k))
	}
	return stages, nil
}

// preprocessStage cleans and tokenises: the dataset goes in and, about as large,
// comes out.
func preprocessStage(s *Spec) Stage {
	return Stage{
		Name: Preprocess, CoreSeconds: s.PreprocessCoreHours * 3600,
		InputGB: s.DatasetGB, OutputGB: s.DatasetGB,
		DiskGB:   systemDiskGB + 2*s.DatasetGB,
		Parallel: true,
	}
}

// trainStage reads the dataset and leaves the trained weights, or the adapters.
func trainStage(s *Spec, k *constants) Stage {
	t := Stage{
		Name: Train, InputGB: s.DatasetGB, OutputGB: s.trainedGB(), CheckpointGB: s.checkpointGB(),
		training: trainingOf(s, k), constants: k,
	}
	if s.Kind == FineTune {
		t.DownloadGB = s.weights16GB()
	}
	t.DiskGB = systemDiskGB + imageDiskGB + t.InputGB + t.DownloadGB + 2*t.CheckpointGB + t.OutputGB
	return t
}

// evaluateStage reads what training left, beside the published base weights if
// only adapters were trained, or nothing but those, and leaves the generated text.
func evaluateStage(s *Spec, k *constants) Stage {
	e := Stage{Name: Evaluate, InputGB: s.trainedGB(), Parallel: true, generation: generationOf(s, k), constants: k}
	if s.Method.adapted() {
		e.DownloadGB = s.weights16GB()
	}
	if s.Kind == Inference {
		e.InputGB, e.DownloadGB = 0, s.weights16GB()
	}
	tokens := float64(s.Evaluate.Requests) * float64(s.Evaluate.InputTokens+s.Evaluate.OutputTokens)
	e.OutputGB = tokens * textBytesPerToken / 1e9
	e.DiskGB = systemDiskGB + imageDiskGB + e.InputGB + e.DownloadGB + e.OutputGB
	return e
}

// weights16GB is the model in 16-bit values.
func (s *Spec) weights16GB() float64 { return 2 * s.Shape.Params / 1e9 }

// trainedGB is what training leaves: 16-bit weights, or 16-bit adapters.
func (s *Spec) trainedGB() float64 {
	if s.Method.adapted() {
		return 2 * s.adapterParams() / 1e9
	}
	return s.weights16GB()
}

// checkpointGB is the state an interrupted training goes on from: 16-bit weights
// with FP32 master weights and both Adam moments, 14 bytes per trained parameter
// (Rajbhandari et al. 2020, ZeRO, section 3.1, less the gradients).
func (s *Spec) checkpointGB() float64 {
	trained := s.Shape.Params
	if s.Method.adapted() {
		trained = s.adapterParams()
	}
	return 14 * trained / 1e9
}

// OnCPU is the seconds of a CPU stage on nodes machines of vcpus each. A vCPU is
// one of two hardware threads of a core on every large provider's x86 machines and
// counts as half a core; pieces are split evenly. 0 for a GPU stage; without CPUs
// the time is that of half a core.
func (s *Stage) OnCPU(vcpus float64, nodes int) (seconds float64) {
	cores := max(vcpus, 1) / 2 * float64(max(nodes, 1))
	return s.CoreSeconds / cores
}
