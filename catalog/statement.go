package catalog

// StoppedRule is one statement of what a provider charges for an instance that is
// stopped but not given back.
type StoppedRule struct {
	Item string // what it is about, in the provider's words: "stopped Pod"
	Text string
	// ComputeBilled tells whether a stopped instance is still paid for. It is
	// Unknown where the source does not say, or where it depends on how it is stopped.
	ComputeBilled Tri
	AsOf          Date
	Source        string
}

// PreinstalledImage is one statement of which images with CUDA a provider offers
// ready to run.
type PreinstalledImage struct {
	Item   string // what it is about, in the provider's words: "official templates"
	Text   string
	AsOf   Date
	Source string
}
