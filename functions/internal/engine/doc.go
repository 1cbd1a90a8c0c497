// Package engine is the main path: a request and a snapshot of the catalogue in,
// ranked staged plans out.
//
//	workload.Size -> candidate.NewSurvey (for each stage) -> stageplan.Gather -> stageplan.Solve -> explain
//
// Every step is pure. Given the catalogue version, the request and ComputedAt, the
// answer is the same to the last byte.
package engine
