// Package catalogtest is what every store of catalogues promises, as one suite
// that each of them runs.
package catalogtest

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Keep is how many publications the stores under test keep.
const Keep = 4

// Store is what the suite exercises. Errors are told by errors.Is of the errors of
// package catalog; every method may be called by any number of goroutines.
type Store interface {
	// Publish makes next current if base is; "" means that nothing is. It fails with
	// ErrConflict otherwise. What is current already is not published again.
	Publish(ctx context.Context, base catalog.Version, next *catalog.Snapshot) (catalog.Publication, error)
	// Rollback publishes a version that is kept once more, under Publish's condition.
	Rollback(ctx context.Context, base, to catalog.Version) (catalog.Publication, error)
	// Current fails with ErrNotFound if nothing was published.
	Current(ctx context.Context) (catalog.Publication, error)
	// Publications are those that are kept, the newest first.
	Publications(ctx context.Context) ([]catalog.Publication, error)
	// Load fails with ErrNotFound if the version is not kept.
	Load(ctx context.Context, version catalog.Version) (*catalog.Snapshot, error)

	// AppendHistory keeps each point once, however often it is given.
	AppendHistory(ctx context.Context, points []catalog.PricePoint) error
	// History yields the oldest point first; undated ones come before all others.
	History(ctx context.Context, offer catalog.OfferID) iter.Seq2[catalog.PricePoint, error]

	// PutBox fails with ErrConflict if another box has the id; the same is no error.
	PutBox(ctx context.Context, b catalog.Box) error
	Box(ctx context.Context, id catalog.BoxID) (catalog.Box, error)
	// RevokeBox keeps the time of the first call.
	RevokeBox(ctx context.Context, id catalog.BoxID, at time.Time) error
	// DeleteBox deletes a machine: all its keys, its reports, and where its GPUs were
	// seen. To delete nothing is no error.
	DeleteBox(ctx context.Context, machine catalog.BoxID) error
	// PutCode fails with ErrConflict if another code has the id.
	PutCode(ctx context.Context, c catalog.EnrolmentCode) error
	// UseCode fails with ErrNotFound if there is no such code or it is too old, and with
	// ErrConflict if another box used it. The box that did may again.
	UseCode(ctx context.Context, id catalog.CodeID, by catalog.BoxID, at time.Time) (catalog.EnrolmentCode, error)
	// PutReport keeps the first of several of one box and id. It fails with a
	// ClaimError, and keeps nothing, if another box sent the payload or had one of the
	// GPUs at the time.
	PutReport(ctx context.Context, r catalog.Report) (stored bool, err error)
	// Reports are those received on a day in UTC, in no order, without their payloads.
	Reports(ctx context.Context, day catalog.Date) iter.Seq2[catalog.Report, error]
	Payload(ctx context.Context, machine catalog.BoxID, id catalog.ReportID) ([]byte, error)
	// CountRefusal counts one more of a reason; more than one if an answer is lost on
	// the way and the count repeated.
	CountRefusal(ctx context.Context, reason string) error
	Refusals(ctx context.Context) (map[string]int64, error)
	// PutCoefficients keeps the newest of several about the same.
	PutCoefficients(ctx context.Context, all []catalog.Coefficient) error
	Coefficients(ctx context.Context) ([]catalog.Coefficient, error)

	// PutKey fails with ErrConflict if another key of the tenant has the id.
	PutKey(ctx context.Context, k catalog.APIKey) error
	Key(ctx context.Context, tenant catalog.TenantID, id catalog.KeyID) (catalog.APIKey, error)
	Keys(ctx context.Context, tenant catalog.TenantID) ([]catalog.APIKey, error)
	// RevokeKey keeps the time of the first call.
	RevokeKey(ctx context.Context, tenant catalog.TenantID, id catalog.KeyID, at time.Time) error
	// Tenants are those that ever had a key, ordered.
	Tenants(ctx context.Context) ([]catalog.TenantID, error)
	// PutOverrides fails with ErrConflict unless the revision is the one kept, and
	// returns them with the next.
	PutOverrides(ctx context.Context, x catalog.Overrides) (catalog.Overrides, error)
	// Overrides of a tenant that has none are empty, of revision 0.
	Overrides(ctx context.Context, tenant catalog.TenantID) (catalog.Overrides, error)
	// PutPortfolio fails with ErrConflict unless the revision is the one kept, and
	// returns it with the next.
	PutPortfolio(ctx context.Context, p catalog.Portfolio) (catalog.Portfolio, error)
	Portfolio(ctx context.Context, tenant catalog.TenantID, id catalog.PortfolioID) (catalog.Portfolio, error)
	// DeletePortfolio fails with ErrConflict if another revision is kept. To delete
	// nothing is no error.
	DeletePortfolio(ctx context.Context, p catalog.Portfolio) error

	// PutFeedRun replaces the run of the same name.
	PutFeedRun(ctx context.Context, r catalog.FeedRun) error
	// FeedRuns are ordered by name.
	FeedRuns(ctx context.Context) ([]catalog.FeedRun, error)
	// PutHeld makes rows the quarantine of a feed; rows that were released stay.
	PutHeld(ctx context.Context, of catalog.FeedName, rows []catalog.Held) error
	// Held are ordered by id, released rows included.
	Held(ctx context.Context, of catalog.FeedName) ([]catalog.Held, error)
	// ReleaseHeld keeps the time of the first call; ErrNotFound if there is no such row.
	ReleaseHeld(ctx context.Context, of catalog.FeedName, id catalog.HeldID, at time.Time) error
}

// Run tests a store. newStore makes one on an empty medium that keeps Keep
// publications.
func Run(t *testing.T, newStore func(t *testing.T) Store) {
	for _, part := range []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"Empty", testEmpty},
		{"RoundTrip", testRoundTrip},
		{"CompareAndSwap", testCompareAndSwap},
		{"PublishAgain", testPublishAgain},
		{"KeepsSome", testKeepsSome},
		{"Rollback", testRollback},
		{"LargeCatalogue", testLargeCatalogue},
		{"RacingPublishers", testRacingPublishers},
		{"ReadersSeeNoMix", testReadersSeeNoMix},
		{"History", testHistory},
		{"LongHistory", testLongHistory},
		{"Boxes", testBoxes},
		{"Reports", testReports},
		{"RacingReports", testRacingReports},
		{"Keys of a machine", testMachine},
		{"Codes", testCodes},
		{"RacingCodes", testRacingCodes},
		{"Claims", testClaims},
		{"RacingClaims", testRacingClaims},
		{"Refusals", testRefusals},
		{"Coefficients", testCoefficients},
		{"Keys", testKeys},
		{"Overrides", testOverrides},
		{"RacingOverrides", testRacingOverrides},
		{"Portfolios", testPortfolios},
		{"RacingPortfolios", testRacingPortfolios},
		{"FeedRuns", testFeedRuns},
		{"Held", testHeld},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, newStore(t)) })
	}
}
