package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/catalog/importer"
	"github.com/tierwise/tierwise/catalog/mirror"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/ingest"
)

// The kinds of stores, and where they are unless the command line says otherwise.
const (
	boltStore    = "bolt"
	dynamoStore  = "dynamo"
	dataFolder   = ".tierwise"
	dataFile     = "catalog.db"
	defaultTable = "tierwise"
)

// store is what the commands do with a store.
type store interface {
	mirror.Source
	endpoint.Kept
	endpoint.Refusals
	importer.Store
	ingest.Store
	PutCode(ctx context.Context, c catalog.EnrolmentCode) error
	Reports(ctx context.Context, day catalog.Date) iter.Seq2[catalog.Report, error]
	PutCoefficients(ctx context.Context, all []catalog.Coefficient) error
	Rollback(ctx context.Context, base, to catalog.Version) (catalog.Publication, error)
	Publications(ctx context.Context) ([]catalog.Publication, error)
	PutKey(ctx context.Context, k catalog.APIKey) error
	Keys(ctx context.Context, tenant catalog.TenantID) ([]catalog.APIKey, error)
	RevokeKey(ctx context.Context, tenant catalog.TenantID, id catalog.KeyID, at time.Time) error
	Tenants(ctx context.Context) ([]catalog.TenantID, error)
}

// storage says which store a command works on.
type storage struct {
	kind, data, endpoint, table string
	createTable, json           bool
}

// storageFlags are the flags that every command on a store takes.
func storageFlags(name string) (*flag.FlagSet, *storage) {
	flags, where := flag.NewFlagSet(name, flag.ContinueOnError), new(storage)
	flags.SetOutput(io.Discard)
	flags.StringVar(&where.kind, "store", boltStore, "")
	flags.StringVar(&where.data, "data", dataFolder, "")
	flags.StringVar(&where.endpoint, "endpoint", "", "")
	flags.StringVar(&where.table, "table", defaultTable, "")
	flags.BoolVar(&where.createTable, "create-table", false, "")
	flags.BoolVar(&where.json, "json", false, "")
	return flags, where
}

// wordsOf reads the flags before and after the words of a command, and returns the
// words.
func wordsOf(flags *flag.FlagSet, args []string) ([]string, error) {
	var words []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, usageError{flags.Name() + ": " + err.Error()}
		}
		if args = flags.Args(); len(args) == 0 {
			return words, nil
		}
		words, args = append(words, args[0]), args[1:]
	}
}

// parsed is wordsOf a command that takes the words that names say.
func parsed(flags *flag.FlagSet, args []string, names ...string) ([]string, error) {
	words, err := wordsOf(flags, args)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0 && len(words) > 0:
		return nil, usageError{fmt.Sprintf("%s takes no arguments, got %q", flags.Name(), words)}
	case len(words) != len(names):
		return nil, usageError{fmt.Sprintf("%s: want %s, got %q", flags.Name(), strings.Join(names, " "), words)}
	}
	return words, nil
}

// open is the store that the flags name.
func (p *program) open(ctx context.Context, where storage) (store, error) {
	switch where.kind {
	case boltStore:
		return bolt.New(filepath.Join(where.data, dataFile), p.now, bolt.Options{}), nil
	case dynamoStore:
		c := dynamo.ConnectionFrom(p.getenv)
		if where.endpoint != "" {
			c.Endpoint = where.endpoint
		}
		if c.Region == "" {
			return nil, usageError{"set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for --store dynamo"}
		}
		s := dynamo.New(dynamo.Config{Client: c.Client(), Table: where.table, Now: p.now, Random: p.random})
		if where.createTable {
			return s, s.CreateTable(ctx)
		}
		return s, nil
	default:
		return nil, usageError{fmt.Sprintf("unknown store %q: want %s or %s", where.kind, boltStore, dynamoStore)}
	}
}

// follow is the current catalogue of a store; the embedded one while the store has
// none or can't be reached.
func (p *program) follow(ctx context.Context, where storage) (*mirror.Mirror, error) {
	s, err := p.open(ctx, where)
	if err != nil {
		return nil, err
	}
	return p.following(s), nil
}

// following is the current catalogue of a store that is open.
func (p *program) following(s store) *mirror.Mirror {
	return mirror.New(mirror.Config{Source: s, Now: p.now, Baseline: p.load, Runs: s.FeedRuns})
}

// current is the current catalogue of the store in the default folder, or the
// embedded one.
func (p *program) current(ctx context.Context) (*catalog.Snapshot, error) {
	from, err := p.follow(ctx, storage{kind: boltStore, data: dataFolder})
	if err != nil {
		return nil, err
	}
	view, err := from.Latest(ctx)
	if err != nil {
		return nil, fmt.Errorf("load catalogue: %w", err)
	}
	if view.Stale {
		fmt.Fprintf(p.stderr, "tierwise: the store can't be read, so the embedded catalogue is used: %s\n", view.Reason)
	}
	return view.Snapshot, nil
}
