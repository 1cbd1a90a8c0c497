package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/report"
	"github.com/tierwise/tierwise/probe-agent/internal/spool"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
)

// box is the state directory.
type box struct {
	dir       string
	spool     *spool.Spool
	identity  *identity.Store
	enrolment *identity.Enrolment // nil if there is none
}

// openBox opens the state directory.
func (p *program) openBox(dir string) (*box, error) {
	s, err := spool.Open(filepath.Join(dir, "spool"))
	if err != nil {
		return nil, err
	}
	b := &box{dir: dir, spool: s, identity: identity.NewStore(dir)}
	b.enrolment, err = b.identity.Enrolment()
	if err != nil && !errors.Is(err, identity.ErrNotEnrolled) {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return b, nil
}

// describe fills in what the user has typed about the box.
func (b *box) describe(m *report.Measurement) {
	if b.enrolment != nil {
		m.Provider, m.Region, m.SKU, m.Reporter = b.enrolment.Provider, b.enrolment.Region, b.enrolment.SKU, b.enrolment.Kind
	}
}

func (b *box) offsetPath() string  { return filepath.Join(b.dir, "clock-offset") }
func (b *box) historyPath() string { return filepath.Join(b.dir, "history.jsonl") }

// offset is how many seconds the server's clock is ahead, as last heard; nil if it was
// never heard.
func (b *box) offset() *float64 {
	text, err := os.ReadFile(b.offsetPath())
	if err != nil {
		return nil
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return nil
	}
	return &seconds
}

// setOffset keeps the offset. It is a help, so failing to keep it is no failure.
func (b *box) setOffset(offset time.Duration, log *slog.Logger) {
	if last := b.offset(); last != nil && *last == offset.Seconds() {
		return
	}
	if err := spool.WriteFile(b.offsetPath(), fmt.Appendf(nil, "%g\n", offset.Seconds()), 0o600); err != nil {
		log.Warn("the clock offset can't be kept", "error", err)
	}
}

// all are the numbers of all reports that are kept, oldest first.
func (b *box) all() ([]spool.Seq, error) {
	pending, err := b.spool.Pending()
	sent, err2 := b.spool.Sent()
	rejected, err3 := b.spool.Rejected()
	all := slices.Concat(pending, sent, rejected)
	slices.Sort(all)
	return all, errors.Join(err, err2, err3)
}

// measurement is a report that is kept.
func (b *box) measurement(seq spool.Seq) (*report.Measurement, error) {
	payload, err := b.spool.Read(seq)
	if err != nil {
		return nil, err
	}
	var m report.Measurement
	if err := json.Unmarshal(payload, &m); err != nil {
		return nil, fmt.Errorf("read report %d: %w", seq, err)
	}
	return &m, nil
}

// client talks to the server that the box is enrolled with.
func (p *program) client(b *box, log *slog.Logger) (*upload.Client, error) {
	if b.enrolment == nil {
		return nil, identity.ErrNotEnrolled
	}
	key, err := b.identity.Key()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", identity.ErrNotEnrolled, err)
	}
	server, err := upload.ParseServer(b.enrolment.Server)
	if err != nil {
		return nil, err
	}
	return &upload.Client{
		HTTP: upload.NewHTTPClient(), Server: server, Key: key, Now: p.now,
		Offset: func(d time.Duration) { b.setOffset(d, log) },
	}, nil
}

// newLoop takes the right to send.
func (p *program) newLoop(b *box, log *slog.Logger) (*upload.Loop, func(), error) {
	client, err := p.client(b, log)
	if err != nil {
		return nil, nil, err
	}
	var seed [16]byte
	if _, err := p.random.Read(seed[:]); err != nil {
		return nil, nil, fmt.Errorf("seed: %w", err)
	}
	sender, err := b.spool.Sender()
	if err != nil {
		return nil, nil, err
	}
	random := rand.New(rand.NewPCG(word(seed[:8]), word(seed[8:])))
	wait := func(ctx context.Context, d time.Duration) error { return realClock{p.now}.Wait(ctx, d) }
	return &upload.Loop{Client: client, Sender: sender, Rand: random, Wait: wait, Log: log}, sender.Close, nil
}

func word(bytes []byte) uint64 {
	var w uint64
	for _, b := range bytes {
		w = w<<8 | uint64(b)
	}
	return w
}
