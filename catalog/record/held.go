package record

import (
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// Held is a row in quarantine.
type Held struct {
	ID         string `json:"id"`
	Row        int    `json:"row,omitempty"`
	Reason     string `json:"reason"`
	Column     string `json:"column,omitempty"`
	Detail     string `json:"detail,omitempty"`
	Noted      bool   `json:"noted,omitempty"`
	Offer      *Offer `json:"offer,omitempty"`
	HeldAt     string `json:"held_at"`
	ReleasedAt string `json:"released_at,omitempty"`
}

// FromHeld is the stored form of a row in quarantine.
func FromHeld(h catalog.Held) Held {
	out := Held{
		ID: string(h.ID), Row: h.Row, Reason: string(h.Reason), Column: h.Column, Detail: h.Detail, Noted: h.Noted,
		HeldAt: Instant(h.HeldAt), ReleasedAt: Instant(h.ReleasedAt),
	}
	if h.Offer != nil {
		offer := FromOffer(*h.Offer)
		out.Offer = &offer
	}
	return out
}

// Parse is the row.
func (h Held) Parse() (catalog.Held, error) {
	at, err := parseInstant(h.HeldAt)
	released, errReleased := parseInstant(h.ReleasedAt)
	out := catalog.Held{
		ID: catalog.HeldID(h.ID), Row: h.Row, Reason: catalog.HoldReason(h.Reason), Column: h.Column, Detail: h.Detail, Noted: h.Noted,
		HeldAt: at, ReleasedAt: released,
	}
	var errOffer error
	if h.Offer != nil {
		var offer catalog.Offer
		offer, errOffer = h.Offer.Parse()
		out.Offer = &offer
	}
	if err := errors.Join(err, errReleased, errOffer); err != nil {
		return catalog.Held{}, fmt.Errorf("held row %s: %w", h.ID, err)
	}
	return out, nil
}
