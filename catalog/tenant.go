package catalog

import (
	"fmt"
	"time"
)

// TenantID names the owner of keys, boxes and prices of their own.
type TenantID string

// ParseTenantID reads 1 to 40 lower-case letters, digits and inner hyphens.
func ParseTenantID(text string) (TenantID, error) {
	for i := range len(text) {
		c := text[i]
		inner := i > 0 && i < len(text)-1
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' && inner) {
			return "", fmt.Errorf("parse tenant %q: want lower-case letters, digits and inner hyphens", text)
		}
	}
	if len(text) == 0 || len(text) > 40 {
		return "", fmt.Errorf("parse tenant %q: want 1 to 40 characters", text)
	}
	return TenantID(text), nil
}

// KeyID is the public part of an API key, by which it is found.
type KeyID string

// APIKey is what is kept of a key: never the secret, only its SHA-256. The secret
// has 256 random bits, so the hash needs no salt and no stretching.
type APIKey struct {
	ID        KeyID
	Tenant    TenantID
	Label     string // for people
	Hash      [32]byte
	CreatedAt time.Time
	RevokedAt time.Time // zero while the key is good
}
