// Package stageplan chooses an offer for every stage of a job: the exact optimum
// and the exact Pareto frontier of cost and time over all candidates and the
// moves of data between their places.
//
// Gather first learns good plans over samples of each stage (gather.go, home.go), then
// collects the few choices that can be part of the answer, and searches among them on the
// way; Solve settles what was found, or searches among candidates that were given
// (solve.go). One search after another uses the same room (room.go). A tableau grows stage by stage, with the
// partial plans that end at each site (label.go). A bar is the most that a plan may cost to
// be worth having, by the time that it takes: the plans that are known lower it (bar.go).
//
// Integer bounds prune and exact decimals decide: a partial plan is dropped only
// if another is certainly no worse whatever follows (label.go), and what survives
// is priced in full and compared with ties (settle.go). The sum that is minimised
// is the very sum that is reported.
package stageplan
