package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The key of pictures is made once, kept for its owner alone, and read from then on; the
// environment's comes first, and one that is too short is refused.
func TestChartKey(t *testing.T) {
	p, _, _ := newProgram("")
	p.getenv = func(string) string { return "" }
	folder := filepath.Join(t.TempDir(), "data")
	p.random = bytes.NewReader(bytes.Repeat([]byte{7}, chartSecretBytes))
	first, err := p.charts(folder)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, chartKeyFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key lies open: %v, %v", info, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%d files were left (%v)", len(left), err)
	}
	if again, err := p.charts(folder); err != nil || again != first { // nothing random is left
		t.Errorf("another key the second time (%v)", err)
	}
	p.getenv = environment("PORT", "")
	if other, err := p.charts(folder); err != nil || other == first {
		t.Errorf("the environment's key is not taken (%v)", err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.getenv = func(string) string { return "" }
	if _, err := p.charts(folder); err == nil || !strings.Contains(err.Error(), "32 bytes") {
		t.Errorf("a short key is taken: %v", err)
	}
}
