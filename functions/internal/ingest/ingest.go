package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apikey"
	"github.com/tierwise/tierwise/functions/internal/convert"
	"github.com/tierwise/tierwise/functions/internal/forgery"
	"github.com/tierwise/tierwise/functions/internal/naming"
	"github.com/tierwise/tierwise/schemas"
)

// Store is where boxes and reports are kept.
type Store interface {
	apikey.Store
	// Box fails with catalog.ErrNotFound if there is none.
	Box(ctx context.Context, id catalog.BoxID) (catalog.Box, error)
	// PutBox fails with catalog.ErrConflict if another box has the id.
	PutBox(ctx context.Context, b catalog.Box) error
	RevokeBox(ctx context.Context, id catalog.BoxID, at time.Time) error
	DeleteBox(ctx context.Context, machine catalog.BoxID) error
	// UseCode fails with catalog.ErrNotFound or catalog.ErrConflict.
	UseCode(ctx context.Context, id catalog.CodeID, by catalog.BoxID, at time.Time) (catalog.EnrolmentCode, error)
	// PutReport keeps the first of several of one id; it fails with a catalog.ClaimError
	// if it takes for its own what is another's.
	PutReport(ctx context.Context, r catalog.Report) (stored bool, err error)
	CountRefusal(ctx context.Context, reason string) error
}

// Options are what a service can be told; the zero value works.
type Options struct {
	// Replays takes recorded machines for measured ones: for trying out.
	Replays bool
}

// Service takes what boxes send. It never changes after New, so any number of
// goroutines may use it.
type Service struct {
	store   Store
	names   *naming.Names
	now     func() time.Time
	options Options
}

// New makes a service that knows GPUs and providers by the names of a catalogue.
func New(store Store, s *catalog.Snapshot, now func() time.Time, o Options) *Service {
	return &Service{store: store, names: naming.New(s), now: now, options: o}
}

// Upload is a request that carries a report.
type Upload struct {
	Body            []byte
	ContentType     string
	ContentEncoding string
	SentAt          string // when, by the box's clock, in RFC 3339; "" if it does not say
}

// Accept takes a report. The error is a *Refusal if the report is to blame.
func (s *Service) Accept(ctx context.Context, u Upload) (schemas.MeasurementReceipt, error) {
	text, err := unpacked(u)
	if err != nil {
		return schemas.MeasurementReceipt{}, err
	}
	signed, err := s.open(ctx, string(text), typeMeasurement)
	if err == nil && !signed.box.RevokedAt.IsZero() {
		err = refuse(KeyRevoked, "the key was revoked: enroll again")
	}
	if err != nil {
		return schemas.MeasurementReceipt{}, err
	}
	var m schemas.Measurement
	if err := schemas.Decode(schemas.MeasurementSchema, signed.payload, &m); err != nil {
		return schemas.MeasurementReceipt{}, invalid(err)
	}
	if m.Source == "replay" && !s.options.Replays {
		return schemas.MeasurementReceipt{}, refuse(Replay, "a recorded machine is no measurement")
	}
	cards := s.cards(&m)
	if found, ok := forgery.Inspect(&m, cards); !ok {
		return schemas.MeasurementReceipt{}, &Refusal{Reason: Reason(found.Reason), Message: "the report can't be true: " + found.Message,
			Problems: []schemas.Problem{{Pointer: found.Pointer, Message: found.Message}}}
	}
	digest := sha256.Sum256(signed.payload)
	now := s.now().UTC()
	report := convert.Report(&m, cards, convert.Received{
		ID: catalog.ReportID(hex.EncodeToString(digest[:])), Box: signed.box, At: now,
		ClockOffset: offset(now, u.SentAt, m.ClockOffsetSeconds), Payload: signed.payload,
	})
	receipt := s.named(&report, signed.box)
	if _, err := s.store.PutReport(ctx, report); err != nil {
		return schemas.MeasurementReceipt{}, contested(err)
	}
	return receipt, nil
}

