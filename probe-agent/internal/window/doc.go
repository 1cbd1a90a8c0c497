// Package window turns samples into sufficient statistics: what a server needs to
// compute means, spreads and quantiles, and no more. It does no I/O.
//
// A Collector cuts the samples of one device into windows. A window is busy if most
// of its samples are (see Rules); the first busy windows of an episode are cold, since
// a cold GPU runs faster than it will. A Summary adds windows up, phase by phase. The
// sums of a Summary are those of its windows, in whatever order they are added.
//
// "Not supported" is absent here: a quantity that no sample had has no statistics, and
// never a zero.
package window
