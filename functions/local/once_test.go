package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/boxtest"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/functions/internal/revise"
	"github.com/tierwise/tierwise/schemas"
)

// mortal is tierwise serve as a process that is killed now and then, and started again
// on the same address and store.
type mortal struct {
	t             *testing.T
	program, data string
	address       string

	mu     sync.Mutex
	server *exec.Cmd
}

// start starts the server.
func (m *mortal) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server = exec.Command(m.program, "serve", "--data", m.data)
	_, port, _ := strings.Cut(m.address, ":")
	m.server.Env = append(os.Environ(), "PORT="+port)
	if err := m.server.Start(); err != nil {
		m.t.Error(err)
	}
}

// kill kills it, wherever it is.
func (m *mortal) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.server.Process.Kill()
	_ = m.server.Wait()
}

// haunt kills it at random and starts it again until the context ends: each time within
// a second of when it begins to listen. It returns how often.
func (m *mortal) haunt(ctx context.Context, random *mathrand.Rand) (kills int) {
	for ctx.Err() == nil {
		c, err := net.Dial("tcp", m.address)
		if err != nil {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		c.Close()
		pause(ctx, time.Duration(random.Int64N(int64(time.Second))))
		m.kill()
		kills++
		m.start()
	}
	return kills
}

// pause waits, but no longer than the context lasts.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// send sends a report until it is taken.
func (m *mortal) send(ctx context.Context, body []byte) error {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+m.address+endpoint.MeasurementsPath, bytes.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/jose")
		request.Header.Set("Content-Encoding", "gzip")
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			text, errRead := io.ReadAll(response.Body)
			response.Body.Close()
			switch {
			case response.StatusCode == http.StatusOK && errRead == nil:
				return nil
			case response.StatusCode/100 == 4:
				return fmt.Errorf("status %d: %s", response.StatusCode, text)
			}
		}
		if pause(ctx, 20*time.Millisecond); ctx.Err() != nil { // it is down
			return errors.Join(ctx.Err(), err)
		}
	}
}

// sealed are reports of boxes that are enrolled in a store, as they are sent.
func sealed(t testing.TB, store *bolt.Store, n int) [][]byte {
	t.Helper()
	const boxes = 20
	snapshot, err := seed.Load()
	if err != nil {
		t.Fatal(err)
	}
	service := ingest.New(store, snapshot, time.Now, ingest.Options{})
	var all [][]byte
	for i := range boxes {
		box := boxtest.New(fmt.Sprint("box ", i))
		text, code, err := ingest.IssueCode(rand.Reader, catalog.TenantID(fmt.Sprint("tenant-", i%5)), time.Now())
		if err = errors.Join(err, store.PutCode(t.Context(), code)); err != nil {
			t.Fatal(err)
		}
		var asked schemas.Enrolment
		document := box.Enrolment(text, func(e *schemas.Enrolment) { e.Provider = "gcp" })
		if err = schemas.Decode(schemas.EnrollSchema, document, &asked); err == nil {
			_, err = service.Enroll(t.Context(), asked)
		}
		if err != nil {
			t.Fatal(err)
		}
		for range (n + boxes - 1 - i) / boxes {
			all = append(all, box.Body(box.Report(boxtest.Watch{Until: time.Now(), Ratio: 0.9})))
		}
	}
	return all
}

// freeAddress is an address of this machine where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// Reports that are sent once to five times each, in any order, to a server that is
// killed at random are all kept once and counted once. ONCE_REPORTS is how many.
func TestReportsCountOnce(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("ONCE_REPORTS"))
	if n == 0 {
		n = 500
	}
	m := &mortal{t: t, data: t.TempDir(), program: filepath.Join(t.TempDir(), "tierwise"), address: freeAddress(t)}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", m.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	store := bolt.New(filepath.Join(m.data, dataFile), time.Now, bolt.Options{})
	reports := sealed(t, store, n)
	random := mathrand.New(mathrand.NewPCG(10, uint64(n)))
	var turns []int
	for i := range reports {
		for range 1 + random.IntN(5) {
			turns = append(turns, i)
		}
	}
	random.Shuffle(len(turns), func(a, b int) { turns[a], turns[b] = turns[b], turns[a] })

	m.start()
	defer m.kill()
	ctx, done := context.WithCancel(t.Context())
	kills := make(chan int, 1)
	go func() { kills <- m.haunt(ctx, mathrand.New(mathrand.NewPCG(1, 2))) }()
	began := time.Now()
	m.sendAll(ctx, reports, turns)
	took := time.Since(began)
	done()
	killed := <-kills
	m.kill()

	result, err := revise.Run(t.Context(), revise.Config{Store: store, Baseline: seed.Load, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	refused, err := store.Refusals(t.Context())
	if err != nil || result.Reports != len(reports) || result.Counted != len(reports) || len(refused) > 0 {
		t.Errorf("of %d reports %d are kept and %d count, refused %v (%v): %v", len(reports), result.Reports, result.Counted, refused, err, result.Excluded)
	}
	t.Logf("%d reports, sent %d times in %s to a server that was killed %d times: %d kept, %d count", len(reports), len(turns),
		took.Round(time.Millisecond), killed, result.Reports, result.Counted)
	if killed == 0 {
		t.Error("the server was never killed")
	}
}

// sendAll sends reports by turns, some at a time.
func (m *mortal) sendAll(ctx context.Context, reports [][]byte, turns []int) {
	next := make(chan int)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for i := range next {
				if err := m.send(ctx, reports[i]); err != nil {
					m.t.Errorf("report %d: %v", i, err)
				}
			}
		})
	}
	for _, i := range turns {
		next <- i
	}
	close(next)
	senders.Wait()
}
