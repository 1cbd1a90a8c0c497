package main

import (
	"context"
	"errors"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
)

// uploads sends reports while a run goes on.
type uploads struct {
	w           *watcher
	loop        *upload.Loop // nil if nothing is to be sent
	release     func()
	fingerprint chan string // of the box, once the driver has told it
	woken       chan struct{}
	ended       chan error
	stop        context.CancelFunc
}

// startUploads begins to send, if the box is enrolled and allowed to.
func (w *watcher) startUploads(ctx context.Context) *uploads {
	u := &uploads{w: w, fingerprint: make(chan string, 1), woken: make(chan struct{}, 1), ended: make(chan error, 1)}
	if w.f.offline {
		return u
	}
	loop, release, err := w.p.newLoop(w.box, w.log)
	if err != nil {
		w.log.Info("reports stay here", "reason", err)
		return u
	}
	u.loop, u.release = loop, release
	ctx, u.stop = context.WithCancel(ctx)
	go func() { u.ended <- u.run(ctx) }()
	return u
}

// identify says which GPUs the box has.
func (u *uploads) identify(inventory *sampler.Inventory) {
	u.fingerprint <- u.w.p.fingerprint(inventory)
}

// wake says that there is something to send.
func (u *uploads) wake() {
	select {
	case u.woken <- struct{}{}:
	default:
	}
}

// run sends until the context ends. It begins when the GPUs are known, so that a disk
// that was cloned does not speak for the box that it was copied from. A daemon's first
// attempt comes at a random time: boxes that start together don't send together.
func (u *uploads) run(ctx context.Context) error {
	select {
	case fingerprint := <-u.fingerprint:
		if _, err := u.w.box.identity.Check(fingerprint); err != nil {
			u.w.log.Error("nothing is sent", "reason", err)
			return err
		}
	case <-ctx.Done():
		return nil
	}
	if u.w.daemon() && u.loop.Wait(ctx, time.Duration(u.loop.Rand.Int64N(int64(upload.FirstWait)))) != nil {
		return nil
	}
	for {
		_, err := u.loop.Drain(ctx)
		if errors.Is(err, upload.ErrRevoked) {
			u.w.log.Error("nothing more is sent", "reason", err)
			return err
		}
		if err != nil && ctx.Err() == nil {
			u.w.log.Warn("sending goes on with the next report", "reason", err)
		}
		select {
		case <-u.woken:
		case <-ctx.Done():
			return nil
		}
	}
}

// lastAttempts is how often each report is tried when a run has ended.
const lastAttempts = 3

// finish ends the sending. A run that has ended by itself first tries what is left.
func (u *uploads) finish(ctx context.Context) error {
	if u.loop == nil {
		return nil
	}
	defer u.release()
	u.stop()
	if err := <-u.ended; err != nil || ctx.Err() != nil || u.w.daemon() {
		return err
	}
	u.loop.Attempts = lastAttempts
	_, err := u.loop.Drain(ctx)
	return err
}
