package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/workload"
)

// workFlags say where the user's program reports its rate.
type workFlags struct {
	file, listen, unit, pattern, model string
	stdin                              bool

	parsedUnit    workload.Unit
	parsedPattern *workload.Pattern
	parsedModel   *report.WorkModel
}

func (f *workFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.file, "throughput-file", "", "read rates that a program appends to a `file`")
	set.BoolVar(&f.stdin, "throughput-stdin", false, "read rates from standard input")
	set.StringVar(&f.listen, "throughput-listen", "", "take rates by POST /throughput at this `address`; a bare port is one of 127.0.0.1")
	set.StringVar(&f.unit, "throughput-unit", string(workload.Tokens), "`unit` of rates that don't name one")
	set.StringVar(&f.pattern, "pattern", "", "with run -- CMD: regular `expression` of a log line, the rate in parentheses")
	set.StringVar(&f.model, "model", "", "the model that is worked on: `name=llama-2-7b,params_b=7,layers=32,...`")
}

func (f *workFlags) check(command []string) (err error) {
	if f.parsedUnit, err = workload.ParseUnit(f.unit); err != nil {
		return &usageError{err.Error()}
	}
	if f.model != "" {
		if f.parsedModel, err = workload.ParseModel(f.model); err != nil {
			return &usageError{err.Error()}
		}
	}
	if f.pattern != "" {
		if len(command) == 0 {
			return usagef("--pattern needs a command: run --pattern EXPRESSION -- CMD")
		}
		if f.parsedPattern, err = workload.ParsePattern(f.pattern, f.parsedUnit); err != nil {
			return &usageError{err.Error()}
		}
	}
	return nil
}

// feed collects rates until the agent takes them.
type feed struct {
	w     *watcher
	flags *workFlags
	file  *workload.File // nil if none is followed
	stop  func()

	mu      sync.Mutex
	records []report.WorkRecord
}

// maxRecords is how many rates are kept between two ticks; a program that reports more
// often loses the rest.
const maxRecords = 1000

// start begins to listen wherever the flags say.
func (f *workFlags) start(w *watcher) (*feed, error) {
	fd := &feed{w: w, flags: f, stop: func() {}}
	if f.file != "" {
		fd.file = workload.Follow(f.file, f.parsedUnit)
	}
	if f.stdin {
		go fd.readLines(w.p.stdin)
	}
	if f.listen != "" {
		mux := http.NewServeMux()
		mux.Handle("/throughput", workload.Handler(f.parsedUnit, func(r workload.Rate) { fd.add("http", r) }))
		at, stop, err := serve(f.listen, mux)
		if err != nil {
			return nil, err
		}
		w.log.Info("taking rates", "by", "POST http://"+at+"/throughput")
		fd.stop = stop
	}
	return fd, nil
}

// readLines reads rates to the end of standard input.
func (fd *feed) readLines(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if rate, err := workload.ParseRate(lines.Text(), fd.flags.parsedUnit); err == nil {
			fd.add("stdin", rate)
		}
	}
}

func (fd *feed) add(source string, rate workload.Rate) {
	fd.mu.Lock()
	defer fd.mu.Unlock()
	if len(fd.records) < maxRecords {
		record := report.WorkRecord{Source: source, Unit: string(rate.Unit), Rate: rate.Value, Model: fd.flags.parsedModel}
		fd.records = append(fd.records, record)
	}
}

// take returns the rates since it was last called.
func (fd *feed) take() []report.WorkRecord {
	if fd.file != nil {
		rates, err := fd.file.Read()
		if err != nil {
			fd.w.log.Warn("rates can't be read", "error", err)
			fd.file = nil
		}
		for _, rate := range rates {
			fd.add("file", rate)
		}
	}
	fd.mu.Lock()
	defer fd.mu.Unlock()
	taken := fd.records
	fd.records = nil
	return taken
}

// runCommand starts the user's command, if there is one, and ends the run with it. Its
// output goes where it would go without the agent, which reads it on the way.
func (fd *feed) runCommand(ctx context.Context, command []string, end func()) <-chan error {
	result := make(chan error, 1)
	if len(command) == 0 {
		result <- nil
		return result
	}
	lines := workload.NewLineWriter(func(line string) {
		if fd.flags.parsedPattern == nil {
			return
		}
		if rate, ok := fd.flags.parsedPattern.Find(line); ok {
			fd.add("command", rate)
		}
	})
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Env = fd.w.p.stdin, os.Environ()
	shown := fd.w.p.stdout
	if fd.w.c.json() {
		shown = fd.w.p.stderr // standard output is for the report
	}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(shown, lines), io.MultiWriter(fd.w.p.stderr, lines)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	go func() {
		defer end()
		err := cmd.Run()
		if ctx.Err() != nil {
			err = nil // the agent ended it
		}
		if err != nil {
			err = fmt.Errorf("the command: %w", err)
		}
		result <- err
	}()
	return result
}

// address completes the address of a listener: a bare port is one of this machine only.
func address(text string) string {
	text = strings.TrimPrefix(text, ":")
	if !strings.Contains(text, ":") {
		return net.JoinHostPort("127.0.0.1", text)
	}
	return text
}

// serve serves at an address until it is stopped.
func serve(listen string, handler http.Handler) (at string, stop func(), err error) {
	listener, err := net.Listen("tcp", address(listen))
	if err != nil {
		return "", nil, fmt.Errorf("listen at %s: %w", address(listen), err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		server.Serve(listener) // ends with ErrServerClosed
		close(ended)
	}()
	return listener.Addr().String(), func() {
		server.Close()
		<-ended
	}, nil
}

// listen serves the metrics.
func (w *watcher) listen() (stop func(), err error) {
	if w.f.listen == "" {
		return func() {}, nil
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", w.board)
	at, stop, err := serve(w.f.listen, mux)
	if err == nil {
		w.log.Info("metrics", "address", "http://"+at+"/metrics")
	}
	return stop, err
}

// notifySystemd tells systemd that the service is ready (sd_notify(3)); nothing happens
// outside of systemd.
func (p *program) notifySystemd(state string) {
	path := p.getenv("NOTIFY_SOCKET")
	if path == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		p.log().Warn("systemd can't be told", "error", err)
		return
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		p.log().Warn("systemd can't be told", "error", err)
	}
}
