package bolt

import (
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// PutKey keeps a new API key. It fails with catalog.ErrConflict if another key of
// the tenant has its id.
func (s *Store) PutKey(_ context.Context, k catalog.APIKey) error {
	where := key(string(k.Tenant), string(k.ID))
	err := s.update(func(tx *bolt.Tx) error {
		return errors.Join(
			insert(tx, keys, where, record.FromAPIKey(k)),
			put(tx, tenants, key(k.Tenant), tenant{string(k.Tenant)}))
	})
	if err != nil {
		return fmt.Errorf("put key %s of tenant %s: %w", k.ID, k.Tenant, err)
	}
	return nil
}

// tenant is an entry of the list of tenants.
type tenant struct {
	ID string `json:"id"`
}

// Parse is the tenant.
func (t tenant) Parse() (catalog.TenantID, error) { return catalog.ParseTenantID(t.ID) }

// Tenants are all tenants that ever had a key, ordered.
func (s *Store) Tenants(context.Context) ([]catalog.TenantID, error) {
	return list[tenant](s, tenants, nil)
}

// Key finds a key.
func (s *Store) Key(_ context.Context, owner catalog.TenantID, id catalog.KeyID) (catalog.APIKey, error) {
	return item[record.APIKey](s, keys, key(string(owner), string(id)))
}

// Keys are a tenant's keys, revoked ones too, by id.
func (s *Store) Keys(_ context.Context, owner catalog.TenantID) ([]catalog.APIKey, error) {
	return list[record.APIKey](s, keys, prefix(owner))
}

// RevokeKey ends a key. An earlier revocation stands.
func (s *Store) RevokeKey(_ context.Context, owner catalog.TenantID, id catalog.KeyID, at time.Time) error {
	where := key(string(owner), string(id))
	err := s.update(func(tx *bolt.Tx) error {
		var k record.APIKey
		if err := get(tx, keys, where, &k); err != nil || k.RevokedAt != "" {
			return err
		}
		k.RevokedAt = record.Instant(at)
		return put(tx, keys, where, k)
	})
	if err != nil {
		return fmt.Errorf("revoke key %s of tenant %s: %w", id, owner, err)
	}
	return nil
}

// PutOverrides replaces a tenant's own prices if those that are kept have the same
// revision, and counts it up. Otherwise it fails with catalog.ErrConflict.
func (s *Store) PutOverrides(_ context.Context, x catalog.Overrides) (catalog.Overrides, error) {
	err := s.update(func(tx *bolt.Tx) error {
		var was record.Overrides
		if err := get(tx, overrides, key(x.Tenant), &was); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		if was.Revision != x.Revision {
			return fmt.Errorf("revision %d is kept: %w", was.Revision, catalog.ErrConflict)
		}
		x.Revision++
		return put(tx, overrides, key(x.Tenant), record.FromOverrides(x))
	})
	if err != nil {
		return catalog.Overrides{}, fmt.Errorf("put overrides of tenant %s, revision %d: %w", x.Tenant, x.Revision, err)
	}
	return x, nil
}

// Overrides are a tenant's own prices; none, of revision 0, if nobody has set any.
func (s *Store) Overrides(_ context.Context, owner catalog.TenantID) (catalog.Overrides, error) {
	x, err := item[record.Overrides](s, overrides, key(owner))
	if errors.Is(err, catalog.ErrNotFound) {
		return catalog.Overrides{Tenant: owner}, nil
	}
	return x, err
}
