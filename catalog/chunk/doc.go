// Package chunk is the stored form of a catalogue: the parts of a snapshot as
// compressed chunks, each small enough for one item of any store.
//
// The form is columnar. A table is a list of columns and a column the cells of
// all its rows, so that equal neighbours stand side by side and compress well.
// Texts, decimals and other numbers that repeat are written once, in dictionaries
// ahead of the tables, and shared in memory when they are read. All tables
// together are one zstd frame, which is cut into chunks.
//
// Nothing is lost: decimals keep their digits and exponent, and unknown stays
// unknown. Columns carry names: a column that an older program did not write
// reads as zero values, so stored catalogues outlive the program that wrote them;
// a column that this program does not know is refused.
package chunk
