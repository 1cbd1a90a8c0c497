// Package boxtest makes what boxes send, for tests: keys, enrolments and reports of
// machines that do not exist.
package boxtest

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/tierwise/tierwise/schemas"
)

// The types of what a box signs.
const (
	Measurement = "tierwise-measurement+jws"
	Forget      = "tierwise-forget+jws"
)

// Box is a machine with a key. Make one with New.
type Box struct {
	Name string
	Key  ed25519.PrivateKey
	ID   string // of the key

	random *rand.Rand
	seq    int
}

// New is the box of a name, always the same.
func New(name string) *Box {
	seed := sha256.Sum256([]byte(name))
	b := &Box{Name: name, random: rand.New(rand.NewPCG(uint64(seed[0])<<8|uint64(seed[1]), uint64(seed[2])<<8|uint64(seed[3])))}
	b.take(ed25519.NewKeyFromSeed(seed[:]))
	return b
}

// take makes a key the box's.
func (b *Box) take(key ed25519.PrivateKey) {
	b.Key = key
	jwk := jose.JSONWebKey{Key: key.Public()}
	sum, err := jwk.Thumbprint(crypto.SHA256)
	if err != nil {
		panic(err) // every Ed25519 key has a thumbprint
	}
	b.ID = base64.RawURLEncoding.EncodeToString(sum)
}

// Enrolment is a request to be let in by a code. Change it before it is signed.
func (b *Box) Enrolment(code string, change func(*schemas.Enrolment)) []byte {
	e := schemas.Enrolment{Schema: "tierwise.enroll/1", Code: code, Nonce: "AAAAAAAAAAAAAAAAAAAAAA", Reporter: "tenant",
		PublicKey: base64.RawURLEncoding.EncodeToString(b.Key.Public().(ed25519.PublicKey))}
	if change != nil {
		change(&e)
	}
	e.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(b.Key, e.SignedText()))
	document := map[string]any{
		"schema": e.Schema, "agent_version": "test", "code": e.Code, "public_key": e.PublicKey, "nonce": e.Nonce, "signature": e.Signature,
		"consent": map[string]string{"text": "2026-12", "at": "2026-11-30T12:00:00Z"}, "reporter": e.Reporter,
	}
	for name, value := range map[string]string{"provider": e.Provider, "region": e.Region, "sku": e.SKU} {
		if value != "" {
			document[name] = value
		}
	}
	if e.Replaces != nil {
		document["replaces"] = e.Replaces
	}
	return encoded(document)
}

// Renewal is a request to replace the box's key by a new one, which it has from then on.
func (b *Box) Renewal(code string) []byte {
	old, oldID := b.Key, b.ID
	seed := sha256.Sum256(old)
	b.take(ed25519.NewKeyFromSeed(seed[:]))
	return b.Enrolment(code, func(e *schemas.Enrolment) {
		e.Replaces = &schemas.EnrolmentReplaces{KeyID: oldID, Signature: base64.RawURLEncoding.EncodeToString(ed25519.Sign(old, e.SignedText()))}
	})
}

// encoded is a document as JSON.
func encoded(document any) []byte {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return text
}

