// Package stageplan chooses an offer for every stage of a job: the exact optimum
// and the exact Pareto frontier of cost and time over all candidates and the
// moves of data between their places.
//
// Integer bounds prune and exact decimals decide: a partial plan is dropped only
// if another is certainly no worse whatever follows (label.go), and what survives
// is priced in full and compared with ties (settle.go). The sum that is minimised
// is the very sum that is reported.
package stageplan
