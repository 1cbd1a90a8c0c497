package convert

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tierwise/tierwise/catalog"
)

// A cursor says where a page begins: how many offers of which query of which
// catalogue version come before. A version never changes, so neither does what a
// cursor leads to. It is base64url of
//
//	form (1 byte), digest of the version (6), digest of the query (6),
//	digest of all the rest (4), number of offers before (uvarint)
const (
	cursorForm   = 1
	digestBytes  = 6
	sealBytes    = 4
	cursorHeader = 1 + 2*digestBytes + sealBytes
)

// What is wrong with a cursor.
var (
	errCursorDamaged = errors.New("the cursor is damaged: give next_cursor of an answer as it stands, or leave it out for the first page")
	errCursorQuery   = errors.New("the cursor is of another query: repeat the parameters that it came with, sort included, or leave it out for the first page")
	errCursorVersion = errors.New("the cursor is of another catalogue version: prices have changed, leave it out for the first page")
)

// encodeCursor makes the cursor of the page after the first skip offers.
func encodeCursor(v catalog.Version, q catalog.Query, skip int) (string, error) {
	query, err := queryDigest(q)
	if err != nil {
		return "", err
	}
	body := append([]byte{cursorForm}, versionDigest(v)...)
	body = append(body, query...)
	before := binary.AppendUvarint(nil, uint64(skip))
	body = append(body, seal(body, before)...)
	return base64.RawURLEncoding.EncodeToString(append(body, before...)), nil
}

// decodeCursor reads how many offers come before a page. The error is one of those
// above, or of the query.
func decodeCursor(text string, v catalog.Version, q catalog.Query) (skip int, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= cursorHeader || raw[0] != cursorForm {
		return 0, errCursorDamaged
	}
	unsealed, before := raw[:cursorHeader-sealBytes], raw[cursorHeader:]
	n, read := binary.Uvarint(before)
	if !bytes.Equal(seal(unsealed, before), raw[cursorHeader-sealBytes:cursorHeader]) || read != len(before) || n > 1<<40 {
		return 0, errCursorDamaged
	}
	query, err := queryDigest(q)
	if err != nil {
		return 0, err
	}
	switch {
	case !bytes.Equal(unsealed[1+digestBytes:], query):
		return 0, errCursorQuery
	case !bytes.Equal(unsealed[1:1+digestBytes], versionDigest(v)):
		return 0, errCursorVersion
	}
	return int(n), nil
}

// versionDigest names a version in few bytes.
func versionDigest(v catalog.Version) []byte {
	sum := sha256.Sum256([]byte(v))
	return sum[:digestBytes]
}

// queryDigest names a query in few bytes: its filters and its order.
func queryDigest(q catalog.Query) ([]byte, error) {
	document, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("name the query: %w", err)
	}
	sum := sha256.Sum256(document)
	return sum[:digestBytes], nil
}

// seal tells a damaged cursor from a whole one.
func seal(body, before []byte) []byte {
	sum := sha256.Sum256(append(append([]byte("cursor"), body...), before...))
	return sum[:sealBytes]
}
