package workload

// Where no other source is named, a constant was set by hand from 372 published
// training rows of 16 repositories and papers (steady-state throughput and whole runs),
// and is the same for every GPU, model and source. The few that are fitted are in
// fitted.go.

// Training time.
const (
	// bestEfficiency is what no power budget lifts matrix products above (measured
	// maxima as above).
	bestEfficiency = 0.82
	// referenceTFLOPSPerWatt is the peak over the board power at which a card just
	// holds its clocks: 312 TFLOPS over 400 W, A100 SXM.
	referenceTFLOPSPerWatt = 0.78
	// attentionReference is the peak, in TFLOPS, up to which common attention kernels
	// keep up with matrix products; tunedAttention is the gain of hand-tuned ones (by hand).
	attentionReference = 312
	tunedAttention     = 1.6

	// elementCompiled is the factor on the traffic between matrix products that compiled
	// programs keep; recomputation adds its share again (by hand).
	elementCompiled   = 0.55
	elementRecomputed = 0.2

	logitTraffic   = 24   // per token and vocabulary entry: logits, softmax, gradient
	optimizerBytes = 30   // per parameter and Adam step: read and write 16-bit and FP32 states
	dequantBase    = 2.5  // bytes read and written per parameter: 4 bits in, 16 out
	launchFused    = 0.35 // launches left by fused and compiled programs (by hand)
	launchExperts  = 2.0  // routing and per-expert launches (by hand)
	paddedFactor   = 2.5  // time per useful token when samples are padded instead of packed; 3.4 measured at its worst
	cpuAdamSeconds = 1e-9 // per parameter and step of Adam on the host (by hand)
	hostLink       = 12e9 // B/s per GPU between host and device, both ways in turn (by hand)
)

// Links between GPUs.
const (
	// ordinaryFabric is B/s per node and direction where nothing is known: 100 Gbit/s.
	ordinaryFabric = 12.5e9
	// overlapped is the share of the shorter of computing and communicating that hides
	// behind the other in programs that prefetch (by hand).
	overlapped = 0.8
	// expertLinkShare is what all-to-all reaches of NVLink within a node (by hand).
	expertLinkShare = 0.6
	// expertGroup is the GPUs that share a layer's experts in published runs: a domain at
	// least this large keeps the exchange inside (by hand).
	expertGroup = 32
	// worthRecomputing is the share of layers whose recomputation costs less than splitting
	// a model further (by hand).
	worthRecomputing = 0.25
	// pipelineInterleaving is the virtual stages per GPU of a pipeline (by hand).
	pipelineInterleaving = 4
	// nodeOverhead is the time added by each doubling of the nodes (by hand; published
	// scaling on good fabric loses 2-11% from 8 to thousands of GPUs).
	nodeOverhead = 0.01
)

// Whole runs.
const (
	// unconfiguredMFU is the utilisation of published whole runs whose configuration is
	// not known (median over teams).
	unconfiguredMFU = 0.38
	// unconfiguredTokens is the micro-step of a pretraining run whose micro-batch is not
	// stated; such runs accumulate accumulatedSteps of them up to batchTokensCap tokens.
	unconfiguredTokens = 8192
	accumulatedSteps   = 4
	batchTokensCap     = 4e6
)

// Memory.
const (
	// quantizedActivations is QLoRA's factor on activations: dequantised copies (by hand).
	quantizedActivations = 1.5
	// fusedActivations is the share of a layer's activations that compiled programs keep
	// (0.62 measured between two steps of one recipe, compiled or not).
	fusedActivations = 0.65
	// chunkedLogits is the share of logits alive in a loss of eight chunks, with rests.
	chunkedLogits = 0.15
	// With recomputation each layer keeps its 16-bit input, and one layer at a time is
	// alive with half of its gradients and a few buffers as wide as the model (by hand).
	checkpointBytes = 2
	workingLayers   = 1.5
	workingExtra    = 4
	// Logits per token and vocabulary entry: in plain PyTorch 16-bit and FP32 logits,
	// their gradient, softmax (by hand); with a fused loss 16-bit logits, overwritten by
	// their gradient, beside one FP32 copy.
	logitMemoryEager = 10
	logitMemoryFused = 6
	// bucketBytes is the buffers in which eager sharded training gathers what it sends:
	// 4.5 x 200 million 16-bit values (DeepSpeed documentation, overlap_comm, with the
	// bucket size of common configurations).
	bucketBytes = 1.8e9
	// scoreBytes is per score of attention that is not fused and kept for the backward
	// pass: 16-bit scores, FP32 softmax, 16-bit weights.
	scoreBytes = 8
	// maxTensorParallel is the widest split of a layer in common use.
	maxTensorParallel = 8
	// overheadGB is the CUDA context and what the allocator cannot use (by hand).
	overheadGB = 1.2
	// quantizedBytes is per parameter in 4 bits with the scales of its block
	// (Dettmers et al. 2023, QLoRA, section 3: 0.5 + 0.06).
	quantizedBytes = 0.56
	// adapterBytes is per adapter parameter: as in full mixed-precision training
	// (Rajbhandari et al. 2020, ZeRO, section 3.1).
	adapterBytes  = 16
	gradientBytes = 2
	weightBytes   = 2
	// offloadedShare is the part of offloaded weights that stays on the GPU beside the
	// layers at hand, which are counted as gathered (by hand).
	offloadedShare = 0.05

	// memoryMargin is added to the sum of the parts for what they miss: 95% of the
	// measured peaks lie below.
	memoryMargin = 0.18
	// servingMargin is the same for generation, whose parts are known better: published
	// peaks of four models of 2 to 72 billion parameters are at most 4% above weights and
	// cache.
	servingMargin = 0.05
	// fitsBelow is the share of the card that the peak with margin may take to be called
	// fitting; above failsAbove without margin it is called not fitting.
	fitsBelow  = 0.92
	failsAbove = 0.97
)

