// Package supply opens the catalogue that a Lambda function answers from, as its
// environment says: the table that TABLE names, or the embedded baseline alone.
package supply

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/catalog/seed"
)

// TableVariable names the variable that names the table.
const TableVariable = "TABLE"

// Environment is what a function has of the world.
type Environment struct {
	Getenv func(string) string
	Now    func() time.Time
	Random io.Reader
}

// Store is the store in the table. It fails if TABLE is not set.
func Store(e Environment) (*dynamo.Store, error) {
	table := e.Getenv(TableVariable)
	if table == "" {
		return nil, errors.New("open store: want the name of a table in " + TableVariable)
	}
	return dynamo.New(dynamo.Config{
		Client: dynamo.ConnectionFrom(e.Getenv).Client(), Table: table, Now: e.Now, Random: e.Random,
	}), nil
}

// Mirror follows the table, and serves the baseline while nothing was ever read
// from it. Without a table it is the baseline.
func Mirror(e Environment) *mirror.Mirror {
	c := mirror.Config{Source: nothing{}, Now: e.Now, Baseline: seed.Load}
	if store, err := Store(e); err == nil {
		c.Source, c.Runs = store, store.FeedRuns
	}
	return mirror.New(c)
}

// nothing is a source in which nothing was published.
type nothing struct{}

// Current is nothing.
func (nothing) Current(context.Context) (catalog.Publication, error) {
	return catalog.Publication{}, catalog.ErrNotFound
}

// Load is nothing.
func (nothing) Load(context.Context, catalog.Version) (*catalog.Snapshot, error) {
	return nil, catalog.ErrNotFound
}

// Versions opens versions of the catalogue.
type Versions interface {
	// Load fails with catalog.ErrNotFound if the version is not kept.
	Load(ctx context.Context, v catalog.Version) (*catalog.Snapshot, error)
}

// Past opens the versions that the table keeps. Without a table there are none.
func Past(e Environment) Versions {
	if store, err := Store(e); err == nil {
		return store
	}
	return nothing{}
}
