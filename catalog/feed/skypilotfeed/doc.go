// Package skypilotfeed reads the catalogue that the SkyPilot project publishes:
// one table (vms.csv) a cloud, in dollars per instance and hour.
//
// The order of the columns differs from cloud to cloud, so they are read by name.
// What a cell means differs too. GPUs' memory is that of one GPU here and of all
// there; Google's hosts and GPUs are rows of their own, priced apart; a spot price of
// zero is none; RunPod's two kinds of cloud are one file. clouds.go and gcp.go say
// what is special about whom.
package skypilotfeed
