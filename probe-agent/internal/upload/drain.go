package upload

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

// The errors of Drain that decide the exit code.
var (
	// ErrRevoked says that the server takes nothing from this box.
	ErrRevoked = errors.New("the server refuses this box: its key is revoked or was never enrolled; enroll again")
	// ErrUnsent says that reports are still waiting.
	ErrUnsent = errors.New("not all reports could be sent; they are kept")
)

// The bounds of the random wait between attempts.
const (
	firstBackoff = time.Second
	lastBackoff  = 15 * time.Minute
)

// longestPatience is how long someone who waits for an end is kept waiting.
const longestPatience = 5 * time.Minute

// FirstWait is the longest time before a daemon's first attempt, so that boxes that
// start together don't send together.
const FirstWait = 5 * time.Minute

// Loop sends what is pending, one report at a time. All fields are required but
// Attempts.
type Loop struct {
	Client *Client
	Sender *spool.Sender
	Rand   *rand.Rand
	// Wait returns after a time, or with the context's error.
	Wait func(context.Context, time.Duration) error
	Log  *slog.Logger
	// Attempts is how often a report is tried before Drain gives up, which it also does
	// when the server asks for a long wait; 0 is forever.
	Attempts int
}

// Result counts what Drain has done.
type Result struct {
	Sent     int `json:"sent"`
	Rejected int `json:"rejected"`
}

// Drain sends until nothing is pending. It ends early with ErrRevoked, ErrUnsent or
// the context's error.
func (l *Loop) Drain(ctx context.Context) (Result, error) {
	var result Result
	for failures := 0; ; {
		seq, payload, ok, err := l.Sender.Next()
		if err != nil || !ok {
			return result, err
		}
		outcome, err := l.Client.Send(ctx, payload)
		if err != nil {
			return result, err
		}
		switch outcome.Kind {
		case Stored:
			failures = 0
			result.Sent++
			err = l.Sender.Sent(seq)
			l.Log.Info("report sent", "seq", seq, "id", ID(payload))
		case Permanent:
			failures = 0
			result.Rejected++
			err = l.Sender.Reject(seq, outcome.Reason)
			l.Log.Error("report rejected", "seq", seq, "reason", outcome.Reason)
		case Revoked:
			result.Rejected++
			l.Log.Error("box refused", "seq", seq, "reason", outcome.Reason)
			return result, errors.Join(ErrRevoked, l.Sender.Reject(seq, outcome.Reason))
		case Temporary:
			failures++
			err = l.pause(ctx, failures, outcome)
		}
		if err != nil {
			return result, err
		}
	}
}

// pause waits before the next attempt: a random time up to a bound that doubles, and
// not less than the server asks for.
func (l *Loop) pause(ctx context.Context, failures int, outcome Outcome) error {
	if l.Attempts > 0 && (failures >= l.Attempts || outcome.After > longestPatience) {
		l.Log.Warn("upload gives up", "attempts", failures, "reason", outcome.Reason)
		return ErrUnsent
	}
	bound := min(lastBackoff, firstBackoff<<min(failures-1, 20))
	wait := max(outcome.After, time.Duration(l.Rand.Int64N(int64(bound))))
	l.Log.Warn("upload fails", "reason", outcome.Reason, "again_in", wait.Round(time.Second))
	return l.Wait(ctx, wait)
}
