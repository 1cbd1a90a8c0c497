package ingest

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// CodeLife is how long an enrolment code is good.
const CodeLife = 10 * time.Minute

// codeAlphabet are the letters of codes: 32 that are not taken for each other.
const codeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeLetters is how many letters a code has: 60 random bits, for ten minutes.
const codeLetters = 12

// IssueCode makes an enrolment code for a tenant. The text is for its owner; what is
// returned beside it is to be stored.
func IssueCode(random io.Reader, tenant catalog.TenantID, now time.Time) (text string, code catalog.EnrolmentCode, err error) {
	if _, err := catalog.ParseTenantID(string(tenant)); err != nil {
		return "", catalog.EnrolmentCode{}, fmt.Errorf("issue code: %w", err)
	}
	b := make([]byte, codeLetters)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", catalog.EnrolmentCode{}, fmt.Errorf("issue code: %w", err)
	}
	for i := range b {
		b[i] = codeAlphabet[int(b[i])%len(codeAlphabet)]
	}
	text = fmt.Sprintf("%s-%s-%s", b[:4], b[4:8], b[8:])
	return text, catalog.EnrolmentCode{ID: codeID(text), Tenant: tenant, CreatedAt: now.UTC(), ExpiresAt: now.UTC().Add(CodeLife)}, nil
}

// codeID names a code, however it is spelt: case, spaces and hyphens do not count.
func codeID(text string) catalog.CodeID {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(text))
	digest := sha256.Sum256([]byte(plain))
	return catalog.CodeID(hex.EncodeToString(digest[:]))
}

// boxID names a key: its JWK thumbprint (RFC 7638).
func boxID(key ed25519.PublicKey) (catalog.BoxID, error) {
	jwk := jose.JSONWebKey{Key: key}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("name a key: %w", err)
	}
	return catalog.BoxID(base64.RawURLEncoding.EncodeToString(sum)), nil
}

// Enroll makes a box's key known. To repeat it has the same answer. The error is a
// *Refusal if the request is to blame.
func (s *Service) Enroll(ctx context.Context, e schemas.Enrolment) (schemas.EnrolmentReceipt, error) {
	key, okKey := base64url(e.PublicKey, ed25519.PublicKeySize)
	signature, okSignature := base64url(e.Signature, ed25519.SignatureSize)
	if !okKey || !okSignature || !ed25519.Verify(key, e.SignedText(), signature) {
		return schemas.EnrolmentReceipt{}, &Refusal{Reason: BadProof, Message: "the signature is not by the new key",
			Problems: []schemas.Problem{{Pointer: "/signature", Message: "want a signature by public_key"}}}
	}
	id, err := boxID(key)
	if err != nil {
		return schemas.EnrolmentReceipt{}, err
	}
	old, known, err := s.replaced(ctx, e)
	if err != nil {
		return schemas.EnrolmentReceipt{}, err
	}
	now := s.now().UTC()
	code, err := s.store.UseCode(ctx, codeID(e.Code), id, now)
	if errors.Is(err, catalog.ErrNotFound) || errors.Is(err, catalog.ErrConflict) {
		return schemas.EnrolmentReceipt{}, refuse(CodeRefused, "the code is wrong, used or too old: ask for another one")
	}
	if err != nil {
		return schemas.EnrolmentReceipt{}, err
	}
	box := catalog.Box{
		ID: id, Machine: id, Tenant: code.Tenant, PublicKey: key, EnrolledAt: now, Host: e.Reporter == "provider",
		Typed: catalog.Typed{Provider: e.Provider, Region: e.Region, SKU: e.SKU},
	}
	takesOver := known && old.Tenant == code.Tenant && old.RevokedAt.IsZero()
	if takesOver {
		box.Machine = old.Machine
	}
	if err := s.keep(ctx, box); err != nil {
		return schemas.EnrolmentReceipt{}, err
	}
	if takesOver {
		if err := s.store.RevokeBox(ctx, old.ID, now); err != nil {
			return schemas.EnrolmentReceipt{}, err
		}
	}
	return schemas.EnrolmentReceipt{KeyID: string(id), Box: s.box(box.Typed)}, nil
}

// keep keeps a box. One of the same key and tenant that is kept already stays as it is.
func (s *Service) keep(ctx context.Context, box catalog.Box) error {
	err := s.store.PutBox(ctx, box)
	if !errors.Is(err, catalog.ErrConflict) {
		return err
	}
	was, err := s.store.Box(ctx, box.ID)
	switch {
	case err != nil:
		return err
	case was.Tenant != box.Tenant:
		return refuse(KeyTaken, "another owner has enrolled this key: make a new one")
	case !was.RevokedAt.IsZero():
		return refuse(KeyRevoked, "the key was revoked: make a new one")
	}
	return nil
}

// replaced is the box whose key the new one takes over from. known is false if there is
// none, or it was forgotten.
func (s *Service) replaced(ctx context.Context, e schemas.Enrolment) (old catalog.Box, known bool, err error) {
	if e.Replaces == nil {
		return old, false, nil
	}
	old, err = s.store.Box(ctx, catalog.BoxID(e.Replaces.KeyID))
	if errors.Is(err, catalog.ErrNotFound) {
		return old, false, nil
	}
	if err != nil {
		return old, false, err
	}
	signature, ok := base64url(e.Replaces.Signature, ed25519.SignatureSize)
	if !ok || !ed25519.Verify(old.PublicKey, e.SignedText(), signature) {
		return old, false, &Refusal{Reason: BadProof, Message: "the signature is not by the key that is replaced",
			Problems: []schemas.Problem{{Pointer: "/replaces/signature", Message: "want a signature by the old key"}}}
	}
	return old, true, nil
}

// asksToBeForgotten verifies the request of a box to be deleted.
func (s *Service) asksToBeForgotten(ctx context.Context, id catalog.BoxID, authorization string) error {
	kind, text, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(kind, "Bearer") {
		return refuse(BadSignature, "send a request to be forgotten, signed by the box, or its owner's API key, in the header Authorization")
	}
	signed, err := s.open(ctx, strings.TrimSpace(text), typeForget)
	if err != nil {
		return err
	}
	var asked struct{ Action, Box string }
	if json.Unmarshal(signed.payload, &asked) != nil || asked.Action != "forget" || asked.Box != string(id) || signed.box.ID != id {
		return refuse(BadSignature, "the request is not about this box")
	}
	return nil
}
