package ingest

import (
	"errors"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/forgery"
	"github.com/tierwise/tierwise/schemas"
)

// Reason says in a word why something is not taken.
type Reason string

// The reasons, besides those of package forgery.
const (
	TooLarge     Reason = "too_large"
	BadMedia     Reason = "bad_media_type"
	BadEncoding  Reason = "bad_encoding"  // no whole gzip
	BadEnvelope  Reason = "bad_envelope"  // no compact JWS of the right kind
	UnknownBox   Reason = "unknown_box"   // nobody enrolled the key
	BadSignature Reason = "bad_signature" // not by the key that it names
	BadProof     Reason = "bad_proof"     // of an enrolment: not by the key that it is about
	KeyRevoked   Reason = "key_revoked"
	Invalid      Reason = "invalid_document"
	Replay       Reason = "replay_source" // a recorded machine, not a measured one
	Replayed     Reason = "replayed"      // another box sent the payload before
	GPUOfTenant  Reason = "gpu_two_tenants"
	GPUOfBox     Reason = "gpu_two_boxes"
	CounterFell  Reason = "counter_fell"
	CodeRefused  Reason = "code_refused" // wrong, used or too old: which is not told
	KeyTaken     Reason = "key_taken"    // another tenant's box has the key
)

// Class sorts reasons by what the sender can do about them.
type Class uint8

// The classes.
const (
	Malformed   Class = iota // mend what is sent
	Huge                     // send less
	Media                    // send another type
	Stranger                 // enroll first
	Banned                   // nothing more is taken from this key
	Contested                // it is another's
	Implausible              // it can't be true
)

// Refusal says why something is not taken.
type Refusal struct {
	Reason   Reason
	Message  string // for the sender
	Problems []schemas.Problem
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// Class is what kind of reason it is.
func (r *Refusal) Class() Class {
	class, known := map[Reason]Class{
		TooLarge: Huge, BadMedia: Media, UnknownBox: Stranger, BadSignature: Stranger, KeyRevoked: Banned, CodeRefused: Banned, KeyTaken: Banned,
		Replayed: Contested, GPUOfTenant: Contested, GPUOfBox: Contested, CounterFell: Implausible, Replay: Implausible,
	}[r.Reason]
	if known {
		return class
	}
	for _, reason := range forgery.Reasons() {
		if Reason(reason) == r.Reason {
			return Implausible
		}
	}
	return Malformed
}

// refuse is a refusal without places to blame.
func refuse(reason Reason, message string) *Refusal {
	return &Refusal{Reason: reason, Message: message}
}

// invalid is the refusal of a document that a schema does not allow; any other error
// stays as it is.
func invalid(err error) error {
	wrong, ok := errors.AsType[*schemas.ValidationError](err)
	if !ok {
		return err
	}
	return &Refusal{Reason: Invalid, Message: "the document is not valid: " + wrong.Error(), Problems: wrong.Problems}
}

// contested is the refusal of a report whose claims the store knows to be another's;
// any other error stays as it is.
func contested(err error) error {
	claimed, ok := errors.AsType[catalog.ClaimError](err)
	if !ok {
		return err
	}
	switch claimed.Claim {
	case catalog.ClaimPayload:
		return refuse(Replayed, "another box has sent this report before")
	case catalog.ClaimTenantsGPU:
		return refuse(GPUOfTenant, "a GPU of this report was measured under another owner at the same time")
	case catalog.ClaimBoxsGPU:
		return refuse(GPUOfBox, "a GPU of this report was measured in another box at the same time")
	default:
		return refuse(CounterFell, "a counter of memory errors fell without a reboot")
	}
}
