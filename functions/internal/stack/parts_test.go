package stack_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/chunk"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
)

// parts is what each part of a start of recommend costs, in this process: the median of so
// many times.
func parts(t *testing.T, bootstrap string, times int) string {
	t.Helper()
	baseline, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	set, err := chunk.Encode(baseline.Parts())
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("\n%-44s %7s\n%-44s %7.1f\n", "parts of a start, ms", "p50", "packages that initialise themselves", packages(t, bootstrap, times))
	answers := engine.New(baseline)
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"reading the chunks: zstd, columns", func() error { _, err := chunk.Decode(set); return err }},
		{"the same from the built-in tables", func() error { _, err := seed.Load(); return err }},
		{"indexing the catalogue", func() error { _, err := catalog.NewSnapshot(baseline.Parts()); return err }},
		{"pricing it", func() error { engine.New(baseline).Warm(); return nil }},
		{"names that a text may use", func() error { endpoint.NewRecommend(answers, time.Now); return nil }},
		{"left for the first query of offers: shelves", func() error {
			s, err := catalog.NewSnapshot(baseline.Parts())
			if err == nil {
				s.Query(catalog.Query{}, 0, 1)
			}
			return err
		}},
	} {
		var all []float64
		for range times {
			begun := time.Now()
			if err := part.do(); err != nil {
				t.Fatal(err)
			}
			all = append(all, float64(time.Since(begun).Microseconds())/1000)
		}
		text += fmt.Sprintf("%-44s %7.1f\n", part.name, quantile(all, 0.5))
	}
	return text
}

// packages is what the packages of a program take to initialise, as the Go runtime says
// (GODEBUG=inittrace=1).
func packages(t *testing.T, bootstrap string, times int) float64 {
	t.Helper()
	var all []float64
	for range times {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		command := exec.CommandContext(ctx, bootstrap)
		command.Env = append(os.Environ(), "GODEBUG=inittrace=1", "AWS_LAMBDA_RUNTIME_API=127.0.0.1:1") // there is no runtime: it ends
		out, _ := command.CombinedOutput()
		cancel()
		sum := 0.0
		for line := range strings.Lines(string(out)) {
			var name string
			var at, took float64
			if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock", &name, &at, &took); n == 3 {
				sum += took
			}
		}
		all = append(all, sum)
	}
	return quantile(all, 0.5)
}
