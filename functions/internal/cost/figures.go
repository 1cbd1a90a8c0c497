package cost

import (
	_ "embed" // the figures
	"encoding/json"
	"fmt"
)

//go:embed measured.json
var measured []byte

// Figures are what "make bench-cold" measured.
type Figures struct {
	On        string     `json:"on"`        // the day
	Processor string     `json:"processor"` // and how CPU time was bounded
	Function  string     `json:"function"`
	Sizes     []Measured `json:"sizes"` // by memory
}

// Latest are the figures that are built in.
func Latest() (Figures, error) { return ReadFigures(measured) }

// ReadFigures reads the file that "make bench-cold" writes.
func ReadFigures(text []byte) (Figures, error) {
	var f Figures
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("read figures: %w", err)
	}
	if len(f.Sizes) == 0 {
		return f, fmt.Errorf("read figures: want a size at least")
	}
	for _, m := range f.Sizes { // what was not measured is not fast
		if !m.WarmMS.IsPositive() || !m.LateMS.IsPositive() || !m.BusyMS.IsPositive() || !m.StartMS.IsPositive() {
			return f, fmt.Errorf("read figures of %d MB: want warm_ms, late_ms, busy_ms and start_ms above 0, got %s, %s, %s and %s", m.MemoryMB, m.WarmMS, m.LateMS, m.BusyMS, m.StartMS)
		}
	}
	return f, nil
}

// Limits are the times that a memory size must keep to: StartMS by a start and its first
// request, LateMS by 99 of 100 requests to an instance that runs, and by half of those that
// follow upon each other. A share of a processor that is just enough for one request would
// make every second one wait.
type Limits struct{ StartMS, LateMS int64 }

// Deployed are the limits of what is deployed: half a second and 10 ms.
func Deployed() Limits { return Limits{StartMS: 500, LateMS: 10} }

// Chosen is the memory size to deploy: the cheapest for a million requests at a hundred a
// minute of those that keep to the limits, the largest if none does.
func (f Figures) Chosen(l Limits) (Measured, error) {
	best, lowest := f.Sizes[len(f.Sizes)-1], Bill{}
	for i, m := range f.Sizes {
		b, err := Month(m, Usual()[1], Public())
		if err != nil {
			return m, err
		}
		fits := m.StartMS.IntPart() < l.StartMS && max(m.LateMS.IntPart(), m.BusyMS.IntPart()) < l.LateMS
		if fits && (lowest.Requests.IsZero() || b.Function().LessThan(lowest.Function())) {
			best, lowest = f.Sizes[i], b
		}
	}
	return best, nil
}
