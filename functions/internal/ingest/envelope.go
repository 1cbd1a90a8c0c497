package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"

	"github.com/go-jose/go-jose/v4"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/schemas"
)

// The types of what a box signs, in the protected header.
const (
	typeMeasurement = "tierwise-measurement+jws"
	typeForget      = "tierwise-forget+jws"
)

// mostEnvelope is the size of the largest envelope: of the largest document, in
// base64, with header and signature.
const mostEnvelope = (schemas.MaxBytes+2)/3*4 + 1024

// unpacked is the text of an upload. Of what decompresses to more than is allowed only
// as much is read.
func unpacked(u Upload) ([]byte, error) {
	media, _, err := mime.ParseMediaType(u.ContentType)
	switch {
	case err != nil || media != "application/jose":
		return nil, refuse(BadMedia, "send a compact JWS with the header Content-Type: application/jose")
	case u.ContentEncoding != "" && u.ContentEncoding != "identity" && u.ContentEncoding != "gzip":
		return nil, refuse(BadMedia, "send it compressed with gzip, or not at all")
	}
	var in io.Reader = bytes.NewReader(u.Body)
	if u.ContentEncoding == "gzip" {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, refuse(BadEncoding, "the body is no gzip")
		}
	}
	text, err := io.ReadAll(io.LimitReader(in, mostEnvelope+1))
	switch {
	case err != nil:
		return nil, refuse(BadEncoding, "the gzip is damaged, or ends too early")
	case len(text) > mostEnvelope:
		return nil, refuse(TooLarge, fmt.Sprintf("the report is larger than %d bytes", schemas.MaxBytes))
	}
	return text, nil
}

// opened is what a box signed.
type opened struct {
	box     catalog.Box
	payload []byte
}

// open verifies an envelope of a type by the key that it names. A revoked key is told
// by the caller.
func (s *Service) open(ctx context.Context, text, kind string) (opened, error) {
	jws, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(jws.Signatures) != 1 {
		return opened{}, refuse(BadEnvelope, "want a compact JWS signed with EdDSA")
	}
	header := jws.Signatures[0].Protected
	if header.ExtraHeaders[jose.HeaderType] != kind || header.KeyID == "" {
		return opened{}, refuse(BadEnvelope, "want the headers typ: "+kind+" and kid")
	}
	box, err := s.store.Box(ctx, catalog.BoxID(header.KeyID))
	if errors.Is(err, catalog.ErrNotFound) {
		return opened{}, refuse(UnknownBox, "nobody has enrolled this key")
	}
	if err != nil {
		return opened{}, err
	}
	payload, err := jws.Verify(ed25519.PublicKey(box.PublicKey))
	if err != nil {
		return opened{}, refuse(BadSignature, "the signature is not by the key that it names")
	}
	return opened{box, payload}, nil
}

// base64url decodes n bytes.
func base64url(text string, n int) ([]byte, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return raw, err == nil && len(raw) == n
}
