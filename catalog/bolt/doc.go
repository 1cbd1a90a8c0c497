// Package bolt keeps the catalogue, and all that is kept beside it, in one file.
//
// Every change is one transaction: after a crash at any point the file holds the
// state before it or after it. The file is locked only while an operation runs,
// so that several processes can use it in turn. Whatever is read is checked
// against a checksum; a file that is damaged is reported as catalog.ErrCorrupt and
// never written to.
package bolt
