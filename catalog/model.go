package catalog

// Model is the shape of a named neural network, as published. Counts are of
// parameters, not bytes. A figure of 0 is one that no source gives.
type Model struct {
	Name    string
	Aliases []string
	Family  string
	Kind    string // "decoder", "encoder", ...

	Params       float64 // all parameters
	ActiveParams float64 // parameters that one token passes through; equals Params unless experts are routed

	Layers     int
	Width      int // d_model
	FFN        int // hidden size of the feed-forward part
	GatedFFN   bool
	Heads      int
	KVHeads    int
	HeadSize   int
	Vocabulary int
	TiedHead   bool // input and output embedding are one matrix
	Experts    int
	Context    int // longest sequence in tokens

	Source string
}
