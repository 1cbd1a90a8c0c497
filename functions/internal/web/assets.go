package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"github.com/tierwise/tierwise/functions/internal/apigw"
)

// file is a style sheet or a script.
type file struct {
	mediaType string
	content   string
}

// keep reads an asset and names it by its content, so that it may be held for good.
func (x *Site) keep(name, mediaType string) (string, error) {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return "", fmt.Errorf("read pages: %w", err)
	}
	digest := sha256.Sum256(content)
	named := strings.TrimSuffix(name, path.Ext(name)) + "-" + hex.EncodeToString(digest[:6]) + path.Ext(name)
	x.files[named] = file{mediaType, string(content)}
	return named, nil
}

// asset answers a style sheet or a script.
func (x *Site) asset(_ context.Context, r *apigw.Request) (apigw.Response, error) {
	if _, err := r.Parameters(); err != nil {
		return apigw.Response{}, err
	}
	found, ok := x.files[r.Values["name"]]
	if !ok {
		return apigw.Response{}, apigw.NotFoundError{}
	}
	return apigw.Response{Body: found.content, Header: map[string]string{
		"content-type":           found.mediaType,
		"cache-control":          "public, max-age=31536000, immutable",
		"x-content-type-options": "nosniff",
	}}, nil
}