// Refused counts a refusal. Any other error is not counted.
func (s *Service) Refused(ctx context.Context, err error) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		return nil
	}
	return s.store.CountRefusal(ctx, string(refusal.Reason))
}

// offset is the server's clock less the box's: by when the box sent the report, else
// as the box last heard it.
func offset(now time.Time, sentAt string, heard *float64) time.Duration {
	if at, err := time.Parse(time.RFC3339, sentAt); err == nil {
		return now.Sub(at).Round(time.Second)
	}
	if heard != nil && *heard > -1e9 && *heard < 1e9 { // decades
		return time.Duration(*heard * float64(time.Second))
	}
	return 0
}

// cards are what is known of the GPUs of a report.
func (s *Service) cards(m *schemas.Measurement) []forgery.Card {
	cards := make([]forgery.Card, len(m.GPUs))
	for i := range m.GPUs {
		g := &m.GPUs[i]
		if i > 0 && g.Model == m.GPUs[i-1].Model && g.PCIDeviceID == m.GPUs[i-1].PCIDeviceID && g.MemoryTotal == m.GPUs[i-1].MemoryTotal {
			cards[i] = cards[i-1]
			continue
		}
		cards[i].Model, _, cards[i].Contrary = s.names.GPU(naming.Card{Name: g.Model, PCIDevice: g.PCIDeviceID, MemoryBytes: g.MemoryTotal})
	}
	return cards
}

// named finds the catalogue's names of what was typed, in the report or else at the
// enrolment, and writes the receipt.
func (s *Service) named(r *catalog.Report, box catalog.Box) schemas.MeasurementReceipt {
	if r.Typed.Provider == "" {
		r.Typed.Provider = box.Typed.Provider
	}
	if r.Typed.SKU == "" {
		r.Typed.SKU = box.Typed.SKU
	}
	receipt := schemas.MeasurementReceipt{ID: string(r.ID), GPUs: []schemas.ReceivedGPU{}, Box: s.box(r.Typed)}
	r.Provider, _ = s.names.Provider(r.Typed.Provider)
	r.SKU, _ = s.names.SKU(r.Provider, r.Typed.SKU)
	for _, x := range r.Readings {
		receipt.GPUs = append(receipt.GPUs, schemas.ReceivedGPU{Name: x.Name, GPU: textOrNull(string(x.GPU)), Counts: x.Sufficient && !x.Partitioned})
	}
	return receipt
}

// box is what was typed of a box with the catalogue's names of it.
func (s *Service) box(typed catalog.Typed) schemas.ReceivedBox {
	provider, likely := s.names.Provider(typed.Provider)
	sku, likelySKUs := s.names.SKU(provider, typed.SKU)
	return schemas.ReceivedBox{
		Provider: schemas.ReceivedName{Typed: typed.Provider, Name: textOrNull(string(provider)), Near: likely},
		SKU:      schemas.ReceivedName{Typed: typed.SKU, Name: textOrNull(string(sku)), Near: likelySKUs},
	}
}

// textOrNull is a text, nil if it is empty.
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Forget deletes a machine and all that it sent, as the box itself asks, or its owner
// with an API key. The error is a *Refusal if the request is to blame, and
// catalog.ErrNotFound if there is no such box.
func (s *Service) Forget(ctx context.Context, id catalog.BoxID, authorization string) error {
	box, err := s.store.Box(ctx, id)
	if err != nil {
		return fmt.Errorf("forget box: %w", err)
	}
	tenant, err := apikey.Tenant(ctx, s.store, authorization)
	if errors.Is(err, apikey.ErrNone) {
		err = s.asksToBeForgotten(ctx, id, authorization)
	} else if err == nil && tenant != box.Tenant {
		err = refuse(UnknownBox, "the box is not yours")
	}
	if err != nil {
		return err
	}
	return s.store.DeleteBox(ctx, box.Machine)
}
