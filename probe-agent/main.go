// Command probe-agent measures what a rented GPU box really gives, and checks whether
// it is what was sold.
//
//	probe-agent doctor                       can it work here?
//	probe-agent verify --claim gpu=H100-SXM,count=8,nvlink=full,ecc=on
//	probe-agent run --for 30m --offline      measure, keep the report here
//	probe-agent report                       what was measured
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	crand "crypto/rand"
)

// version is set by the release build.
var version = "dev"

// The exit codes.
const (
	exitOK           = 0
	exitFailed       = 1   // a check failed
	exitUsage        = 2   // wrong usage
	exitInconclusive = 3   // warnings only, or nothing was decided
	exitNoDriver     = 4   // no NVML, no driver or no GPU
	exitUnsent       = 5   // upload failed, the reports are kept
	exitNotEnrolled  = 6   // not enrolled, or revoked
	exitInterrupted  = 130 // by the user
)

const usage = `probe-agent measures what a rented GPU box really gives.

Usage: probe-agent COMMAND [flags]

  doctor      can the agent work here: library, driver, permissions, spool, server
  inventory   the GPUs and how they are joined
  run         measure: as a daemon, --once, --for 30m, or around a command (run -- CMD)
  report      what was measured here
  verify      is the rental what was sold: --claim, --benchmark, --fault, --bandwidth, --remnants
  enroll      make this box known to the service: --server URL --code CODE
  export      write the signed reports to a file, to upload them from elsewhere
  upload      send the reports that are waiting; --dry-run prints the exact bytes
  forget      ask the service to delete this box, and delete its key
  record      write a scenario file of this box
  version     the version of the agent

"probe-agent COMMAND -h" lists the flags of a command. All commands take --output
text|json. doctor, inventory, verify and run --offline need no account.

Exit codes: 0 all well, 1 a check failed, 2 wrong usage, 3 warnings only or nothing
decided, 4 no NVML, driver or GPU, 5 upload failed (reports are kept), 6 not enrolled
or revoked, 130 interrupted.
`

// The causes for which a run ends early.
var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
)

func main() {
	limitRuntime(os.Getenv)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cause := map[os.Signal]error{os.Interrupt: errInterrupted}[<-signals]
		if cause == nil {
			cause = errTerminated
		}
		cancel(cause)
		signal.Stop(signals) // a second one ends the process
	}()
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now, random: crand.Reader, root: "/"}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// The runtime's share of a machine that is not ours.
const (
	maxProcs    = 2
	memoryLimit = 32 << 20
)

// limitRuntime keeps the runtime small on machines with hundreds of cores, unless the
// environment says otherwise.
func limitRuntime(getenv func(string) string) {
	if getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(min(maxProcs, runtime.NumCPU()))
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// program is the command line with everything that it touches of the world, so that
// tests can run it.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	random         io.Reader
	root           string // of the file system, for what the machine says of itself
}

// commands are the commands by name.
func (p *program) commands() map[string]func(context.Context, []string) error {
	return map[string]func(context.Context, []string) error{
		"doctor": p.doctor, "inventory": p.inventory, "run": p.watch, "report": p.report, "verify": p.verify,
		"enroll": p.enroll, "export": p.export, "upload": p.upload, "forget": p.forget, "record": p.record, "version": p.version,
	}
}

// run does what the arguments say and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	if len(args) == 0 || slices.Contains([]string{"help", "-h", "--help"}, args[0]) {
		fmt.Fprint(p.stdout, usage)
		return map[bool]int{true: exitUsage, false: exitOK}[len(args) == 0]
	}
	command, ok := p.commands()[args[0]]
	if !ok {
		fmt.Fprintf(p.stderr, "probe-agent: unknown command %q\n\n%s", args[0], usage)
		return exitUsage
	}
	err := command(ctx, args[1:])
	if errors.Is(context.Cause(ctx), errInterrupted) {
		fmt.Fprintln(p.stderr, "probe-agent: interrupted")
		return exitInterrupted
	}
	stopped := errors.Is(context.Cause(ctx), errTerminated) && errors.Is(err, context.Canceled)
	if stopped || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if text := complaint(err); text != "" {
		fmt.Fprintf(p.stderr, "probe-agent %s: %s\n", args[0], text)
	}
	return exitCode(err)
}
