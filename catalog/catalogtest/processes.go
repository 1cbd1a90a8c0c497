package catalogtest

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Publisher is what another process does in Processes: it publishes Count versions
// that begin with Name, each on whatever is current, and writes a line after each.
type Publisher struct {
	Store Store
	Name  string
	Count int
	Said  io.Writer
}

// Run publishes.
func (p Publisher) Run(ctx context.Context) error {
	for i := range p.Count {
		next, err := newSnapshot(catalog.Version(fmt.Sprintf("%s%d", p.Name, i)), i+1)
		if err != nil {
			return err
		}
		if _, err := rebase(ctx, p.Store, next); err != nil {
			return err
		}
		fmt.Fprintln(p.Said, next.Version())
	}
	return nil
}

// Processes says how to test a store with several processes.
type Processes struct {
	// Kills is how many publishers are killed.
	Kills int
	// Command starts the test's own program, which then runs a Publisher.
	Command func(t *testing.T, name string, n int) *exec.Cmd
}

// Run lets two processes publish at once, then kills some at any moment. s is a
// store on the medium that the processes use.
func (p Processes) Run(t *testing.T, s Store) {
	t.Run("AtOnce", func(t *testing.T) { p.atOnce(t, s) })
	t.Run("Killed", func(t *testing.T) { p.killed(t, s) })
}

// atOnce runs two publishers: nobody's version is lost, none is published twice.
func (p Processes) atOnce(t *testing.T, s Store) {
	const each = 5
	var group sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		command := p.Command(t, name, each)
		group.Go(func() {
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("publisher %s: %v\n%s", name, err, out)
			}
		})
	}
	group.Wait()
	current, err := s.Current(t.Context())
	must(t, err)
	if current.Sequence != 2*each {
		t.Errorf("%d versions were published, want %d", current.Sequence, 2*each)
	}
	checkAll(t, s)
}

// checkAll loads every version that is kept.
func checkAll(t *testing.T, s Store) {
	t.Helper()
	all, err := s.Publications(t.Context())
	must(t, err)
	for i, entry := range all {
		checkWhole(t, load(t, s, entry.Version))
		if i > 0 && entry.Sequence != all[i-1].Sequence-1 {
			t.Errorf("number %d follows %d", all[i-1].Sequence, entry.Sequence)
		}
	}
}

// killed kills publishers, each a little later than the one before.
func (p Processes) killed(t *testing.T, s Store) {
	const endless, step = 1 << 30, 7 * time.Millisecond
	for i := range p.Kills {
		command := p.Command(t, fmt.Sprintf("k%d-", i), endless)
		said, err := command.StdoutPipe()
		must(t, err)
		must(t, command.Start())
		if _, err := said.Read(make([]byte, 1)); err != nil { // it has begun
			t.Errorf("publisher %d said nothing: %v", i, err)
		}
		time.Sleep(time.Duration(i) * step)
		must(t, command.Process.Kill())
		_ = command.Wait() // says that it was killed
		checkAll(t, s)
		base, err := s.Current(t.Context())
		must(t, err)
		publish(t, s, base.Version, Snapshot(t, catalog.Version(fmt.Sprintf("after-%d", i)), 1))
	}
}
