package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/functions/internal/endpoint"
)

// What the description of the API allows is answered as it says, and what it forbids is
// refused: schemathesis finds nothing.
func TestSchemathesis(t *testing.T) {
	program, err := filepath.Abs("../../.venv/bin/schemathesis")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED: schemathesis is not here. \"make venv\" gets it, and \"make test\" does so first")
	}
	data := t.TempDir()
	p, stdout, stderr := newProgram("")
	p.random = rand.Reader
	if code := p.run(t.Context(), []string{"api-key", "create", "acme", "--data", data, "--json"}); code != exitOK {
		t.Fatalf("no key: %s", stderr)
	}
	var made struct{ Key string }
	if err := json.Unmarshal(stdout.Bytes(), &made); err != nil || made.Key == "" {
		t.Fatalf("no key in %s: %v", stdout, err)
	}
	printed, out := io.Pipe()
	p.stdout, p.getenv = out, func(name string) string {
		return map[string]string{"PORT": "0", "SLACK_SIGNING_SECRET": "secret", endpoint.ChartKeyVariable: strings.Repeat("secret", 6)}[name]
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(ctx, []string{"serve", "--data", data})
		out.Close()
	}()
	base := address(t, printed)
	t.Cleanup(func() {
		stop()
		<-ended
	})
	limited, late := context.WithTimeout(t.Context(), 8*time.Minute)
	defer late()
	command := exec.CommandContext(limited, program, "--config-file", "testdata/schemathesis.toml", "run", base+"/v1/openapi.json",
		"--phases", "examples,coverage,fuzzing", "--header", "Authorization: Bearer "+made.Key, "--no-color")
	report, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, report)
	}
}
