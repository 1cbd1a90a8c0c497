package web

import (
	"log/slog"
	"regexp"
	"testing"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
)

// pictureLink is a link to a picture, as pages one folder below the top have it.
var pictureLink = regexp.MustCompile(`href="\./(v1/charts/[A-Za-z0-9_-]+\.png)"`)

// Pages link to pictures of what they show, and to none without a key.
func TestPagesLinkToPictures(t *testing.T) {
	s := smallCatalogue(t)
	drawn := apigw.NewRouter(slog.New(slog.DiscardHandler), noon, append(siteOver(t, nil).Routes(s), pictures(t).Routes()...)...)
	plain, err := NewSite(func(s *catalog.Snapshot) []apigw.Route { return endpoint.Shown(s, noon, endpoint.Charts{}) }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/plans?q=cheapest+7B+fine-tune": 2, "/forecast?job=cheapest+7B+fine-tune": 1} {
		links := pictureLink.FindAllStringSubmatch(get(t, drawn, path).Body, -1)
		if len(links) != want {
			t.Errorf("%s links to %d pictures, want %d", path, len(links), want)
		}
		for _, link := range links {
			if answer := get(t, drawn, "/"+link[1]); answer.StatusCode != 200 || answer.Headers["content-type"] != "image/png" {
				t.Errorf("%s: %s: status %d, %s", path, link[1], answer.StatusCode, answer.Headers["content-type"])
			}
		}
		if links := pictureLink.FindAllString(get(t, apigw.NewRouter(slog.New(slog.DiscardHandler), noon, plain.Routes(s)...), path).Body, -1); len(links) > 0 {
			t.Errorf("%s links to %v without a key", path, links)
		}
	}
}
