package catalog

import "time"

// BoxID names a box by its key: the key's JWK thumbprint (RFC 7638).
type BoxID string

// Box is a machine whose agent may send reports, under one of its keys.
type Box struct {
	ID BoxID
	// Machine is the box's first key, ID itself unless the key took over from an
	// earlier one. Reports are kept under it.
	Machine   BoxID
	Tenant    TenantID
	PublicKey []byte // Ed25519
	Typed     Typed
	Host      bool // the provider itself enrolled it
	// Hardware is a keyed hash of what identifies the machine: a copy of its disk
	// in another machine has another.
	Hardware   string
	EnrolledAt time.Time
	RevokedAt  time.Time // zero while the key may sign
}

// Typed is what a person typed about a box; "" where nothing.
type Typed struct{ Provider, Region, SKU string }

// CodeID names an enrolment code by the SHA-256 of it, in hex: the code itself is
// kept nowhere.
type CodeID string

// EnrolmentCode lets one box into a tenant's account, once and soon.
type EnrolmentCode struct {
	ID        CodeID
	Tenant    TenantID
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedBy    BoxID // "" until it is used
}
