package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/seed"
)

// publisherVariables make the test's program a publisher: the folder, the name
// and the number of versions.
const folderVariable, nameVariable, countVariable = "TIERWISE_TEST_FOLDER", "TIERWISE_TEST_NAME", "TIERWISE_TEST_COUNT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(folderVariable); dir != "" {
		n, _ := strconv.Atoi(os.Getenv(countVariable))
		if err := (catalogtest.Publisher{Store: open(dir), Name: os.Getenv(nameVariable), Count: n, Said: os.Stdout}).Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// open is a store in a file of a folder.
func open(dir string) *bolt.Store {
	return bolt.New(filepath.Join(dir, "sub", "catalog.db"), time.Now, bolt.Options{Keep: catalogtest.Keep, Timeout: 20 * time.Second})
}

func TestConformanceConcurrent(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalogtest.Store { return open(t.TempDir()) })
}

func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	catalogtest.Processes{Kills: 12, Command: func(t *testing.T, name string, n int) *exec.Cmd {
		command := exec.CommandContext(t.Context(), os.Args[0])
		command.Env = append(os.Environ(), folderVariable+"="+dir, nameVariable+"="+name, countVariable+"="+strconv.Itoa(n))
		return command
	}}.Run(t, open(dir))
}

// filled is a file with a version and a key, and its content.
func filled(t *testing.T) (path string, content []byte) {
	t.Helper()
	dir := t.TempDir()
	s := open(dir)
	if _, err := s.Publish(t.Context(), "", catalogtest.Snapshot(t, "v1", 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.PutKey(t.Context(), catalog.APIKey{ID: "k", Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "sub", "catalog.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

func TestSurvivesRestart(t *testing.T) {
	path, _ := filled(t)
	s := open(filepath.Dir(filepath.Dir(path)))
	if p, err := s.Current(t.Context()); err != nil || p.Version != "v1" {
		t.Errorf("current is %+v, %v", p, err)
	}
	if _, err := s.Key(t.Context(), "acme", "k"); err != nil {
		t.Error(err)
	}
}

// use reads and writes, and fails with the first error.
func use(t *testing.T, path string) error {
	t.Helper()
	s := bolt.New(path, time.Now, bolt.Options{Timeout: time.Second})
	ctx := t.Context()
	p, err := s.Current(ctx)
	if err == nil {
		_, err = s.Load(ctx, p.Version)
	}
	if err == nil {
		_, err = s.Key(ctx, "acme", "k")
	}
	if err == nil {
		err = s.PutKey(ctx, catalog.APIKey{ID: "k2", Tenant: "acme"})
	}
	return err
}

func TestDamagedFileIsReportedAndLeft(t *testing.T) {
	path, whole := filled(t)
	damage := func(change func(b []byte) []byte) []byte { return change(append([]byte(nil), whole...)) }
	for name, content := range map[string][]byte{
		"cut in half":      damage(func(b []byte) []byte { return b[:len(b)/2] }),
		"cut to two pages": damage(func(b []byte) []byte { return b[:2*4096] }),
		"of another kind":  []byte("provider,region,sku\n"),
		"a page of zeros": damage(func(b []byte) []byte {
			clear(b[2*4096 : len(b)-4096])
			return b
		}),
		"both headers wrong": damage(func(b []byte) []byte {
			b[30]++
			b[4096+30]++
			return b
		}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := use(t, path); !errors.Is(err, catalog.ErrCorrupt) {
				t.Errorf("got %v, want %v", err, catalog.ErrCorrupt)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(content) {
				t.Errorf("the file was changed (%d bytes of %d, %v)", len(after), len(content), err)
			}
		})
	}
}

// TestFlippedBits: whatever bit is wrong, the file is reported, or what is read is
// right; it never ends the program.
func TestFlippedBits(t *testing.T) {
	path, whole := filled(t)
	random := rand.New(rand.NewPCG(1, 2))
	reported := 0
	for range 150 {
		content := append([]byte(nil), whole...)
		content[random.IntN(len(content))] ^= 1 << random.IntN(8)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		err := use(t, path)
		if errors.Is(err, catalog.ErrCorrupt) {
			reported++
		} else if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("got %v, want nil or %v", err, catalog.ErrCorrupt)
		}
	}
	if reported == 0 {
		t.Error("no flipped bit was ever reported")
	}
}

func TestLockedFileSaysWho(t *testing.T) {
	path, _ := filled(t)
	hold := bolt.New(path, time.Now, bolt.Options{})
	for range hold.History(t.Context(), "o") { // opens and closes the file
	}
	if err := use(t, path); err != nil {
		t.Errorf("the file stays locked between operations: %v", err)
	}
}

func TestReadingCreatesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "catalog.db")
	s := bolt.New(path, time.Now, bolt.Options{})
	if _, err := s.Current(t.Context()); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("got %v, want %v", err, catalog.ErrNotFound)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made a folder: %v", err)
	}
}

// BenchmarkLoad is what a start pays for 30,000 offers in a file.
func BenchmarkLoad(b *testing.B) {
	baseline, err := seed.Load()
	if err != nil {
		b.Fatal(err)
	}
	snapshot, err := catalog.NewSnapshot(catalogtest.Grown(baseline, 30_000))
	if err != nil {
		b.Fatal(err)
	}
	s := open(b.TempDir())
	p, err := s.Publish(b.Context(), "", snapshot)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Load(b.Context(), p.Version); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(p.Bytes), "stored-B")
}
