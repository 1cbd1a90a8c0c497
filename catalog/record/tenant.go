package record

import (
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// APIKey is a key without its secret.
type APIKey struct {
	ID        string `json:"id"`
	Tenant    string `json:"tenant"`
	Label     string `json:"label,omitempty"`
	Hash      []byte `json:"hash"`
	CreatedAt string `json:"created_at"`
	RevokedAt string `json:"revoked_at,omitempty"`
}

// FromAPIKey is the stored form of a key.
func FromAPIKey(k catalog.APIKey) APIKey {
	return APIKey{
		ID: string(k.ID), Tenant: string(k.Tenant), Label: k.Label, Hash: k.Hash[:],
		CreatedAt: Instant(k.CreatedAt), RevokedAt: Instant(k.RevokedAt),
	}
}

// Parse is the key.
func (k APIKey) Parse() (catalog.APIKey, error) {
	created, err := parseInstant(k.CreatedAt)
	revoked, errRevoked := parseInstant(k.RevokedAt)
	out := catalog.APIKey{
		ID: catalog.KeyID(k.ID), Tenant: catalog.TenantID(k.Tenant), Label: k.Label, CreatedAt: created, RevokedAt: revoked,
	}
	if copy(out.Hash[:], k.Hash) != len(out.Hash) || len(k.Hash) != len(out.Hash) {
		err = errors.Join(err, fmt.Errorf("a hash has %d bytes: %w", len(k.Hash), catalog.ErrCorrupt))
	}
	if err := errors.Join(err, errRevoked); err != nil {
		return catalog.APIKey{}, fmt.Errorf("key %s of tenant %s: %w", k.ID, k.Tenant, err)
	}
	return out, nil
}

// Overrides are a tenant's own prices.
type Overrides struct {
	Tenant   string     `json:"tenant"`
	Revision int64      `json:"revision"`
	Rules    []Override `json:"rules,omitempty"`
}

// Override is one of them.
type Override struct {
	Provider    string `json:"provider"`
	Region      string `json:"region,omitempty"`
	SKU         string `json:"sku,omitempty"`
	GPU         string `json:"gpu,omitempty"`
	Market      string `json:"market,omitempty"`
	DiscountPct string `json:"discount_pct,omitempty"`
	Price       Price  `json:"price"`
	Note        string `json:"note,omitempty"`
}

// FromOverrides is the stored form of a tenant's own prices.
func FromOverrides(x catalog.Overrides) Overrides {
	out := Overrides{Tenant: string(x.Tenant), Revision: x.Revision}
	for _, r := range x.Rules {
		out.Rules = append(out.Rules, Override{
			Provider: string(r.Provider), Region: string(r.Region), SKU: string(r.SKU), GPU: string(r.GPU), Market: string(r.Market),
			DiscountPct: optionalText(r.DiscountPct), Price: FromPrice(r.Price), Note: r.Note,
		})
	}
	return out
}

// Parse is the tenant's own prices.
func (x Overrides) Parse() (catalog.Overrides, error) {
	out := catalog.Overrides{Tenant: catalog.TenantID(x.Tenant), Revision: x.Revision}
	for _, r := range x.Rules {
		discount, err := parseOptional(r.DiscountPct)
		price, errPrice := r.Price.Parse()
		if err := errors.Join(err, errPrice); err != nil {
			return catalog.Overrides{}, fmt.Errorf("overrides of tenant %s: %w", x.Tenant, err)
		}
		out.Rules = append(out.Rules, catalog.Override{
			Provider: catalog.ProviderID(r.Provider), Region: catalog.RegionID(r.Region), SKU: catalog.SKU(r.SKU),
			GPU: catalog.GPUID(r.GPU), Market: catalog.PurchaseModel(r.Market), DiscountPct: discount, Price: price, Note: r.Note,
		})
	}
	return out, nil
}
