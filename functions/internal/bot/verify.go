package bot

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/schemas"
)

// The headers of a signed request.
const (
	signatureHeader = "X-Slack-Signature"
	timestampHeader = "X-Slack-Request-Timestamp"
)

// tolerance is how far a request's timestamp may be from now, as Slack advises. An
// older one may be replayed by somebody who recorded it.
const tolerance = 5 * time.Minute

// verified is the form in a request that Slack signed, and when it was sent. The error
// is an apigw.SignatureError for what Slack did not sign.
func (b *Bot) verified(ctx context.Context, r *apigw.Request) (form url.Values, sent time.Time, err error) {
	secret, err := b.config.Secret(ctx)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the signing secret: %w", err)
	}
	stamp := r.Header.Get(timestampHeader)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	sent = time.Unix(seconds, 0)
	if age := b.config.Now().Sub(sent); err != nil || age > tolerance || age < -tolerance {
		return nil, time.Time{}, apigw.SignatureError{}
	}
	if secret == "" || !signedBy(secret, stamp, r) {
		return nil, time.Time{}, apigw.SignatureError{}
	}
	form, err = url.ParseQuery(string(r.Body))
	if err != nil {
		return nil, time.Time{}, schemas.Invalid("", "want a form, as Slack sends it")
	}
	return form, sent, nil
}

// signedBy reports whether the body and the timestamp were signed with the secret: the
// HMAC-SHA256 of "v0:timestamp:body". Signatures are compared in constant time.
func signedBy(secret, stamp string, r *apigw.Request) bool {
	digits, versioned := strings.CutPrefix(r.Header.Get(signatureHeader), "v0=")
	got, err := hex.DecodeString(digits)
	if err != nil || !versioned {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(r.Body)
	return hmac.Equal(got, mac.Sum(nil))
}
