// Package spool is the outbox on disk. What was put in it survives a kill and a power
// cut, and leaves it once: delivered, rejected with a reason, or dropped to hold the
// caps, with a line that says so.
//
//	journal-00000012.jsonl   the windows of the report that is being made, one a line
//	pending/00000012.json    a report that the server has not got yet
//	sent/, rejected/         what became of a report; rejected/*.reason says why
//	dropped.jsonl            reports that were dropped before they were sent
//
// A report and the journal that it is made of have the same sequence number. So after
// a crash between writing the one and removing the other, nothing is reported twice.
// Numbers only grow, and a gap in them is seen by the server.
package spool
