package upload

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// EnrollSchema names the version of the enrolment document.
const EnrollSchema = "tierwise.enroll/1"

// Enrolment is the request that makes a key known: schemas/enroll.schema.json.
type Enrolment struct {
	Schema       string    `json:"schema"`
	AgentVersion string    `json:"agent_version"`
	Code         string    `json:"code"`
	PublicKey    string    `json:"public_key"` // raw Ed25519, base64url
	Nonce        string    `json:"nonce"`      // 16 random bytes, base64url
	Signature    string    `json:"signature"`  // by the new key, of SignedText
	Consent      Consent   `json:"consent"`
	Provider     string    `json:"provider,omitempty"`
	Region       string    `json:"region,omitempty"`
	SKU          string    `json:"sku,omitempty"`
	Reporter     string    `json:"reporter"` // tenant or provider
	Replaces     *Replaces `json:"replaces,omitempty"`
}

// Consent is to which text the user has agreed, and when by the box's clock.
type Consent struct {
	Text string `json:"text"`
	At   string `json:"at"`
}

// Replaces names the key that the new one takes over from.
type Replaces struct {
	KeyID     string `json:"key_id"`
	Signature string `json:"signature"` // by the old key, of SignedText
}

// SignedText is what the signatures of an enrolment are of.
func (e *Enrolment) SignedText() []byte {
	return []byte(strings.Join([]string{e.Schema, e.Code, e.Nonce, e.PublicKey}, "\n"))
}

// Sign fills in key, nonce and signatures. Old is the key that is replaced; nil if
// there is none.
func (e *Enrolment) Sign(key, old ed25519.PrivateKey, nonce []byte) error {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return fmt.Errorf("sign enrolment: the key has no public part")
	}
	e.Schema = EnrollSchema
	e.PublicKey = base64.RawURLEncoding.EncodeToString(public)
	e.Nonce = base64.RawURLEncoding.EncodeToString(nonce)
	e.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, e.SignedText()))
	if old == nil {
		return nil
	}
	oldPublic, ok := old.Public().(ed25519.PublicKey)
	if !ok {
		return fmt.Errorf("sign enrolment: the old key has no public part")
	}
	id, err := KeyID(oldPublic)
	e.Replaces = &Replaces{KeyID: id, Signature: base64.RawURLEncoding.EncodeToString(ed25519.Sign(old, e.SignedText()))}
	return err
}

// Enroll makes the key known, and returns the name that the server gave it.
func (c *Client) Enroll(ctx context.Context, e *Enrolment) (string, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("enroll: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Server.JoinPath("v1/enroll").String(), bytes.NewReader(text))
	if err != nil {
		return "", fmt.Errorf("enroll: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	status, _, answer, err := c.do(r)
	if err != nil {
		return "", fmt.Errorf("enroll: %w", err)
	}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return "", fmt.Errorf("enroll: the code is wrong, used or too old (%s): %w", reason(status, answer), ErrRevoked)
	}
	var receipt struct {
		KeyID string `json:"key_id"`
	}
	if status < 200 || status >= 300 || json.Unmarshal(answer, &receipt) != nil || receipt.KeyID == "" {
		return "", fmt.Errorf("enroll: %s", reason(status, answer))
	}
	return receipt.KeyID, nil
}

// forgetRequest is what a box signs to be forgotten.
type forgetRequest struct {
	Action string `json:"action"`
	Box    string `json:"box"`
	At     string `json:"at"`
}

// Forget asks the server to delete the box and all that it has sent. A box that the
// server does not know is forgotten already.
func (c *Client) Forget(ctx context.Context, keyID string) error {
	text, err := json.Marshal(forgetRequest{"forget", keyID, c.Now().UTC().Format(time.RFC3339)})
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	signed, err := sign(c.Key, typeForget, text)
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.Server.JoinPath("v1/boxes", keyID).String(), nil)
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+signed)
	status, _, answer, err := c.do(r)
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	if status < 200 || status >= 300 && status != http.StatusNotFound && status != http.StatusGone {
		return fmt.Errorf("forget: %s", reason(status, answer))
	}
	return nil
}
