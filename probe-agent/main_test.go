package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/nvmltest"
)

// TestMain lets the test binary be the agent itself, so that tests run it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("PROBE_AGENT_MAIN") != "" {
		main()
	}
	if os.Getenv("PROBE_AGENT_CLIENT") != "" {
		faultClient(os.Getenv("PROBE_AGENT_CLIENT"))
	}
	os.Exit(m.Run())
}

// rig is an agent's process with a library made for it and a state directory.
type rig struct {
	t       testing.TB
	library string // "" for none
	config  string // the file that the library reads
	state   string
	env     []string
}

// newRig is an agent on a box; the library lacks some symbols.
func newRig(t testing.TB, box nvmltest.Config, without ...string) *rig {
	dir := t.TempDir()
	r := &rig{t: t, library: nvmltest.Library(t, without...), config: filepath.Join(dir, "box"), state: filepath.Join(dir, "state")}
	box.Write(t, r.config)
	return r
}

// bare is an agent on a machine without a driver.
func bare(t testing.TB) *rig {
	return &rig{t: t, state: filepath.Join(t.TempDir(), "state")}
}

// command is the agent's process, not started.
func (r *rig) command(args ...string) *exec.Cmd {
	if r.library != "" && takesLibrary(args[0]) {
		args = append([]string{args[0], "--nvml", r.library}, args[1:]...)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "PROBE_AGENT_MAIN=1", "FAKE_NVML="+r.config, "TIERWISE_STATE="+r.state)
	cmd.Env = append(cmd.Env, r.env...)
	return cmd
}

func takesLibrary(command string) bool {
	return strings.Contains("doctor inventory run verify enroll upload record", command)
}

// result is how a process ended.
type result struct {
	out, err string
	code     int
}

// run runs the agent to its end.
func (r *rig) run(args ...string) result {
	r.t.Helper()
	cmd := r.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// want fails the test unless the process ended with a code.
func (r result) want(t testing.TB, code int) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("got exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", r.code, code, r.out, r.err)
	}
	return r
}

// decode reads the process's output as JSON.
func decode[T any](t testing.TB, r result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.out), &v); err != nil {
		t.Fatalf("read output: %v\n%s\nstderr:\n%s", err, r.out, r.err)
	}
	return v
}

// background is a process whose log a test waits on.
type background struct {
	t    testing.TB
	cmd  *exec.Cmd
	done chan struct{}

	mu   sync.Mutex
	log  bytes.Buffer
	news chan struct{}
}

// start starts the agent and leaves it running; the test ends it.
func (r *rig) start(args ...string) *background {
	r.t.Helper()
	return watchProcess(r.t, r.command(args...))
}

// watchProcess starts a process, which ends with the test.
func watchProcess(t testing.TB, cmd *exec.Cmd) *background {
	t.Helper()
	b := &background{t: t, cmd: cmd, done: make(chan struct{}), news: make(chan struct{}, 1)}
	cmd.Stdout, cmd.Stderr = b, b
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		cmd.Wait()
		close(b.done)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-b.done
	})
	return b
}

// Write takes the process's output.
func (b *background) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log.Write(text)
	select {
	case b.news <- struct{}{}:
	default:
	}
	return len(text), nil
}

func (b *background) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

// patience is how long a test waits for something that must come.
const patience = 60 * time.Second

// waitFor waits until the log holds a text.
func (b *background) waitFor(text string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !strings.Contains(b.text(), text) {
		select {
		case <-b.news:
		case <-b.done:
			if !strings.Contains(b.text(), text) {
				b.t.Fatalf("the agent ended before it said %q:\n%s", text, b.text())
			}
		case <-ctx.Done():
			b.t.Fatalf("the agent never said %q:\n%s", text, b.text())
		}
	}
}

// waitUntil looks at something again and again while the process runs.
func (b *background) waitUntil(done func() bool) {
	b.t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for end := time.After(patience); !done(); {
		select {
		case <-again.C:
		case <-end:
			b.t.Fatalf("it never came:\n%s", b.text())
		}
	}
}

// wait waits for the end and returns the exit code.
func (b *background) wait() int {
	b.t.Helper()
	select {
	case <-b.done:
	case <-time.After(patience):
		b.t.Fatalf("the agent does not end:\n%s", b.text())
	}
	return b.cmd.ProcessState.ExitCode()
}
