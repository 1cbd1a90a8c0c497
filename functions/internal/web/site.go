// Package web is the pages for people: a question in words or from a form and its
// plans, the offers, the market, forecasts, and the description of the API for reading.
//
// A page is HTML that the server makes from what the API's own routes answer. It works
// without scripts; the one script only makes it handier. Style sheet and script come
// from this server, and the content security policy allows nothing from any other.
package web

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
)

//go:embed assets
var assets embed.FS

// Where the pages are.
const (
	HomePath     = "/"
	PlansPath    = "/plans"
	OffersPath   = "/offers"
	OfferPath    = "/offers/{id}"
	ForecastPath = "/forecast"
	MarketPath   = "/market"
	MeasuredPath = "/coefficients"
	DocsPath     = "/v1/docs"
	AssetsPath   = "/assets/{name}"
)

// policy is the content security policy of every page.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// pageNames are the templates of pages.
var pageNames = []string{"home", "plans", "offers", "offer", "forecast", "market", "coefficients", "failed", "docs"}

// Past opens earlier versions of the catalogue.
type Past interface {
	// Load fails with catalog.ErrNotFound if the version is not kept.
	Load(ctx context.Context, v catalog.Version) (*catalog.Snapshot, error)
}

// API makes the routes of the API over a catalogue.
type API func(*catalog.Snapshot) []apigw.Route

// Site is the pages, whatever the catalogue. Any number of goroutines may use it.
type Site struct {
	api    API
	past   *archive
	files  map[string]file
	style  string // the name of the style sheet among the files
	script string
	words  map[language]map[string]string
	pages  map[language]map[string]*template.Template
	docs   func() (described, error)
}

// NewSite reads the pages that are built in. past may be nil: then only the current
// catalogue is shown.
func NewSite(api API, past Past) (*Site, error) {
	x := &Site{
		api: api, past: &archive{past: past, api: api}, files: make(map[string]file),
		words: make(map[language]map[string]string), pages: make(map[language]map[string]*template.Template),
		docs: sync.OnceValues(describe),
	}
	var err error
	if x.style, err = x.keep("style.css", "text/css; charset=utf-8"); err != nil {
		return nil, err
	}
	if x.script, err = x.keep("page.js", "text/javascript; charset=utf-8"); err != nil {
		return nil, err
	}
	for _, l := range languages {
		if err := x.read(l); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// read reads the words and the pages of a language.
func (x *Site) read(l language) error {
	words, err := wordsOf(l)
	if err != nil {
		return err
	}
	x.words[l], x.pages[l] = words, make(map[string]*template.Template)
	functions := template.FuncMap{
		"t":     func(text string, args ...any) string { return say(words, text, args...) },
		"kinds": kinds,
		"upper": capital,
		"deref": func(b *bool) bool { return *b },
	}
	for _, name := range pageNames {
		page, err := template.New(name).Funcs(functions).ParseFS(assets, "assets/layout.html", "assets/parts.html", "assets/"+name+".html")
		if err != nil {
			return fmt.Errorf("read pages: %w", err)
		}
		x.pages[l][name] = page
	}
	return nil
}

// Routes are the pages over a catalogue, the description of the API, and the health
// check.
func (x *Site) Routes(s *catalog.Snapshot) []apigw.Route {
	now := newEdition(s, x.api)
	routes := []apigw.Route{{Method: http.MethodGet, Path: AssetsPath, Handler: x.asset}, endpoint.Contract(), endpoint.Health(s)}
	for path, show := range map[string]show{
		HomePath: x.home, PlansPath: x.plans, OffersPath: x.offers, OfferPath: x.offer,
		ForecastPath: x.forecast, MarketPath: x.market, MeasuredPath: x.coefficients, DocsPath: x.contract,
	} {
		routes = append(routes, x.route(path, now, show))
	}
	return routes
}

// show makes the answer to a visit.
type show func(ctx context.Context, v *visit) (apigw.Response, error)

// route is the route of a page.
func (x *Site) route(path string, now *edition, show show) apigw.Route {
	return apigw.Route{Method: http.MethodGet, Path: path, Failed: x.failed,
		Handler: func(ctx context.Context, r *apigw.Request) (apigw.Response, error) {
			v, err := x.visitOf(ctx, r, now)
			if err != nil {
				return apigw.Response{}, err
			}
			return show(ctx, v)
		}}
}

// render writes a page as an answer.
func (x *Site) render(status int, name string, v view) (apigw.Response, error) {
	v.Style, v.Script, v.words = x.style, x.script, x.words[v.Lang]
	var out bytes.Buffer
	if err := x.pages[v.Lang][name].ExecuteTemplate(&out, "layout", v); err != nil {
		return apigw.Response{}, fmt.Errorf("write page %s: %w", name, err)
	}
	return apigw.Response{Status: status, Body: squeezed(out.Bytes()), Header: map[string]string{
		"content-type":            "text/html; charset=utf-8",
		"content-language":        v.Lang.Tag(),
		"content-security-policy": policy,
		"referrer-policy":         "no-referrer",
		"vary":                    "accept-language",
		"x-content-type-options":  "nosniff",
	}}, nil
}

// squeezed is a page without the blank lines that templates leave.
func squeezed(page []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(page) {
		if len(bytes.TrimSpace(line)) > 0 {
			out.Write(line)
		}
	}
	return out.String()
}

// root leads from a path to HomePath, whatever stage the gateway puts before it.
func root(path string) string {
	return "./" + strings.Repeat("../", max(0, strings.Count(path, "/")-1))
}
