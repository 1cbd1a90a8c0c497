package identity

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func TestGPUIsStableAndSaysNothing(t *testing.T) {
	const uuid = "GPU-0c0ffee0-0000-4000-8000-000000000001"
	// This very value is what other boxes and the server know the GPU by.
	if got, want := GPU(uuid), "aea1175f9649fdf6297d1b5ff10a029e"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if GPU(uuid) != GPU(strings.ToUpper(uuid)) {
		t.Error("the case of a UUID matters")
	}
	if strings.Contains(GPU(uuid), "0c0ffee0") {
		t.Error("the hash holds the UUID")
	}
}

func TestKeyIsKeptPrivate(t *testing.T) {
	store := NewStore(t.TempDir())
	if _, err := store.Key(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that is not there: %v", err)
	}
	key, err := store.NewKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	// Until the server has it, the same key is used again: an enrolment can be repeated.
	if again, err := store.NewKey(rand.Reader); err != nil || !again.Equal(key) {
		t.Errorf("another key the second time (%v)", err)
	}
	if err := store.KeepKey(); err != nil {
		t.Fatal(err)
	}
	if kept, err := store.Key(); err != nil || !kept.Equal(key) {
		t.Errorf("another key is kept (%v)", err)
	}
	if info, err := os.Stat(store.keyPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestClonedImageNeedsANewEnrolment(t *testing.T) {
	store := NewStore(t.TempDir())
	if _, err := store.Check("here"); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("without enrolment: %v", err)
	}
	if err := store.Keep(&Enrolment{KeyID: "k", Fingerprint: Fingerprint("machine", "GPU-1")}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		fingerprint string
		want        error
	}{
		{Fingerprint("machine", "GPU-1"), nil},
		{Fingerprint("machine", "GPU-2"), ErrCloned},
		{Fingerprint("clone", "GPU-1"), ErrCloned},
		{"", nil}, // no GPU can be seen now
	} {
		if _, err := store.Check(test.fingerprint); !errors.Is(err, test.want) {
			t.Errorf("fingerprint %q: %v, want %v", test.fingerprint, err, test.want)
		}
	}
	if err := store.Forget(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Check(""); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("after forgetting: %v", err)
	}
}
