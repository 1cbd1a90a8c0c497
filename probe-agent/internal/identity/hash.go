package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// gpuConstant keys the hash of a GPU's UUID. It is the same for everybody, so that one
// GPU is recognised under two owners; it keeps the hash from being looked up in tables
// made for other purposes.
const gpuConstant = "tierwise gpu identity 1"

// GPU is the name under which a GPU is known outside of its box: 128 bits that can't
// be turned back into its UUID without guessing it.
func GPU(uuid string) string { return digest(gpuConstant, strings.ToLower(uuid), 16) }

// Boot is the name of one boot of a machine.
func Boot(bootID string) string { return digest("tierwise boot 1", bootID, 8) }

// Fingerprint tells one machine from another: by its machine-id and its first GPU. It
// stays on the box.
func Fingerprint(machineID, firstGPU string) string {
	return digest("tierwise box 1", machineID+"\n"+firstGPU, 16)
}

// digest is an HMAC-SHA256 in hex, cut to n bytes.
func digest(key, text string, n int) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)[:n])
}
