package main

import (
	"runtime/debug"
	"testing"
)

// TestGarbagePercent: a small catalogue leaves room for much garbage, a large one for as much
// as by default.
func TestGarbagePercent(t *testing.T) {
	for stay, want := range map[uint64]int{0: 400, 1 << 20: 400, 40 << 20: 400, 80 << 20: 200, 160 << 20: 100, 4 << 30: 100} {
		if got := garbagePercent(stay); got != want {
			t.Errorf("%d bytes: got %d percent, want %d", stay, got, want)
		}
	}
}

// TestSpareGarbage: GOGC says otherwise, and afterwards all is as before.
func TestSpareGarbage(t *testing.T) {
	now := func() int {
		percent := debug.SetGCPercent(77)
		debug.SetGCPercent(percent)
		return percent
	}
	before := now()
	for set, want := range map[string]bool{"": true, "50": false} {
		p := program{getenv: func(string) string { return set }}
		restore := p.spareGarbage()
		if spared := now() > before; spared != want {
			t.Errorf("GOGC=%q: %d percent, %d before", set, now(), before)
		}
		restore()
		if now() != before {
			t.Errorf("GOGC=%q: %d percent after it, %d before", set, now(), before)
		}
	}
}
