package main

import "runtime/debug"

// What stays in a server's memory is mostly the catalogue, about bytesPerOffer priced and
// indexed: of a small one as many percent may be garbage as make roomForGarbage bytes, within
// limits.
const (
	bytesPerOffer  = 1200
	roomForGarbage = 160 << 20
	leastGarbage   = 100 // percent, the default
	mostGarbage    = 400
)

// spareGarbage makes a server look for garbage less often over a small catalogue of so many
// offers. Where GOGC is set, that decides.
func (p *program) spareGarbage(offers int) {
	if p.getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent(offers))
	}
}

// restoreGarbage gives what sets the percentage back to what it is now.
func restoreGarbage() (restore func()) {
	now := debug.SetGCPercent(leastGarbage)
	debug.SetGCPercent(now)
	return func() { debug.SetGCPercent(now) }
}

// garbagePercent is how many percent of what stays may be garbage.
func garbagePercent(offers int) int {
	return min(max(leastGarbage, 100*roomForGarbage/(bytesPerOffer*max(1, offers))), mostGarbage)
}
