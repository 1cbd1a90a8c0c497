package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// visit is a request of a page.
type visit struct {
	*edition // what it is answered from

	site    *Site
	request *apigw.Request
	lang    language
	stale   bool // the store could not be asked whether the catalogue is current
	old     bool // answered from an earlier catalogue than the current one
}

// The query parameters that every page takes: the language of the page, and what its
// answer is to be repeated from.
const (
	langParameter    = "lang"
	versionParameter = "catalog_version"
	instantParameter = "computed_at"
)

// visitOf reads what every page takes.
func (x *Site) visitOf(ctx context.Context, r *apigw.Request, now *edition) (*visit, error) {
	v := &visit{edition: now, site: x, request: r, lang: languageOf(r)}
	_, v.stale = endpoint.Stale(ctx)
	for name, values := range r.Query {
		if len(values) > 1 && slices.Contains([]string{langParameter, versionParameter, instantParameter, "q"}, name) {
			return nil, apigw.InvalidParameter(name, "the query parameter is given twice")
		}
	}
	if asked := r.Query.Get(langParameter); asked != "" && asked != string(english) && asked != string(chinese) {
		return nil, apigw.InvalidParameter(langParameter, "want en or zh; got "+schemas.Quoted(asked))
	}
	asked := catalog.Version(r.Query.Get(versionParameter))
	if asked == "" || asked == now.snapshot.Version() {
		return v, nil
	}
	then, err := x.past.at(ctx, asked)
	if err != nil {
		return nil, err
	}
	v.edition, v.old, v.stale = then, true, false
	return v, nil
}

// languageOf is the language that a page is asked for in: the one stated, else that of
// a question, else the one that the reader prefers.
func languageOf(r *apigw.Request) language {
	stated := language(r.Query.Get(langParameter))
	switch {
	case slices.Contains(languages, stated):
		return stated
	case han(r.Query.Get("q")):
		return chinese
	default:
		return preferred(r.Header.Get("Accept-Language"))
	}
}

// say is a text in the language of the page.
func (v *visit) say(text string, args ...any) string {
	return say(v.site.words[v.lang], text, args...)
}

// asked are the query parameters of the page's own: no empty ones, and not those that
// every page takes.
func (v *visit) asked() url.Values {
	own := make(url.Values)
	for name, values := range v.request.Query {
		kept := slices.DeleteFunc(slices.Clone(values), func(value string) bool { return value == "" })
		if len(kept) > 0 && name != langParameter && name != versionParameter && name != instantParameter {
			own[name] = kept
		}
	}
	return own
}

// instant is the query parameter computed_at alone.
func (v *visit) instant() url.Values {
	only := make(url.Values)
	if at := v.request.Query.Get(instantParameter); at != "" {
		only.Set(instantParameter, at)
	}
	return only
}

// page is a view of the page with a title, in the language of the visit.
func (v *visit) page(title string, content any) view {
	p := viewOf(v.request)
	p.Title, p.Content, p.Lang, p.Stale, p.Old = title+" - Tierwise", content, v.lang, v.stale, v.old
	p.Version = string(v.snapshot.Version())
	return p
}

// view is what a page shows.
type view struct {
	Title         string
	Lang          language
	Root          string // leads from the page to HomePath
	Path          string // the page's own, from HomePath
	Style, Script string
	Question      string
	Version       string // of the catalogue
	Stale         bool   // the store could not be asked whether the catalogue is current
	Old           bool   // the catalogue is not the current one
	Content       any

	query url.Values
	words map[string]string
}

// viewOf is a view of what a request asks for.
func viewOf(r *apigw.Request) view {
	return view{Lang: languageOf(r), Root: root(r.Path), Path: r.Path[min(1, len(r.Path)):], Question: printable(r.Query.Get("q")), query: r.Query}
}

// Link leads to a page of the site with query parameters, by name and value, in the
// language that was asked for. Those without a value are left out.
func (v view) Link(path string, pairs ...string) string {
	query := make(url.Values)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Add(pairs[i], pairs[i+1])
		}
	}
	return v.to(path, query)
}

// to is Link for parameters in a map.
func (v view) to(path string, query url.Values) string {
	if stated := v.query.Get(langParameter); stated != "" && query.Get(langParameter) == "" {
		query.Set(langParameter, string(v.Lang))
	}
	if len(query) == 0 {
		return v.Root + path
	}
	return v.Root + path + "?" + encoded(query)
}

// Here leads to this page with other values of some of its parameters; an empty one
// leaves the parameter out.
func (v view) Here(pairs ...string) string {
	query := make(url.Values, len(v.query))
	for name, values := range v.query {
		kept := make([]string, 0, len(values))
		for _, value := range values {
			kept = append(kept, printable(value))
		}
		query[name] = kept
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Del(pairs[i])
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return v.to((&url.URL{Path: v.Path}).EscapedPath(), query)
}

// meant are links to this page with a question in words in which a piece that was not
// understood is replaced by what it may have been meant for.
func (v view) meant(parameter string, suggestions []schemas.Suggestion) []choice {
	var all []choice
	asked := printable(v.query.Get(parameter))
	for _, s := range suggestions {
		lower := strings.ToLower(asked)
		at := strings.Index(lower, strings.ToLower(s.Text))
		if at < 0 || len(lower) != len(asked) {
			continue
		}
		for _, word := range s.Near {
			all = append(all, choice{v.Here(parameter, asked[:at]+word+asked[at+len(s.Text):]), word})
		}
	}
	return all
}

// questionIn is the parameter that a page is asked a question in words with.
func questionIn(r *apigw.Request) string {
	if r.Query.Get("job") != "" {
		return "job"
	}
	return "q"
}

// Stated is the language if the page's address states it, for forms to keep it.
func (v view) Stated() string { return v.query.Get(langParameter) }

// On reports whether the page is one of these, or below one.
func (v view) On(pages ...string) bool {
	first, _, _ := strings.Cut(v.Path, "/")
	return slices.Contains(pages, v.Path) || first != "v1" && slices.Contains(pages, first)
}

// OfferLink leads to the page of an offer.
func (v view) OfferLink(id string) string { return v.Link("offers/" + url.PathEscape(id)) }

// encoded are query parameters as links have them. A space is not written as a plus,
// which HTML would have to escape.
func encoded(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }
