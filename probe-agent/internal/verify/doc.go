// Package verify asks whether a rental is what was sold: the three steps before a large
// order (a benchmark, a network fault, what is left on the disks), and what the driver
// says of GPUs, links, memory and limits.
//
// Every Check has an id that stays the same, so that two rentals can be compared. A
// check that could not be made is skipped or inconclusive and says why: silence is not
// a pass.
package verify
