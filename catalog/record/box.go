package record

import (
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Box is an enrolled machine, under one of its keys.
type Box struct {
	ID         string `json:"id"`
	Machine    string `json:"machine,omitempty"` // "" if it is the id
	Tenant     string `json:"tenant"`
	PublicKey  []byte `json:"public_key"`
	Typed      Typed  `json:"typed,omitzero"`
	Host       bool   `json:"host,omitempty"`
	Hardware   string `json:"hardware,omitempty"`
	EnrolledAt string `json:"enrolled_at"`
	RevokedAt  string `json:"revoked_at,omitempty"`
}

// Typed is what a person typed about a box.
type Typed struct {
	Provider string `json:"provider,omitempty"`
	Region   string `json:"region,omitempty"`
	SKU      string `json:"sku,omitempty"`
}

// FromBox is the stored form of a box.
func FromBox(b catalog.Box) Box {
	out := Box{
		ID: string(b.ID), Tenant: string(b.Tenant), PublicKey: b.PublicKey, Typed: Typed(b.Typed), Host: b.Host, Hardware: b.Hardware,
		EnrolledAt: Instant(b.EnrolledAt), RevokedAt: Instant(b.RevokedAt),
	}
	if b.Machine != b.ID {
		out.Machine = string(b.Machine)
	}
	return out
}

// Parse is the box.
func (b Box) Parse() (catalog.Box, error) {
	enrolled, err := parseInstant(b.EnrolledAt)
	revoked, errRevoked := parseInstant(b.RevokedAt)
	if err := errors.Join(err, errRevoked); err != nil {
		return catalog.Box{}, fmt.Errorf("box %s: %w", b.ID, err)
	}
	out := catalog.Box{
		ID: catalog.BoxID(b.ID), Machine: catalog.BoxID(b.Machine), Tenant: catalog.TenantID(b.Tenant), PublicKey: b.PublicKey,
		Typed: catalog.Typed(b.Typed), Host: b.Host, Hardware: b.Hardware, EnrolledAt: enrolled, RevokedAt: revoked,
	}
	if b.Machine == "" {
		out.Machine = out.ID
	}
	return out, nil
}

// EnrolmentCode lets a box into a tenant's account.
type EnrolmentCode struct {
	ID        string `json:"id"`
	Tenant    string `json:"tenant"`
	CreatedAt string `json:"created_at"`
	ExpiresAt string `json:"expires_at"`
	UsedBy    string `json:"used_by,omitempty"`
}

// FromEnrolmentCode is the stored form of a code.
func FromEnrolmentCode(c catalog.EnrolmentCode) EnrolmentCode {
	return EnrolmentCode{ID: string(c.ID), Tenant: string(c.Tenant), CreatedAt: Instant(c.CreatedAt), ExpiresAt: Instant(c.ExpiresAt), UsedBy: string(c.UsedBy)}
}

// Parse is the code.
func (c EnrolmentCode) Parse() (catalog.EnrolmentCode, error) {
	created, err := parseInstant(c.CreatedAt)
	expires, errExpires := parseInstant(c.ExpiresAt)
	if err := errors.Join(err, errExpires); err != nil {
		return catalog.EnrolmentCode{}, fmt.Errorf("enrolment code of tenant %s: %w", c.Tenant, err)
	}
	return catalog.EnrolmentCode{
		ID: catalog.CodeID(c.ID), Tenant: catalog.TenantID(c.Tenant), CreatedAt: created, ExpiresAt: expires, UsedBy: catalog.BoxID(c.UsedBy),
	}, nil
}

// May decides whether a box may use a code at an instant. Who used it already may
// again, however late: the answer was lost. The error is catalog.ErrNotFound for a code
// that is too old, and catalog.ErrConflict for one that another box used.
func (c EnrolmentCode) May(by catalog.BoxID, at time.Time) error {
	switch {
	case c.UsedBy == string(by):
		return nil
	case c.UsedBy != "":
		return catalog.ErrConflict
	case c.ExpiresAt <= Instant(at):
		return catalog.ErrNotFound
	}
	return nil
}
