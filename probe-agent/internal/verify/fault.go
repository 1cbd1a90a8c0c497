package verify

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/workload"
)

// Fault runs a command in a network of its own, cuts its link, and watches whether it
// goes on when the link is back. All fields are required but Progress and Say.
type Fault struct {
	Command string // for sh -c
	Settle  time.Duration
	Cut     time.Duration
	Recover time.Duration // how long it may take to go on
	// Progress finds the lines in which the command says that it goes on, and in its
	// first group how far it is. DefaultProgress if nil.
	Progress *regexp.Regexp
	Output   io.Writer // the command's output
	Now      func() time.Time
	Say      func(string) // what is done just now
}

func (f *Fault) say(format string, args ...any) {
	if f.Say != nil {
		f.Say(fmt.Sprintf(format, args...))
	}
}

// DefaultProgress finds lines such as "step 120" and "Epoch: 3".
var DefaultProgress = regexp.MustCompile(`(?i)\b(?:step|iter|iteration|epoch|batch)\b\D{0,4}(\d+)`)

const (
	faultID    = "network_fault"
	faultTitle = "The job survives a network fault"
)

// mark is one sign of progress.
type mark struct {
	at       time.Time
	position int64 // -1 if the line has no number
}

// Run makes the check. It is skipped where the rights or the tools are missing.
func (f *Fault) Run(ctx context.Context) Check {
	network, err := newNetwork(ctx)
	if err != nil {
		return skipped(faultID, faultTitle, fmt.Sprintf("needs root (NET_ADMIN and SYS_ADMIN) and the program ip, outside of a plain container: %v", err))
	}
	defer network.remove()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	marks := make(chan mark, 1024)
	ended := make(chan error, 1)
	lines := workload.NewLineWriter(func(line string) { f.see(line, marks) })
	go func() { ended <- network.run(ctx, f.Command, io.MultiWriter(f.Output, lines)) }()
	check := f.watch(ctx, network, signs{marks, ended})
	if !network.nat {
		check.Evidence += "; without iptables the command could reach this machine only, as TIERWISE_HOST"
	}
	return check
}

// see sends a mark for a line of progress. If nobody reads them, marks are dropped.
func (f *Fault) see(line string, marks chan<- mark) {
	progress := f.Progress
	if progress == nil {
		progress = DefaultProgress
	}
	found := progress.FindStringSubmatch(line)
	if found == nil {
		return
	}
	m := mark{at: f.Now(), position: -1}
	if len(found) > 1 {
		if n, err := strconv.ParseInt(found[1], 10, 64); err == nil {
			m.position = n
		}
	}
	select {
	case marks <- m:
	default:
	}
}

// signs are what a running command gives.
type signs struct {
	marks <-chan mark
	ended <-chan error
}

// linkSwitch cuts and mends a link.
type linkSwitch interface{ setLink(up bool) error }

// watch cuts the link once the command is at work.
func (f *Fault) watch(ctx context.Context, link linkSwitch, s signs) Check {
	c := Check{ID: faultID, Title: faultTitle, Required: fmt.Sprintf("goes on within %v of a cut of %v, and loses nothing", f.Recover, f.Cut)}
	f.say("waiting for a sign of progress")
	before, err := s.settle(ctx, f.Settle, f.Recover)
	if err != nil {
		c.Status, c.Actual, c.Evidence = Inconclusive, "no sign of progress before the cut", err.Error()
		c.Remedy = "let the command print lines such as \"step 120\", or name them with --progress"
		return c
	}
	if err := link.setLink(false); err != nil {
		return skipped(faultID, faultTitle, err.Error())
	}
	f.say("the link is cut for %v", f.Cut)
	during, err := s.collect(ctx, f.Cut)
	if mendErr := link.setLink(true); mendErr != nil && err == nil {
		err = mendErr
	}
	mended := f.Now()
	f.say("the link is back")
	if err != nil {
		c.Status, c.Actual, c.Evidence = Fail, "it ended while the link was cut", err.Error()
		c.Remedy = "make the job retry, save checkpoints and start again by itself"
		return c
	}
	after, err := s.first(ctx, f.Recover)
	if err != nil {
		c.Status, c.Actual, c.Evidence = Fail, "it did not go on", err.Error()
		c.Remedy = "make the job retry, save checkpoints and start again by itself"
		return c
	}
	return f.judge(c, history{furthest(append(before, during...)), len(during), after, mended})
}

// history is a cut that a command survived.
type history struct {
	furthest int64 // before the link was back, -1 if unknown
	during   int   // signs of progress while the link was cut
	after    mark  // the first one with the link back
	mended   time.Time
}

func (f *Fault) judge(c Check, h history) Check {
	c = c.withValue(h.after.at.Sub(h.mended).Seconds(), "s")
	c.Actual = fmt.Sprintf("went on after %.1f s", *c.Value)
	c.Status = Pass
	c.Evidence = fmt.Sprintf("%d signs of progress while the link was cut", h.during)
	switch {
	case h.furthest < 0 || h.after.position < 0:
		c.Evidence += "; what was lost is unknown, since the progress has no number"
	case h.after.position <= h.furthest:
		c.Status = Warn
		c.Evidence += fmt.Sprintf("; it was at %d and went on at %d: %d steps are done twice", h.furthest, h.after.position, h.furthest-h.after.position+1)
		c.Remedy = "save checkpoints more often"
	default:
		c.Evidence += "; nothing was lost"
	}
	return c
}

func furthest(marks []mark) int64 {
	most := int64(-1)
	for _, m := range marks {
		most = max(most, m.position)
	}
	return most
}

// settle waits for the first sign of progress, and then for a while.
func (s signs) settle(ctx context.Context, settle, patience time.Duration) ([]mark, error) {
	first, err := s.first(ctx, patience)
	if err != nil {
		return nil, err
	}
	more, err := s.collect(ctx, settle)
	return append([]mark{first}, more...), err
}

// first waits for one sign.
func (s signs) first(ctx context.Context, patience time.Duration) (mark, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case m := <-s.marks:
		return m, nil
	case err := <-s.ended:
		return mark{}, endedWith(err)
	case <-timer.C:
		return mark{}, fmt.Errorf("no sign of progress within %v", patience)
	case <-ctx.Done():
		return mark{}, ctx.Err()
	}
}

// collect takes the signs of a stretch of time. It fails if the command ends.
func (s signs) collect(ctx context.Context, length time.Duration) ([]mark, error) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	var marks []mark
	for {
		select {
		case m := <-s.marks:
			marks = append(marks, m)
		case err := <-s.ended:
			return marks, endedWith(err)
		case <-timer.C:
			return marks, nil
		case <-ctx.Done():
			return marks, ctx.Err()
		}
	}
}

func endedWith(err error) error {
	if err == nil {
		return fmt.Errorf("the command ended")
	}
	return fmt.Errorf("the command ended: %w", err)
}
