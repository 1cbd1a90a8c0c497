// Package apikey issues API keys and tells whose key a request carries.
//
// A key is "tw_<tenant>_<id>_<secret>": the id finds it, the secret has 256 random
// bits and is shown once. A store keeps its SHA-256 only. A request carries it as
//
//	Authorization: Bearer tw_acme_4f6k2m7q_...
//
// What needs one: what belongs to a tenant, such as its portfolios, and to have a box
// forgotten that does not ask for it itself. The catalogue, plans, estimates, forecasts
// and pages answer anyone. Boxes sign what they send with their own keys; the codes that
// let them in are given out by whoever operates the service.
package apikey

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// scheme begins every key.
const scheme = "tw"

// How many random bytes an id and a secret have.
const idBytes, secretBytes = 5, 32

// ErrNone says that a request carries no key that is good: none at all, one of
// another form, unknown, revoked or wrong. Which of these is not told.
var ErrNone = errors.New("no valid API key")

// Issue makes a key for a tenant. The text is for its owner and is never seen
// again; what is returned beside it is to be stored.
func Issue(random io.Reader, tenant catalog.TenantID, label string, now time.Time) (text string, key catalog.APIKey, err error) {
	if _, err := catalog.ParseTenantID(string(tenant)); err != nil {
		return "", catalog.APIKey{}, fmt.Errorf("issue key: %w", err)
	}
	b := make([]byte, idBytes+secretBytes)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", catalog.APIKey{}, fmt.Errorf("issue key: %w", err)
	}
	id, secret := hex.EncodeToString(b[:idBytes]), hex.EncodeToString(b[idBytes:])
	return strings.Join([]string{scheme, string(tenant), id, secret}, "_"), catalog.APIKey{
		ID: catalog.KeyID(id), Tenant: tenant, Label: label, Hash: sha256.Sum256([]byte(secret)), CreatedAt: now.UTC(),
	}, nil
}

// Store is where keys are looked up.
type Store interface {
	// Key fails with catalog.ErrNotFound if the tenant has no such key.
	Key(ctx context.Context, tenant catalog.TenantID, id catalog.KeyID) (catalog.APIKey, error)
}

// Tenant is the owner of the key that an Authorization header carries. It fails
// with ErrNone if that is no good key, and with the store's error if it can't be
// looked up. The time it takes does not depend on how much of a secret is right.
func Tenant(ctx context.Context, in Store, authorization string) (catalog.TenantID, error) {
	kind, text, _ := strings.Cut(authorization, " ")
	parts := strings.Split(strings.TrimSpace(text), "_")
	if !strings.EqualFold(kind, "Bearer") || len(parts) != 4 || parts[0] != scheme || len(parts[3]) != hex.EncodedLen(secretBytes) {
		return "", ErrNone
	}
	tenant, err := catalog.ParseTenantID(parts[1])
	if err != nil || len(parts[2]) != hex.EncodedLen(idBytes) {
		return "", ErrNone
	}
	hash := sha256.Sum256([]byte(parts[3]))
	key, err := in.Key(ctx, tenant, catalog.KeyID(parts[2]))
	if err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return "", fmt.Errorf("look up key of tenant %s: %w", tenant, err)
	}
	same := subtle.ConstantTimeCompare(hash[:], key.Hash[:]) == 1 // of an unknown key the hash is zero
	if err != nil || !same || !key.RevokedAt.IsZero() {
		return "", ErrNone
	}
	return tenant, nil
}
