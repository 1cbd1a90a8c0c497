// Package seed is the embedded baseline of the catalogue: what can be rented,
// at what price, as far as public sources say so. It is a set of normalised
// tables of facts (CSV, one fact a row, each with its date and source) that
// the command in seed/build writes and Load reads.
//
// Tables. offers.csv holds one offer a row, its price digit for digit as the
// source has it, in the source's own unit and currency. Every "source" column is
// the id of a row of sources.csv, which has the source's text and licence. An
// empty cell is a fact that no source gives: it is unknown, never zero.
//
// Licences. Facts from sources under Apache-2.0, MIT or CC BY are here whole.
// From a source without a stated licence only single facts are quoted, and only
// where a provider would otherwise have no offer: per provider, GPU and purchase
// model one, the newest, then the one of fewest GPUs, then the first by region
// and SKU. Where the newest row of an offer is from such a source, an older one
// under an open licence stands in with its own date; a superseded price does so
// only if the newer one is the same. SOURCES.md names every source.
package seed
