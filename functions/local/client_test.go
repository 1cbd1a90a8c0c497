package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// client knows the API by its description alone: what it asks and what it takes for
// an answer, it has from there.
type client struct {
	t    *testing.T
	base string
	http *http.Client
	api  *openapi3.T
}

// operation is a described operation and where it is.
type operation struct {
	*openapi3.Operation
	method, path string
}

// find finds an operation by its id.
func (c client) find(id string) operation {
	c.t.Helper()
	for path, item := range c.api.Paths.Map() {
		for method, o := range item.Operations() {
			if o.OperationID == id {
				return operation{o, method, path}
			}
		}
	}
	c.t.Fatalf("the API has no operation %s", id)
	return operation{}
}

// call calls an operation with parameters, each of which must be described, and
// returns the status and the answer, which must be as described.
func (c client) call(id string, parameters map[string]any) (status int, answer map[string]any, header http.Header) {
	c.t.Helper()
	o := c.find(id)
	path, query, headers := o.path, url.Values{}, http.Header{}
	for name, value := range parameters {
		switch o.where(c.t, name) {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(fmt.Sprint(value)))
		case "header":
			headers.Set(name, fmt.Sprint(value))
		default:
			list, ok := value.([]any)
			if !ok {
				list = []any{value}
			}
			for _, v := range list {
				query.Add(name, fmt.Sprint(v))
			}
		}
	}
	request, err := http.NewRequest(o.method, c.base+path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header = headers
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response.StatusCode, c.read(o, response, body), response.Header
}

// where is where a parameter of an operation goes.
func (o operation) where(t *testing.T, name string) string {
	t.Helper()
	for _, p := range o.Parameters {
		if p.Value.Name == name {
			return p.Value.In
		}
	}
	t.Fatalf("%s has no parameter %s", o.OperationID, name)
	return ""
}

// read reads an answer as it is described.
func (c client) read(o operation, response *http.Response, body []byte) map[string]any {
	c.t.Helper()
	described := o.Responses.Status(response.StatusCode)
	if described == nil {
		c.t.Fatalf("%s: status %d is not described: %s", o.OperationID, response.StatusCode, body)
	}
	if len(described.Value.Content) == 0 {
		if len(body) > 0 {
			c.t.Errorf("%s: a body that is not described: %s", o.OperationID, body)
		}
		return nil
	}
	media := described.Value.Content.Get(response.Header.Get("Content-Type"))
	if media == nil {
		c.t.Fatalf("%s: content type %s is not described", o.OperationID, response.Header.Get("Content-Type"))
	}
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		c.t.Fatal(err)
	}
	if err := media.Schema.Value.VisitJSON(answer, openapi3.EnableJSONSchema2020()); err != nil {
		c.t.Errorf("%s: %v", o.OperationID, err)
	}
	return answer
}

// started is a client of a program that serves, which ends with the test.
func started(t *testing.T) client {
	t.Helper()
	p, _, _ := newProgram("")
	printed, out := io.Pipe()
	p.stdout = out
	p.getenv = environment("PORT", "0")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(ctx, []string{"serve"})
		out.Close()
	}()
	c := client{t: t, base: address(t, printed), http: &http.Client{Timeout: 30 * time.Second}}
	t.Cleanup(func() {
		c.http.CloseIdleConnections()
		stop()
		<-ended
	})
	response, err := c.http.Get(c.base + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if c.api, err = openapi3.NewLoader().LoadFromData(document); err != nil {
		t.Fatal(err)
	}
	return c
}

// A client that was written against the description reads the whole catalogue, page
// by page, and each offer of it.
func TestClientReadsTheCatalogue(t *testing.T) {
	c := started(t)
	seen := make(map[string]bool)
	parameters := map[string]any{"limit": 5, "sort": "as_of"}
	for {
		status, page, _ := c.call("listOffers", parameters)
		if status != http.StatusOK {
			t.Fatalf("got status %d: %v", status, page)
		}
		offers, _ := page["offers"].([]any)
		for _, o := range offers {
			offer, _ := o.(map[string]any)
			id, _ := offer["id"].(string)
			if seen[id] {
				t.Errorf("%s is on two pages", id)
			}
			seen[id] = true
			status, one, _ := c.call("getOffer", map[string]any{"id": id})
			if alone, _ := one["offer"].(map[string]any); status != http.StatusOK || alone["id"] != id {
				t.Errorf("%s: got status %d, %v", id, status, one)
			}
			if status, _, _ := c.call("getOfferHistory", map[string]any{"id": id}); status != http.StatusOK {
				t.Errorf("history of %s: got status %d", id, status)
			}
		}
		next, more := page["next_cursor"].(string)
		if !more {
			if total, _ := page["total"].(float64); int(total) != len(seen) || total == 0 {
				t.Errorf("read %d offers, total is %v", len(seen), total)
			}
			return
		}
		parameters["cursor"] = next
	}
}

// The values that the description allows are allowed, one by one.
func TestClientTriesEveryValue(t *testing.T) {
	c := started(t)
	for _, id := range []string{"listOffers", "listGPUs", "listProviders"} {
		for _, p := range c.find(id).Parameters {
			for _, value := range allowedBy(p.Value.Schema.Value) {
				parameters := map[string]any{p.Value.Name: value}
				if strings.HasPrefix(p.Value.Schema.Value.Description, "With compare") {
					parameters["compare"] = "class"
				}
				if status, answer, _ := c.call(id, parameters); status != http.StatusOK {
					t.Errorf("%s with %v: got status %d: %v", id, parameters, status, answer)
				}
			}
		}
	}
}

// allowedBy are values that a schema allows by name or as bounds.
func allowedBy(s *openapi3.Schema) []any {
	switch {
	case s.Items != nil:
		return allowedBy(s.Items.Value)
	case len(s.Enum) > 0:
		return s.Enum
	case s.Type.Is("boolean"):
		return []any{true, false}
	case s.Min != nil && s.Max != nil:
		return []any{*s.Min, *s.Max}
	}
	return nil
}

// What a client asks in vain it learns from the problem, and what it holds already
// it is not sent again.
func TestClientLearns(t *testing.T) {
	c := started(t)
	status, problem, _ := c.call("listOffers", map[string]any{"gpu": "H10O"})
	errs, _ := problem["errors"].([]any)
	if status != http.StatusBadRequest || len(errs) != 1 {
		t.Fatalf("got status %d: %v", status, problem)
	}
	first, _ := errs[0].(map[string]any)
	meant, _ := first["near"].([]any)
	if len(meant) == 0 {
		t.Fatalf("got no near name: %v", problem)
	}
	if status, page, _ := c.call("listOffers", map[string]any{"gpu": meant[0]}); status != http.StatusOK || page["total"] == 0.0 {
		t.Errorf("%v: got status %d: %v", meant[0], status, page)
	}
	if status, _, _ := c.call("getOffer", map[string]any{"id": "nobody.nowhere.nothing.spot"}); status != http.StatusNotFound {
		t.Errorf("got status %d", status)
	}
	for _, id := range []string{"listGPUs", "listProviders", "getContract"} {
		_, _, header := c.call(id, nil)
		if status, _, _ := c.call(id, map[string]any{"If-None-Match": header.Get("ETag")}); status != http.StatusNotModified {
			t.Errorf("%s: got status %d", id, status)
		}
	}
}
