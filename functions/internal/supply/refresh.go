package supply

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
)

// Publisher is the store as a refresh needs it.
type Publisher interface {
	// Current fails with catalog.ErrNotFound if nothing was published.
	Current(ctx context.Context) (catalog.Publication, error)
	// Publish fails with catalog.ErrConflict if base is not current.
	Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error)
}

// Refreshed is what a refresh did.
type Refreshed struct {
	Version   catalog.Version `json:"version"` // current now
	Published bool            `json:"published"`
	Offers    int             `json:"offers"`
}

// seedPrefix begins the version of every baseline.
const seedPrefix = "seed-"

// Refresh publishes the embedded baseline if nothing, or another baseline, is
// current; what came from feeds is never replaced by it. To run it again changes
// nothing.
func Refresh(ctx context.Context, to Publisher) (Refreshed, error) {
	current, err := to.Current(ctx)
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return Refreshed{}, fmt.Errorf("refresh: %w", err)
	}
	if err == nil && !strings.HasPrefix(string(current.Version), seedPrefix) {
		return Refreshed{Version: current.Version, Offers: current.Offers}, nil
	}
	next, err := seed.Load()
	if err != nil {
		return Refreshed{}, fmt.Errorf("refresh: %w", err)
	}
	p, err := to.Publish(ctx, current.Version, next)
	if err != nil {
		return Refreshed{}, fmt.Errorf("refresh: %w", err)
	}
	return Refreshed{Version: p.Version, Published: p.Sequence != current.Sequence, Offers: p.Offers}, nil
}
