package chart

import (
	"bytes"
	"compress/flate"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Key signs pictures. Whoever has it can have any picture drawn.
type Key [sha256.Size]byte

// leastSecret is how long a secret is at least, in bytes.
const leastSecret = 32

// KeyOf makes the key of a secret text of 32 bytes or more.
func KeyOf(secret string) (Key, error) {
	if len(secret) < leastSecret {
		return Key{}, fmt.Errorf("sign pictures: want a secret of %d bytes or more, got %d", leastSecret, len(secret))
	}
	return sha256.Sum256([]byte("tierwise pictures\n" + secret)), nil
}

// Lengths of a signature and of a Spec's JSON, in bytes.
const (
	tagBytes  = 16
	mostBytes = 64 << 10
)

// ErrSignature says that a text was not signed with the key.
var ErrSignature = errors.New("the signature is wrong")

// Sign writes a picture as a text that fits into a path, with a signature.
func Sign(s Spec, key Key) (string, error) {
	if err := s.Check(); err != nil {
		return "", err
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err == nil {
		err = json.NewEncoder(w).Encode(s)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return "", fmt.Errorf("sign picture: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(append(tag(b.Bytes(), key), b.Bytes()...)), nil
}

// Read reads what Sign wrote. It fails with ErrSignature for anything else.
func Read(text string, key Key) (Spec, error) {
	content, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(content) < tagBytes || !hmac.Equal(content[:tagBytes], tag(content[tagBytes:], key)) {
		return Spec{}, ErrSignature
	}
	var s Spec
	r := flate.NewReader(bytes.NewReader(content[tagBytes:]))
	if err := json.NewDecoder(io.LimitReader(r, mostBytes)).Decode(&s); err != nil {
		return Spec{}, fmt.Errorf("read picture: %w", err)
	}
	return s, s.Check()
}

// tag is the signature of a content.
func tag(content []byte, key Key) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(content)
	return mac.Sum(nil)[:tagBytes]
}
