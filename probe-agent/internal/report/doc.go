// Package report makes the document that a box sends: schemas/measurement.schema.json
// in Go. It holds quantities, never references or ratings; the server divides.
//
// What may be in it is a closed list, held by a test: no hostname, address, process,
// path, serial number or raw UUID. Texts are only those that a user typed to be sent,
// version numbers, and words of fixed lists.
//
// A Draft is a report that is being made. Everything that happens is a Record, which
// is written to the spool's journal before it is applied; so the report that a crash
// interrupts is made again from the same records.
package report
