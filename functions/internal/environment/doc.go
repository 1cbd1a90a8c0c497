// Package environment says what software runs on a GPU: the first CUDA release that
// knows it, images and PyTorch builds that carry its architecture, the driver they
// need, and what does not go together.
//
//	For    GPU -> Advice: what to use, and what to avoid
//	Check  GPU x Pair -> []Mismatch: why a pair of CUDA and PyTorch does not run there
//
// The facts are three embedded tables with a source per row: the architectures that
// PyTorch's builds carry (builds.csv), published images (images.csv), and the driver
// that came with each CUDA release (drivers.csv). They are read when first needed.
// Everything else is pure and safe for any number of goroutines.
package environment
