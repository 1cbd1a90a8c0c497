package upload

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// The types of what a box signs, in the protected header.
const (
	typeMeasurement = "tierwise-measurement+jws"
	typeForget      = "tierwise-forget+jws"
)

// ID names a report.
func ID(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

// KeyID names a key: its JWK thumbprint (RFC 7638).
func KeyID(key ed25519.PublicKey) (string, error) {
	jwk := jose.JSONWebKey{Key: key}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("name the key: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
}

// Envelope signs a report. The same key and payload make the same bytes.
func Envelope(key ed25519.PrivateKey, payload []byte) (string, error) {
	return sign(key, typeMeasurement, payload)
}

func sign(key ed25519.PrivateKey, kind jose.ContentType, payload []byte) (string, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return "", fmt.Errorf("sign: the key has no public part")
	}
	id, err := KeyID(public)
	if err != nil {
		return "", err
	}
	signing := jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: key, KeyID: id}}
	signer, err := jose.NewSigner(signing, (&jose.SignerOptions{}).WithType(kind))
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return signed.CompactSerialize()
}
