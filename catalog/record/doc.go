// Package record is the stored form of what stores keep beside snapshots: one
// explicit struct each, with the names that stand in the store. Stores write them
// as JSON or as items with the same names.
//
// Money is text, digit for digit. Dates and instants are text, "" if unknown. A
// field may be added; a name is never used again for something else.
package record
