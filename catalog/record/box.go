package record

import (
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// Box is an enrolled machine.
type Box struct {
	ID         string `json:"id"`
	Tenant     string `json:"tenant"`
	PublicKey  []byte `json:"public_key"`
	Hardware   string `json:"hardware,omitempty"`
	EnrolledAt string `json:"enrolled_at"`
	RevokedAt  string `json:"revoked_at,omitempty"`
}

// FromBox is the stored form of a box.
func FromBox(b catalog.Box) Box {
	return Box{
		ID: string(b.ID), Tenant: string(b.Tenant), PublicKey: b.PublicKey, Hardware: b.Hardware,
		EnrolledAt: Instant(b.EnrolledAt), RevokedAt: Instant(b.RevokedAt),
	}
}

// Parse is the box.
func (b Box) Parse() (catalog.Box, error) {
	enrolled, err := parseInstant(b.EnrolledAt)
	revoked, errRevoked := parseInstant(b.RevokedAt)
	if err := errors.Join(err, errRevoked); err != nil {
		return catalog.Box{}, fmt.Errorf("box %s: %w", b.ID, err)
	}
	return catalog.Box{
		ID: catalog.BoxID(b.ID), Tenant: catalog.TenantID(b.Tenant), PublicKey: b.PublicKey, Hardware: b.Hardware,
		EnrolledAt: enrolled, RevokedAt: revoked,
	}, nil
}

// Report is what a box sent.
type Report struct {
	ID            string `json:"id"`
	Box           string `json:"box"`
	Tenant        string `json:"tenant"`
	Sequence      int64  `json:"sequence"`
	ReceivedAt    string `json:"received_at"`
	ClockOffsetNS int64  `json:"clock_offset_ns"`
	GPU           string `json:"gpu,omitempty"`
	Provider      string `json:"provider,omitempty"`
	SKU           string `json:"sku,omitempty"`
	Payload       []byte `json:"payload"`
}

// FromReport is the stored form of a report.
func FromReport(r catalog.Report) Report {
	return Report{
		ID: string(r.ID), Box: string(r.Box), Tenant: string(r.Tenant), Sequence: r.Sequence,
		ReceivedAt: Instant(r.ReceivedAt), ClockOffsetNS: int64(r.ClockOffset),
		GPU: string(r.GPU), Provider: string(r.Provider), SKU: string(r.SKU), Payload: r.Payload,
	}
}

// Day is the date in UTC on which a report that came at an instant is kept.
func Day(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// Parse is the report.
func (r Report) Parse() (catalog.Report, error) {
	received, err := parseInstant(r.ReceivedAt)
	if err != nil {
		return catalog.Report{}, fmt.Errorf("report %s: %w", r.ID, err)
	}
	return catalog.Report{
		ID: catalog.ReportID(r.ID), Box: catalog.BoxID(r.Box), Tenant: catalog.TenantID(r.Tenant), Sequence: r.Sequence,
		ReceivedAt: received, ClockOffset: time.Duration(r.ClockOffsetNS),
		GPU: catalog.GPUID(r.GPU), Provider: catalog.ProviderID(r.Provider), SKU: catalog.SKU(r.SKU), Payload: r.Payload,
	}, nil
}
