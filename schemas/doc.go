// Package schemas is what Tierwise says on the wire: the JSON Schemas (2020-12)
// that requests are validated against, and the Go types of the same documents.
//
// Amounts are JSON strings holding exact decimals. A field that is absent or
// null is unset: unset and zero are different. The package imports nothing of
// ours; package convert is the only place where wire types meet the domain.
package schemas
