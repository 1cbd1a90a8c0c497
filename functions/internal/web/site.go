// Package web is the pages for people: a question in words and its plan, and the
// description of the API for reading.
//
// A page is HTML that the server makes from what the API answers, without scripts,
// and needs nothing but itself: its one style sheet is in it, and the content
// security policy allows that and a form to this server alone.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

//go:embed assets
var assets embed.FS

// Where the pages are.
const (
	HomePath  = "/"
	PlansPath = "/plans"
	DocsPath  = "/v1/docs"
)

// Planner answers questions in words.
type Planner interface {
	// Plans are the plans for the text in the query parameter q. Package apigw has a
	// status for its errors.
	Plans(r *apigw.Request) (schemas.RecommendResponse, error)
}

// Site is the pages, whatever the catalogue. Any number of goroutines may use it.
type Site struct {
	style  template.CSS
	policy string // the content security policy
	pages  map[string]*template.Template
	docs   func() ([]byte, error)
}

// NewSite reads the pages that are built in.
func NewSite() (*Site, error) {
	style, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return nil, fmt.Errorf("read pages: %w", err)
	}
	digest := sha256.Sum256(style)
	x := &Site{
		style: template.CSS(style),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'; img-src data:; " +
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		pages: make(map[string]*template.Template),
	}
	for _, name := range []string{"home", "plans", "failed", "docs"} {
		page, err := template.ParseFS(assets, "assets/layout.html", "assets/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("read pages: %w", err)
		}
		x.pages[name] = page
	}
	x.docs = sync.OnceValues(x.describe)
	return x, nil
}

// Routes are the pages over a catalogue, the description of the API, and the health
// check.
func (x *Site) Routes(s *catalog.Snapshot, p Planner) []apigw.Route {
	return []apigw.Route{
		{Method: http.MethodGet, Path: HomePath, Handler: x.home(s), Failed: x.failed},
		{Method: http.MethodGet, Path: PlansPath, Handler: x.plans(p), Failed: x.failed},
		{Method: http.MethodGet, Path: DocsPath, Handler: x.contract, Failed: x.failed},
		endpoint.Contract(),
		endpoint.Health(s),
	}
}

// view is what a page shows.
type view struct {
	Title    string
	Root     string // leads from the page to HomePath
	Style    template.CSS
	Question string
	Content  any
}

// render writes a page.
func (x *Site) render(name string, v view) ([]byte, error) {
	v.Style = x.style
	if v.Root == "" {
		v.Root = "./"
	}
	var out bytes.Buffer
	if err := x.pages[name].ExecuteTemplate(&out, "layout", v); err != nil {
		return nil, fmt.Errorf("write page %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// answer is a page as an answer.
func (x *Site) answer(status int, body []byte) apigw.Response {
	return apigw.Response{Status: status, Body: body, Header: map[string]string{
		"content-type":            "text/html; charset=utf-8",
		"content-security-policy": x.policy,
		"referrer-policy":         "no-referrer",
		"x-content-type-options":  "nosniff",
	}}
}
