// Package feed is the vocabulary between public sources of prices and the
// importer: what one row of a source says (Row), why a row can't be read (Fault),
// and all that one reading gives (Batch). Beside it stands what every format
// needs: exact decimals from text, tables read by the names of their columns,
// documents that are refused when they are not what they should be.
//
// A format is a package of its own below this one and is nothing but a function
// that reads documents into a Batch: README.md is the recipe. It opens them through
// a Source, which is HTTP in the refresh function, files on the command line and
// plain text in a test. It converts units, since only it knows them; it knows no
// catalogue and judges no price. That is the importer's.
package feed
