package verify

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Past is one GPU's part in an earlier rental.
type Past struct {
	GPU    string    `json:"gpu"` // identity.GPU of its UUID
	Rental string    `json:"rental"`
	At     time.Time `json:"at"`
	Failed []string  `json:"failed,omitempty"` // ids of checks
}

// ReadHistory reads the file that AppendHistory writes. None is no history. Lines that
// can't be read are passed over.
func ReadHistory(path string) ([]Past, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer f.Close()
	return parseHistory(f), nil
}

func parseHistory(in io.Reader) []Past {
	var all []Past
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var p Past
		if json.Unmarshal(lines.Bytes(), &p) == nil && p.GPU != "" {
			all = append(all, p)
		}
	}
	return all
}

// AppendHistory keeps how the GPUs did in this rental.
func AppendHistory(path string, now []Past) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	out := json.NewEncoder(f)
	for _, p := range now {
		err = errors.Join(err, out.Encode(p))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep history: %w", err)
	}
	return nil
}

// Known checks whether a GPU was met in an earlier rental: the same broken machine
// comes back to those who return it.
func Known(gpus []string, rental string, history []Past) Check {
	c := Check{ID: "known_gpu", Title: "GPUs met in earlier rentals", Status: Pass, Actual: "none"}
	var met, bad []string
	for _, p := range history {
		i := slices.Index(gpus, p.GPU)
		if i < 0 || p.Rental == rental {
			continue
		}
		text := fmt.Sprintf("GPU %d is the same GPU (%s) as in the rental of %s", i, p.GPU, p.At.Format(time.DateOnly))
		if len(p.Failed) > 0 {
			bad = append(bad, text+", which failed "+strings.Join(p.Failed, ", "))
		} else {
			met = append(met, text)
		}
	}
	if len(met)+len(bad) == 0 {
		return c
	}
	c.Actual, c.Evidence = fmt.Sprintf("%d", len(met)+len(bad)), strings.Join(append(bad, met...), "; ")
	if len(bad) > 0 {
		c.Status, c.Remedy = Warn, "ask for another machine"
	}
	return c
}
