package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/agent"
	"github.com/tierwise/tierwise/probe-agent/internal/metrics"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// watchFlags are the flags of run.
type watchFlags struct {
	source                        sourceFlags
	once, offline                 bool
	length                        time.Duration
	interval, window, reportEvery time.Duration
	listen, textfile, compat      string
	work                          workFlags
	command                       []string
}

func (f *watchFlags) register(set *flag.FlagSet) {
	f.source.register(set)
	set.BoolVar(&f.once, "once", false, "measure one window, then end")
	set.DurationVar(&f.length, "for", 0, "measure for a `time`, then end")
	set.BoolVar(&f.offline, "offline", false, "never open a connection; reports stay here")
	set.DurationVar(&f.interval, "interval", time.Second, "`time` between two readings")
	set.DurationVar(&f.window, "window", time.Minute, "`length` of a window")
	set.DurationVar(&f.reportEvery, "report-every", time.Hour, "`time` between two reports")
	set.StringVar(&f.listen, "listen", "", "serve Prometheus metrics at this `address`; a bare port is one of 127.0.0.1")
	set.StringVar(&f.textfile, "textfile", "", "write Prometheus metrics to a `file` for node_exporter")
	set.StringVar(&f.compat, "metrics-compat", "", "also show common metrics under the names of another exporter: dcgm")
	f.work.register(set)
}

// check tests what the flags say together.
func (f *watchFlags) check() error {
	switch {
	case f.interval < 10*time.Millisecond || f.window < f.interval || f.reportEvery < f.window:
		return usagef("want --interval (10ms or more) <= --window <= --report-every")
	case f.length < 0 || f.once && f.length > 0:
		return usagef("want one of --once and --for, and a time above 0")
	case f.compat != "" && f.compat != "dcgm":
		return usagef("--metrics-compat %q: want dcgm", f.compat)
	}
	if f.once {
		f.length = f.window
	}
	return f.work.check(f.command)
}

// watch is the command run.
func (p *program) watch(ctx context.Context, args []string) error {
	var f watchFlags
	set, c := p.flags("run")
	f.register(set)
	if err := c.parse(set, args); err != nil {
		return err
	}
	f.command = set.Args()
	if err := f.check(); err != nil {
		return err
	}
	m, err := p.open(&f.source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	if m.scenario != nil {
		f.offline = true
		if f.length == 0 {
			f.length = m.scenario.Duration()
		}
	}
	box, err := p.openBox(f.source.state(c.state))
	if err != nil {
		return err
	}
	w := watcher{p: p, c: c, f: &f, machine: m, box: box, log: p.log()}
	return w.run(ctx)
}

// watcher is one run of the command run.
type watcher struct {
	p       *program
	c       *common
	f       *watchFlags
	machine *machine
	box     *box
	log     *slog.Logger
	board   *metrics.Board
}

// run measures, with the uploads and the listeners beside it.
func (w *watcher) run(ctx context.Context) error {
	writer, unfinished, err := w.box.spool.Writer(spool.DefaultLimits())
	if err != nil {
		return err
	}
	defer writer.Close()
	feed, err := w.f.work.start(w)
	if err != nil {
		return err
	}
	defer feed.stop()
	w.board = metrics.NewBoard(version, w.f.compat == "dcgm")
	stopListening, err := w.listen()
	if err != nil {
		return err
	}
	defer stopListening()
	uploads := w.startUploads(ctx)
	bar := w.p.progress()
	measuring := &agent.Agent{
		Config: w.config(), Source: w.machine.guard, Clock: w.machine.clock, Writer: writer, Spool: w.box.spool, Board: w.board,
		Log: w.log, GPM: w.p.gpm(), Offset: w.box.offset, Unfinished: unfinished, Work: feed.take, Sealed: uploads.wake, Opened: uploads.identify,
		Progress: func(elapsed time.Duration) { w.tick(bar, elapsed) },
	}
	w.p.notifySystemd("READY=1")
	runCtx, end := context.WithCancel(ctx)
	commandErr := feed.runCommand(runCtx, w.f.command, end)
	err = measuring.Run(runCtx)
	end()
	bar.done()
	w.writeTextfile()
	err = errors.Join(err, <-commandErr)
	return errors.Join(err, uploads.finish(ctx), w.show(err))
}

// daemon reports whether the run has no end of its own.
func (w *watcher) daemon() bool { return w.f.length == 0 && len(w.f.command) == 0 }

// config is what the agent does.
func (w *watcher) config() agent.Config {
	rules := window.DefaultRules()
	rules.Window = w.f.window
	header := w.p.header("watch", w.machine.name())
	w.box.describe(&header)
	return agent.Config{
		Interval: w.f.interval, ReportEvery: w.f.reportEvery, Rules: rules, For: w.f.length,
		WaitForDriver: w.daemon() || w.machine.scenario != nil, Header: header,
	}
}

// tick runs after every reading.
func (w *watcher) tick(bar *progress, elapsed time.Duration) {
	if w.f.textfile != "" && int(elapsed/w.f.interval)%textfileTicks == 0 {
		w.writeTextfile()
	}
	if w.f.length > 0 && w.machine.scenario == nil {
		bar.show("measuring: %v of %v", elapsed.Round(time.Second), w.f.length)
	}
}

// textfileTicks is after how many readings the textfile is written again.
const textfileTicks = 15

func (w *watcher) writeTextfile() {
	if w.f.textfile == "" {
		return
	}
	if err := w.board.WriteTextfile(w.f.textfile); err != nil {
		w.log.Warn("the textfile can't be written", "error", err)
	}
}

// show prints the last report of a run that ends by itself.
func (w *watcher) show(err error) error {
	if err != nil || w.daemon() {
		return nil
	}
	seqs, err := w.box.all()
	if err != nil || len(seqs) == 0 {
		return err
	}
	m, err := w.box.measurement(seqs[len(seqs)-1])
	if err != nil {
		return err
	}
	return w.p.print(w.c, m, func(out io.Writer) { printReport(out, m) })
}
