// Package gpuhuntfeed reads the catalogue that the gpuhunt project publishes: one
// table a provider, a row for every market, in dollars per instance and hour.
//
// Memory is called GB and is not the same everywhere: the figures of Lambda are GiB
// times 1.074, those of Vast MB divided by 1,000. providers.go says what is special
// about whom. Where a provider's instance name is that of the GPU, rows of several
// numbers of GPUs share it, so the number is put before it.
//
// The address of a table may be that of the text that names its newest version
// (".../aws/version"); then the archive beside it is read.
package gpuhuntfeed
