package catalog

import "time"

// BoxID names an enrolled machine for good.
type BoxID string

// Box is a machine whose agent may send reports.
type Box struct {
	ID        BoxID
	Tenant    TenantID
	PublicKey []byte // Ed25519
	// Hardware is a keyed hash of what identifies the machine: a copy of its disk
	// in another machine has another.
	Hardware   string
	EnrolledAt time.Time
	RevokedAt  time.Time // zero while the box may report
}

// ReportID is the SHA-256 of a report's payload in hex.
type ReportID string

// Report is what a box measured, as it was received. Its figures are in the
// payload: nothing that the server thinks of them is stored with it.
type Report struct {
	ID     ReportID
	Box    BoxID
	Tenant TenantID
	// Sequence is the box's own count. It shows gaps and nothing else.
	Sequence   int64
	ReceivedAt time.Time // by the server's clock, UTC
	// ClockOffset is the server's clock less the box's.
	ClockOffset time.Duration
	// GPU, Provider and SKU are the catalogue's names of what was typed and
	// measured; "" where no name matches.
	GPU      GPUID
	Provider ProviderID
	SKU      SKU
	Payload  []byte // as signed
}
