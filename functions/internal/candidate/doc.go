// Package candidate answers, for one stage of a job: which offers, in which
// numbers, could run it, how long would each take, and what would each cost.
// What can't run the stage is counted with its reason. It chooses nothing:
// package stageplan does.
package candidate