// Generation.
const (
	// decodeEfficiency is the share of memory bandwidth that reading weights and caches
	// reaches, and decodeGap the seconds between the kernels of a layer that it does not
	// (two constants that give published single-stream rates of 7 to 70 billion
	// parameters on GeForce, A100 and H100 within 15%).
	decodeEfficiency = 0.85
	decodeGap        = 30e-6
	// decodeLaunches is a decoding pass's launches over a training pass's: no loss, no
	// gradients; launchDequant is the factor for a dequantisation beside each product
	// (published eager rates in 16 and 4 bits: 1.0 and 1.5 ms per layer).
	decodeLaunches = 0.8
	launchDequant  = 1.5
	// usualDecodeBatch bounds the requests decoded together where nothing is asked for
	// (defaults of common engines: 256 to 2,048).
	usualDecodeBatch = 1024
	// prefillChunk is the prompt tokens that serving engines process at a time.
	prefillChunk = 8192
	// reduceLatency is the seconds of one small all-reduce inside a node (by hand).
	reduceLatency = 20e-6
)

// Disks and files.
const (
	systemDiskGB      = 20 // operating system
	imageDiskGB       = 30 // CUDA and PyTorch image, drivers, caches
	textBytesPerToken = 8  // text and token numbers as JSON lines
)

// usualPieceSeconds is the longest piece, on the reference GPU, of work that splits into
// any number of them: batch systems are fed with pieces of minutes.
const usualPieceSeconds = 360

// Half-widths of an 80% interval in ln(time), each from what is not known when it
// applies, set a priori and combined in quadrature. widthTeam is the scatter between
// sources: on sources that a form like this was not shaped on, half of the errors
// exceed 0.23, which is 0.44 at 80%; without it the other widths covered 52% there.
const (
	widthBase       = 0.14 // scatter between well-described steady runs
	widthTeam       = 0.30 // another team's setup, see below
	widthEager      = 0.24 // fine-tuning in plain PyTorch
	widthRun        = 0.23 // whole runs against steady state
	widthAssumed    = 0.12 // micro-batch, or length of pretraining, not stated
	widthLength     = 0.35 // length of fine-tuning's samples not stated
	widthSmall      = 0.60 // fine-tuning micro-steps under smallTokens
	widthLink       = 0.50 // fine-tuning over PCIe or unknown fabric
	widthSharding   = 0.25 // full fine-tuning over GPUs, or under a library, not stated which
	widthOffload    = 0.21
	widthExperts    = 0.17
	widthNewGPU     = 0.20 // an architecture with few published runs
	widthGeneration = 0.40 // decoding: 0.42-0.93 of bandwidth against decodeEfficiency
	widthRatio      = 0.20 // between measured GPUs: the five models differ by as much
	widthRatioFit   = 0.35 // where a GPU was not measured
	widthRender     = 0.50 // ray tracing goes with FP32 rates only roughly: nothing measured
	smallTokens     = 2048
)

// Utilisation (MFU) of published training runs; outside of it an answer carries a
// warning. paperMFU is what estimates on paper assume.
const (
	usualHigh        = 0.65 // the best measured matrix products reach 0.78-0.87
	usualExpertsHigh = 0.45
	usualPretrainLow = 0.15
	usualFineTuneLow = 0.05
	paperMFU         = 0.40
)

// ioShare is the share of a stage's time that goes to input and logging on a
// reference machine (a default of ours, not a measurement).
const ioShare = 0.05
