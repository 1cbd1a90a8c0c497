package main

import (
	"context"
	"crypto/rand"
	"io"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// garbage is the percentage that is set.
func garbage() int {
	percent := debug.SetGCPercent(leastGarbage)
	debug.SetGCPercent(percent)
	return percent
}

// TestGarbagePercent: a small catalogue leaves room for much garbage, a large one for as much
// as by default.
func TestGarbagePercent(t *testing.T) {
	for offers, want := range map[int]int{0: 400, 1: 400, 10_738: 400, 70_000: 199, 139_810: 100, 1_000_000: 100} {
		if got := garbagePercent(offers); got != want {
			t.Errorf("%d offers: got %d percent, want %d", offers, got, want)
		}
	}
}

// TestBytesPerOffer: a priced catalogue takes about as much memory as is reckoned with.
func TestBytesPerOffer(t *testing.T) {
	const offers = 50_000
	s, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	grown, err := catalog.NewSnapshot(catalogtest.Grown(s, offers))
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(grown)
	e.Warm()
	got := (heap() - before) / offers
	t.Logf("%d bytes an offer", got)
	if got < bytesPerOffer/2 || got > 2*bytesPerOffer {
		t.Errorf("%d bytes an offer, reckoned with %d", got, bytesPerOffer)
	}
	runtime.KeepAlive(e)
}

// heap is how many bytes stay in memory.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools held
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestSpareGarbage: a server over the small catalogue of the program looks for garbage less
// often while it runs, unless GOGC says otherwise.
func TestSpareGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(130))
	for set, want := range map[string]int{"": mostGarbage, "130": 130} {
		p, _, stderr := newProgram("")
		printed, out := io.Pipe()
		p.stdout, p.random, p.getenv = out, rand.Reader, func(name string) string { return map[string]string{"PORT": "0", "GOGC": set}[name] }
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			ended <- p.run(ctx, []string{"serve", "--data", t.TempDir()})
			out.Close()
		}()
		address(t, printed)
		if got := garbage(); got != want {
			t.Errorf("GOGC=%q: got %d percent, want %d", set, got, want)
		}
		stop()
		if code := <-ended; code != exitOK || garbage() != 130 {
			t.Errorf("GOGC=%q: %d percent after it, 130 before; exit code %d: %s", set, garbage(), code, stderr)
		}
	}
}
