package sampler

import (
	"sync"
	"time"
)

// Guard is a Source whose calls return in time. Each device has one goroutine in
// which its calls run. When one hangs, the caller gets CodeTimeout, and until it
// returns so does every other call for that device, at once: one goroutine waits,
// however long it takes, and nothing piles up. Make one with NewGuard.
type Guard struct {
	source  Source
	timeout time.Duration // of a call for a device
	workers *workers
}

// openTimeout is how long the library may take to load: without persistence mode
// the driver starts every GPU first.
const openTimeout = time.Minute

// The workers that belong to no device.
const (
	systemWorker = -1
	eventWorker  = -2
)

// NewGuard guards a source. No call for a device takes longer than timeout.
func NewGuard(source Source, timeout time.Duration) *Guard {
	return &Guard{source: source, timeout: timeout, workers: &workers{byDevice: make(map[int]*worker)}}
}

// Within is the same guard with another timeout.
func (g *Guard) Within(timeout time.Duration) *Guard {
	return &Guard{source: g.source, timeout: timeout, workers: g.workers}
}

// Open is Source's Open, within a minute.
func (g *Guard) Open() Code {
	return inTime(g.workers.of(systemWorker), openTimeout, g.source.Open, func() Code { return CodeTimeout })
}

// Close stops the goroutines that wait for nothing, then closes the source unless
// one of its calls hangs: the library may not be unloaded under it.
func (g *Guard) Close() {
	if g.workers.stop() {
		g.source.Close()
	}
}

// Versions is Source's Versions in time.
func (g *Guard) Versions() Versions {
	late := Failed[string](CodeTimeout)
	return inTime(g.workers.of(systemWorker), g.timeout, g.source.Versions, func() Versions { return Versions{late, late, late} })
}

// DeviceCount is Source's DeviceCount in time.
func (g *Guard) DeviceCount() Value[int] {
	return inTime(g.workers.of(systemWorker), g.timeout, g.source.DeviceCount, failedLate[int])
}

// Text is Source's Text in time.
func (g *Guard) Text(device int, p Property) Value[string] {
	return inTime(g.workers.of(device), g.timeout, func() Value[string] { return g.source.Text(device, p) }, failedLate[string])
}

// Read is Source's Read in time.
func (g *Guard) Read(device int, q Quantity) Value[float64] {
	return inTime(g.workers.of(device), g.timeout, func() Value[float64] { return g.source.Read(device, q) }, failedLate[float64])
}

// ReadFields is Source's ReadFields in time.
func (g *Guard) ReadFields(device int, fields []Quantity) []Value[float64] {
	return inTime(g.workers.of(device), g.timeout, func() []Value[float64] { return g.source.ReadFields(device, fields) },
		func() []Value[float64] { return failedFields(len(fields), CodeTimeout) })
}

// Links is Source's Links in time.
func (g *Guard) Links(device int) Value[[]Link] {
	return inTime(g.workers.of(device), g.timeout, func() Value[[]Link] { return g.source.Links(device) }, failedLate[[]Link])
}

// Path is Source's Path in time.
func (g *Guard) Path(a, b int) Path {
	late := Failed[int](CodeTimeout)
	return inTime(g.workers.of(a), g.timeout, func() Path { return g.source.Path(a, b) }, func() Path { return Path{late, late, late} })
}

// GPM is Source's GPM in time.
func (g *Guard) GPM(device int) Value[GPM] {
	return inTime(g.workers.of(device), g.timeout, func() Value[GPM] { return g.source.GPM(device) }, failedLate[GPM])
}

// NextEvent is Source's NextEvent in time.
func (g *Guard) NextEvent(timeout time.Duration) Value[Event] {
	return inTime(g.workers.of(eventWorker), timeout+g.timeout, func() Value[Event] { return g.source.NextEvent(timeout) }, failedLate[Event])
}

func failedLate[T any]() Value[T] { return Failed[T](CodeTimeout) }

func failedFields(n int, code Code) []Value[float64] {
	all := make([]Value[float64], n)
	for i := range all {
		all[i] = Failed[float64](code)
	}
	return all
}

// workers are the goroutines of a guard.
type workers struct {
	mu       sync.Mutex
	byDevice map[int]*worker
	stopped  bool
}

// worker runs the calls of one device, one after another.
type worker struct {
	busy sync.Mutex // held from the moment a call is handed over until it returns
	jobs chan func()
}

// of returns the worker of a device, nil once stopped.
func (all *workers) of(device int) *worker {
	all.mu.Lock()
	defer all.mu.Unlock()
	w := all.byDevice[device]
	if w == nil && !all.stopped {
		w = &worker{jobs: make(chan func())}
		all.byDevice[device] = w
		go w.run()
	}
	return w
}

// stop ends every worker that is idle, and reports whether all were.
func (all *workers) stop() bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	idle := true
	for device, w := range all.byDevice {
		if !w.busy.TryLock() {
			idle = false
			continue
		}
		close(w.jobs) // and stays locked: nothing is sent to it again
		delete(all.byDevice, device)
	}
	all.stopped = true
	return idle
}

func (w *worker) run() {
	for job := range w.jobs {
		job()
	}
}

// inTime runs f in a worker and returns its result, or late() if it is busy or
// takes too long. A result that comes later is dropped.
func inTime[T any](w *worker, timeout time.Duration, f func() T, late func() T) T {
	if w == nil || !w.busy.TryLock() {
		return late()
	}
	result := make(chan T, 1)
	w.jobs <- func() {
		value := f()
		w.busy.Unlock()
		result <- value
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case value := <-result:
		return value
	case <-timer.C:
		return late()
	}
}
