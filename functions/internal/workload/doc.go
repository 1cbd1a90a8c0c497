// Package workload answers three questions about a job: what work it is, whether
// it fits on given hardware, and how long it takes there.
//
//	Spec       what the tenant wants done: a model, a method, tokens, requests
//	Shape      the architecture behind the model: layers, width, vocabulary
//	Size       Spec -> []Stage: preprocess (CPU), train (GPU), evaluate (GPU)
//	Stage.On   Stage x Hardware -> Estimate: fit, seconds, memory parts, shares
//	Stage.FitOn      the fit alone, in a fraction of the time
//	Stage.Outline    the fit and a lower bound of the seconds, likewise
//	Stage.OnCPU      seconds of a CPU stage
//	Stage.Smallest   the fewest GPUs of a kind that a stage fits on
//	RelativeTo       work whose time on another GPU is known, as a stage
//
// Time is that of a healthy reference machine (efficiency coefficient 1), as a
// range: the caller divides by the coefficient of the box it rents. Training time
// is structural, term by term (training.go, layout.go, step.go, traffic.go), as is
// generation (generation.go, serve.go, decode.go), because tables of utilisation do not
// carry over to hardware and lengths they were not measured on. Every constant is in
// constants.go or fitted.go with its unit and where it comes from.
//
// A search asks about one job on hundreds of machines: what the job alone decides is
// worked out by Size (training.go, generation.go), and powers of a GPU's figures once
// (memo.go).
//
// All of it is pure: values in, values out, safe for any number of goroutines.
package workload
