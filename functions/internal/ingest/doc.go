// Package ingest lets boxes in and takes their reports: it checks codes, signatures and
// what a report can't be, and keeps each report once. What it does not take it counts,
// by reason, and keeps nothing of.
//
// A report is a compact JWS (EdDSA) by the box's own key, so that nothing depends on
// the box's clock. Its id is the SHA-256 of its payload: to send it again changes nothing.
package ingest
