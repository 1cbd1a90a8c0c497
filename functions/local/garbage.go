package main

import (
	"runtime"
	"runtime/debug"
)

// How much a server's memory may grow before garbage is looked for: by roomForGarbage bytes,
// which are few percent of a large catalogue and many of a small one.
const (
	roomForGarbage = 160 << 20
	leastGarbage   = 100 // percent of what stays in memory
	mostGarbage    = 400
)

// spareGarbage makes a server look for garbage less often, as most of what it holds is the
// catalogue, which stays, until the function that it returns is called. GOGC sets otherwise.
func (p *program) spareGarbage() (restore func()) {
	if p.getenv("GOGC") != "" {
		return func() {}
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	before := debug.SetGCPercent(garbagePercent(memory.HeapAlloc))
	return func() { debug.SetGCPercent(before) }
}

// garbagePercent is how many percent of so many bytes that stay may be garbage.
func garbagePercent(stay uint64) int {
	return int(min(max(leastGarbage, 100*roomForGarbage/max(1, stay)), mostGarbage))
}
