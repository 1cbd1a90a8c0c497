package bolt_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/catalogtest"
)

// open is a store in a file of a folder.
func open(dir string) *bolt.Store {
	return bolt.New(filepath.Join(dir, "sub", "catalog.db"), time.Now, bolt.Options{Keep: catalogtest.Keep, Timeout: 5 * time.Second})
}

func TestConformanceConcurrent(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalogtest.Store { return open(t.TempDir()) })
}
