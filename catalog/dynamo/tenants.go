package dynamo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/record"
)

// tenant is an entry of the list of tenants.
type tenant struct {
	ID string `json:"id"`
}

// Parse is the tenant.
func (t tenant) Parse() (catalog.TenantID, error) { return catalog.ParseTenantID(t.ID) }

// PutKey keeps a new API key. It fails with catalog.ErrConflict if another key of
// the tenant has its id.
func (s *Store) PutKey(ctx context.Context, k catalog.APIKey) error {
	r, at := record.FromAPIKey(k), apiKeyKey(k.Tenant, k.ID)
	first, err := s.putIn(at, r, absent())
	owner, errOwner := s.putIn(tenantKey(k.Tenant), tenant{string(k.Tenant)}, rule{})
	if err = errors.Join(err, errOwner); err == nil {
		err = s.transact(ctx, first, owner)
	}
	if err == nil {
		return nil
	}
	var was record.APIKey
	if errRead := s.get(ctx, at, &was); errRead != nil {
		return fmt.Errorf("put key %s of tenant %s: %w", k.ID, k.Tenant, errors.Join(err, errRead))
	}
	if err := settled(err, reflect.DeepEqual(was, r)); err != nil {
		return fmt.Errorf("put key %s of tenant %s: %w", k.ID, k.Tenant, err)
	}
	return nil
}

// Tenants are all tenants that ever had a key, ordered.
func (s *Store) Tenants(ctx context.Context) ([]catalog.TenantID, error) {
	return list[tenant](ctx, s, span{pk: tenantsPartition})
}

// Key finds a key.
func (s *Store) Key(ctx context.Context, owner catalog.TenantID, id catalog.KeyID) (catalog.APIKey, error) {
	return item[record.APIKey](ctx, s, apiKeyKey(owner, id))
}

// Keys are a tenant's keys, revoked ones too, by id.
func (s *Store) Keys(ctx context.Context, owner catalog.TenantID) ([]catalog.APIKey, error) {
	return list[record.APIKey](ctx, s, span{pk: tenantPartition(owner), prefix: keyPrefix})
}

// RevokeKey ends a key. An earlier revocation stands.
func (s *Store) RevokeKey(ctx context.Context, owner catalog.TenantID, id catalog.KeyID, at time.Time) error {
	err := s.setOnce(ctx, apiKeyKey(owner, id), revokedAt, record.Instant(at))
	if errors.Is(err, errCondition) { // revoked already, unless there is no such key
		err = s.get(ctx, apiKeyKey(owner, id), new(record.APIKey))
	}
	if err != nil {
		return fmt.Errorf("revoke key %s of tenant %s: %w", id, owner, err)
	}
	return nil
}

// ownPrices are a tenant's own prices as an item.
type ownPrices struct {
	record.Overrides
	Nonce string `json:"nonce"` // of the call that stored them
}

// PutOverrides replaces a tenant's own prices if those that are kept have the same
// revision, and counts it up. Otherwise it fails with catalog.ErrConflict.
func (s *Store) PutOverrides(ctx context.Context, x catalog.Overrides) (catalog.Overrides, error) {
	on := absent()
	if x.Revision > 0 {
		on = rule{"#name = :value", "revision", &types.AttributeValueMemberN{Value: strconv.FormatInt(x.Revision, 10)}}
	}
	x.Revision++
	nonce, err := s.nonce()
	if err != nil {
		return catalog.Overrides{}, err
	}
	at := overridesKey(x.Tenant)
	err = s.put(ctx, at, ownPrices{record.FromOverrides(x), nonce}, on)
	if err == nil {
		return x, nil
	}
	var now ownPrices
	if errRead := s.get(ctx, at, &now); errRead != nil && !errors.Is(errRead, catalog.ErrNotFound) {
		err = errors.Join(err, errRead)
	}
	if err := settled(err, now.Nonce == nonce); err != nil {
		return catalog.Overrides{}, fmt.Errorf("put overrides of tenant %s, revision %d: %w", x.Tenant, x.Revision-1, err)
	}
	return x, nil
}

// Overrides are a tenant's own prices; none, of revision 0, if nobody has set any.
func (s *Store) Overrides(ctx context.Context, owner catalog.TenantID) (catalog.Overrides, error) {
	x, err := item[record.Overrides](ctx, s, overridesKey(owner))
	if errors.Is(err, catalog.ErrNotFound) {
		return catalog.Overrides{Tenant: owner}, nil
	}
	return x, err
}
