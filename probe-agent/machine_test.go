package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// lay puts files below a root of its own.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// Case 28: how a running profiler is noticed.
func TestCase28ProfilersAreNoticed(t *testing.T) {
	for name, want := range map[string]bool{"nv-hostengine": true, "ncu": true, "python": false, "ncurses-demo": false} {
		p := program{root: lay(t, map[string]string{"proc/12/comm": "systemd\n", "proc/345/comm": name + "\n"}), now: time.Now}
		if got := p.profiling(); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if got := p.gpm()(); got == want {
			t.Errorf("%s: the counters are read: %v", name, got)
		}
	}
}

func TestHeaderTellsNoMoreThanTheDay(t *testing.T) {
	p := program{root: lay(t, map[string]string{"proc/stat": "cpu 1 2\nbtime 1800000000\n", "proc/sys/kernel/random/boot_id": "b-o-o-t\n"})}
	h := p.header("watch", "nvml")
	if h.BootDay != "2027-01-15" || len(h.BootID) != 16 || h.BootID == "b-o-o-t" {
		t.Errorf("boot %q on %q", h.BootID, h.BootDay)
	}
	empty := program{root: t.TempDir()}
	if h := empty.header("watch", "nvml"); h.BootDay != "" {
		t.Errorf("an unknown day is %q", h.BootDay)
	}
}

func TestStateDirectory(t *testing.T) {
	for _, test := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"TIERWISE_STATE": "/a", "STATE_DIRECTORY": "/b", "HOME": "/h"}, "/a"},
		{map[string]string{"STATE_DIRECTORY": "/b", "HOME": "/h"}, "/b"},
		{map[string]string{"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/tierwise-probe"},
		{map[string]string{"HOME": "/h"}, "/h/.local/state/tierwise-probe"},
	} {
		p := program{getenv: func(name string) string { return test.env[name] }}
		if got := p.defaultState(); got != test.want {
			t.Errorf("%v: %s, want %s", test.env, got, test.want)
		}
	}
}
