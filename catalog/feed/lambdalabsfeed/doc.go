// Package lambdalabsfeed reads the instance types of Lambda's API: what each costs,
// and where there are some left at the moment.
//
// Prices are whole cents per instance and hour, the same in every region. A type that
// no region has is sold out: it keeps its price, and has no place but "global".
// The GPU's memory stands only in its description, "A100 (40 GB SXM4)".
package lambdalabsfeed
