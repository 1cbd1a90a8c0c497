package identity

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tierwise/tierwise/probe-agent/internal/spool"
)

// ErrCloned says that the key on disk was made on another machine. A new enrolment is
// needed; the spool is kept.
var ErrCloned = errors.New("this key belongs to another machine: the disk was cloned or moved; enroll again")

// ErrNotEnrolled says that there is no enrolment.
var ErrNotEnrolled = errors.New("not enrolled: run probe-agent enroll --code CODE")

// Enrolment is what the service has agreed to.
type Enrolment struct {
	Server      string  `json:"server"`
	KeyID       string  `json:"key_id"`
	Fingerprint string  `json:"fingerprint"`
	Consent     Consent `json:"consent"`
	// Provider, Region, SKU and Kind are sent as the user typed them.
	Provider string `json:"provider,omitempty"`
	Region   string `json:"region,omitempty"`
	SKU      string `json:"sku,omitempty"`
	Kind     string `json:"kind,omitempty"`
}

// Consent is to what the user has agreed, and when.
type Consent struct {
	Text string `json:"text"` // the version of the text
	At   string `json:"at"`   // RFC 3339
}

// Store keeps the key and the enrolment in a directory.
type Store struct{ dir string }

// NewStore is a store in a directory, which must exist.
func NewStore(dir string) *Store { return &Store{dir} }

func (s *Store) keyPath() string       { return filepath.Join(s.dir, "key") }
func (s *Store) newKeyPath() string    { return filepath.Join(s.dir, "key.new") }
func (s *Store) enrolmentPath() string { return filepath.Join(s.dir, "enrolment.json") }

// Key is the box's key; fs.ErrNotExist if there is none.
func (s *Store) Key() (ed25519.PrivateKey, error) { return readKey(s.keyPath()) }

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	seed, err := base64.RawURLEncoding.DecodeString(string(text))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("read the key: %s does not hold one", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// NewKey is the key of an enrolment that is under way. It is on disk before the server
// hears of it, so that an enrolment which a crash interrupts can be repeated.
func (s *Store) NewKey(random io.Reader) (ed25519.PrivateKey, error) {
	if key, err := readKey(s.newKeyPath()); err == nil {
		return key, nil
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(seed)
	return ed25519.NewKeyFromSeed(seed), spool.WriteFile(s.newKeyPath(), []byte(text), 0o600)
}

// KeepKey makes the new key the box's key.
func (s *Store) KeepKey() error {
	if err := os.Rename(s.newKeyPath(), s.keyPath()); err != nil {
		return fmt.Errorf("keep the key: %w", err)
	}
	return nil
}

// Enrolment is the enrolment on disk; ErrNotEnrolled if there is none.
func (s *Store) Enrolment() (*Enrolment, error) {
	text, err := os.ReadFile(s.enrolmentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotEnrolled
	}
	if err != nil {
		return nil, fmt.Errorf("read the enrolment: %w", err)
	}
	var e Enrolment
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("read the enrolment %s: %w", s.enrolmentPath(), err)
	}
	return &e, nil
}

// Check is Enrolment, and ErrCloned if it was made on a machine with another
// fingerprint. Without GPUs the fingerprint is unknown ("") and nothing is compared.
func (s *Store) Check(fingerprint string) (*Enrolment, error) {
	e, err := s.Enrolment()
	if err != nil {
		return nil, err
	}
	if fingerprint != "" && e.Fingerprint != "" && fingerprint != e.Fingerprint {
		return nil, ErrCloned
	}
	return e, nil
}

// Keep keeps an enrolment.
func (s *Store) Keep(e *Enrolment) error {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return spool.WriteFile(s.enrolmentPath(), append(text, '\n'), 0o600)
}

// Forget removes key and enrolment.
func (s *Store) Forget() error {
	return errors.Join(removeIfThere(s.enrolmentPath()), removeIfThere(s.keyPath()), removeIfThere(s.newKeyPath()))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
