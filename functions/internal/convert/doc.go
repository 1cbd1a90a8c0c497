// Package convert is the only crossing between the wire and the domain.
//
// Request resolves names against the catalogue, fills in every default and lists
// each one as an assumption; Response writes an answer in exact decimals. It does
// no I/O and starts no step.
package convert