// Sign is the envelope of a payload.
func (b *Box) Sign(kind string, payload []byte) string {
	key := jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: b.Key, KeyID: b.ID}}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType(jose.ContentType(kind)))
	if err != nil {
		panic(err) // the key is an Ed25519 key
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		panic(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

// Gzip compresses a text.
func Gzip(text string) []byte {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, _ = zip.Write([]byte(text)) // a buffer takes all
	_ = zip.Close()
	return out.Bytes()
}

// Body is the body of a request that carries a report.
func (b *Box) Body(payload []byte) []byte { return Gzip(b.Sign(Measurement, payload)) }

// ForgetMe is the authorization of a request to be forgotten.
func (b *Box) ForgetMe() string {
	return "Bearer " + b.Sign(Forget, encoded(map[string]string{"action": "forget", "box": b.ID, "at": "2026-11-30T12:00:00Z"}))
}

// Watch says what a report is of. The zero value is an hour of one A100 at full speed
// that ends at the zero time.
type Watch struct {
	Until  time.Time // by the box's clock
	Length time.Duration
	Ratio  float64 // of the highest clock; 0 is 1
	GPUs   int     // 0 is 1
	Change func(document map[string]any)
}

// An A100 as its driver describes it.
const (
	clockMax   = 1410 // MHz
	powerLimit = 400  // W
)

// Report is the payload of the box's next report.
func (b *Box) Report(w Watch) []byte {
	if w.Length == 0 {
		w.Length = time.Hour
	}
	if w.Ratio == 0 {
		w.Ratio = 1
	}
	b.seq++
	var gpus []any
	for i := range max(w.GPUs, 1) {
		gpus = append(gpus, b.gpu(i, w))
	}
	begun := float64(b.seq) * 100_000
	document := map[string]any{
		"schema": "tierwise.measurement/1", "agent_version": "test", "seq": b.seq, "source": "nvml", "kind": "watch", "boot_id": "0123456789abcdef",
		"mono_start_seconds": begun, "mono_end_seconds": begun + w.Length.Seconds(),
		"wall_start": w.Until.Add(-w.Length).UTC().Format(time.RFC3339), "wall_end": w.Until.UTC().Format(time.RFC3339),
		"system": map[string]any{"driver_version": "550.54.15", "cpus": 8},
		"rules": map[string]any{"interval_seconds": 1, "window_seconds": 60, "busy_share": 0.8, "busy_utilization_percent": 90, "busy_power_share": 0.5,
			"busy_sm_utilization_share": 0.5, "cold_seconds": 120, "sufficient_busy_seconds": 900, "sufficient_steady_seconds": 600},
		"gpus": gpus, "tier": "C", "sufficient": true,
	}
	if w.Change != nil {
		w.Change(document)
	}
	return encoded(document)
}

// GPU is the hash of one of the box's GPUs.
func (b *Box) GPU(i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", b.Name, i))
	return hex.EncodeToString(sum[:16])
}

// gpu is a GPU of a report. Its clock is spread over four twentieths.
func (b *Box) gpu(i int, w Watch) map[string]any {
	n := int(w.Length.Seconds())
	histogram, at := make([]int, 20), min(int(20*w.Ratio), 19)
	low, high := max(at-3, 0), at
	for range n {
		histogram[low+b.random.IntN(high-low+1)]++
	}
	sum := 0.0
	for bin, count := range histogram {
		sum += float64(count) * (float64(bin) + 0.5) / 20 * clockMax
	}
	clock := stat(n, w.Ratio*clockMax)
	mean := sum / float64(n)
	clock["sum"], clock["sumsq"] = sum, sum*mean*1.001
	clock["min"], clock["max"] = float64(low)/20*clockMax, float64(high+1)/20*clockMax
	clock["p5"], clock["p50"], clock["p95"] = clock["min"], mean, clock["max"]
	power := stat(n, 350+b.random.Float64()/1000) // W
	power["min"], power["max"] = 349.0, 351.0
	seconds := w.Length.Seconds()
	return map[string]any{
		"gpu": b.GPU(i), "model": "NVIDIA A100-SXM4-40GB", "pci_device_id": "20b0", "compute_capability": "8.0", "memory_total_bytes": 42949672960,
		"clock_sm_max_mhz": clockMax, "power_limit_enforced_watts": powerLimit, "power_limit_default_watts": powerLimit,
		"ecc":              map[string]any{"enabled": true, "corrected_aggregate": 3, "uncorrected_aggregate": 0},
		"observed_seconds": seconds, "busy_seconds": seconds, "lost_seconds": 0, "unobserved_seconds": 0,
		"windows": map[string]int{"total": n / 60, "steady": n / 60, "cold": 0, "rejected_utilization": 0, "rejected_power": 0, "unavailable": 0},
		"steady": map[string]any{
			"windows": max(n/60, 1), "samples": n, "seconds": seconds, "busy_seconds": seconds,
			"clock_sm_mhz": clock, "power_watts": power, "temperature_celsius": stat(n, 61), "utilization_percent": stat(n, 99),
			"clock_histogram": histogram, "energy_joules": map[string]any{"total": 350 * seconds, "seconds": seconds},
		},
		"sufficient": true,
	}
}

// stat are the statistics of n equal values.
func stat(n int, value float64) map[string]any {
	return map[string]any{"n": n, "sum": float64(n) * value, "sumsq": float64(n) * value * value, "min": value, "max": value, "p5": value, "p50": value, "p95": value}
}
