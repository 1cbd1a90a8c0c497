package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

// api is the routes over the small catalogue.
func api(t testing.TB) *apigw.Router {
	t.Helper()
	s, err := seed.Read(os.DirFS("../../testdata/catalogue"))
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC) }
	return apigw.NewRouter(slog.New(slog.DiscardHandler), now, endpoint.Answers(s, now, endpoint.Charts{})...)
}

// offer is the tools.
func offer(t testing.TB) *Tools {
	t.Helper()
	x, err := NewTools()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// connected is the SDK's own client, over HTTP to the route as a Lambda function answers
// it, or over a pipe as on the command line.
func connected(t *testing.T, overHTTP bool) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	if !overHTTP {
		server := offer(t).Server(api(t), "test")
		here, there := sdk.NewInMemoryTransports()
		if _, err := server.Connect(t.Context(), there, nil); err != nil {
			t.Fatal(err)
		}
		return session(t, client, here)
	}
	router := apigw.NewRouter(slog.New(slog.DiscardHandler), time.Now, offer(t).Routes(api(t), "test")...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { forward(t, router, w, r) }))
	t.Cleanup(server.Close)
	return session(t, client, &sdk.StreamableClientTransport{Endpoint: server.URL + Path, DisableStandaloneSSE: true})
}

func session(t *testing.T, client *sdk.Client, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	s, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// forward is a gateway.
func forward(t *testing.T, router *apigw.Router, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	e := events.APIGatewayV2HTTPRequest{RawPath: r.URL.Path, Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true, Headers: make(map[string]string)}
	for name, values := range r.Header {
		e.Headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	e.RequestContext.HTTP.Method = r.Method
	answer, err := router.Serve(context.Background(), e)
	if err != nil {
		t.Error(err)
	}
	if kind := answer.Headers["content-type"]; answer.StatusCode == http.StatusOK && kind != "application/json" {
		t.Errorf("an answer of type %s, want JSON", kind)
	}
	if answer.Headers["mcp-session-id"] != "" {
		t.Error("a session was made, want none")
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.WriteString(w, answer.Body)
}

// calls are a call of each tool, and the schema of its answer.
func calls() map[string]struct {
	arguments string
	answer    schemas.Name
} {
	return map[string]struct {
		arguments string
		answer    schemas.Name
	}{
		"recommend": {`{"workload": {"kind": "finetune", "method": "lora", "model": {"name": "llama-2-7b"}}, "constraints": {"budget": "100"}}`, schemas.RecommendResponseSchema},
		"estimate":  {`{"workload": {"kind": "finetune", "model": {"params_b": "7"}}, "hardware": {"gpu": "A100-80GB-SXM", "gpu_count": 4}}`, schemas.EstimateResponseSchema},
		"offers":    {`{"gpu": ["A100", "T4"], "limit": 3, "purchase_model": ["on_demand"], "q": null}`, schemas.OffersResponseSchema},
		"tco":       {`{"resources": [{"offer": {"gpu": "A100"}}]}`, schemas.TCOResponseSchema},
		"forecast":  {`{"months": 3, "workloads": [{"resources": [{"offer": {"gpu": "A100"}}]}]}`, schemas.ForecastResponseSchema},
	}
}

// The SDK's own client finds the tools, with the schemas of the API, and their answers
// are the API's.
func TestTools(t *testing.T) {
	for name, overHTTP := range map[string]bool{"over HTTP": true, "over a pipe": false} {
		t.Run(name, func(t *testing.T) {
			s := connected(t, overHTTP)
			listed, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range listed.Tools {
				got = append(got, tool.Name)
				checkSchema(t, tool)
			}
			slices.Sort(got)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(calls())), got); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			for name, c := range calls() {
				result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(c.arguments)})
				if err != nil {
					t.Fatal(name, err)
				}
				text, ok := result.Content[0].(*sdk.TextContent)
				if result.IsError || !ok {
					t.Errorf("%s: %+v", name, result.Content[0])
					continue
				}
				structured, err := json.Marshal(result.StructuredContent)
				if err != nil {
					t.Fatal(err)
				}
				for _, document := range []string{text.Text, string(structured)} {
					if err := schemas.Validate(c.answer, []byte(document)); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		})
	}
}

// checkSchema tests that a tool takes what the API's schema says.
func checkSchema(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	text, err := json.Marshal(tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	name := schemas.Name(tool.Name + ".request")
	if tool.Name == "offers" {
		name = schemas.OffersQuerySchema
	}
	bundled, err := schemas.Bundled(name)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if json.Unmarshal(text, &got) != nil || json.Unmarshal(bundled, &want) != nil || !cmp.Equal(got, want) {
		t.Errorf("%s: its schema is not that of the API", tool.Name)
	}
}

// A refusal is a result that an agent can mend: it has the problem document.
func TestRefusals(t *testing.T) {
	s := connected(t, true)
	for _, c := range []struct{ tool, arguments, want string }{
		{"recommend", `{"workload": {"kind": "finetune"}}`, "/workload/model"},
		{"offers", `{"gpu": "H10O"}`, "did you mean"},
		{"offers", `{"limit": "many"}`, "/query/limit"},
		{"forecast", `{}`, "required"},
		{"tco", ``, "want resources"},
	} {
		var arguments any
		if c.arguments != "" {
			arguments = json.RawMessage(c.arguments)
		}
		result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := result.Content[0].(*sdk.TextContent)
		if !result.IsError || text == nil || !strings.Contains(text.Text, c.want) {
			t.Errorf("%s %s: want an error with %q, got %+v", c.tool, c.arguments, c.want, result.Content[0])
		}
	}
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "nothing"}); err == nil {
		t.Error("a tool that there is not was called")
	}
}

// What is no call is refused with a status of the protocol.
func TestNoCalls(t *testing.T) {
	router := apigw.NewRouter(slog.New(slog.DiscardHandler), time.Now, offer(t).Routes(api(t), "test")...)
	for _, c := range []struct {
		method, accept, body string
		status               int
	}{
		{"POST", "application/json, text/event-stream", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200},
		{"POST", "application/json, text/event-stream", `nonsense`, 400},
		{"POST", "text/plain", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 400},
		{"GET", "text/event-stream", ``, 405},
		{"DELETE", "", ``, 405},
	} {
		e := events.APIGatewayV2HTTPRequest{RawPath: Path, Body: c.body, Headers: map[string]string{"accept": c.accept, "content-type": "application/json"}}
		e.RequestContext.HTTP.Method = c.method
		answer, err := router.Serve(t.Context(), e)
		if err != nil || answer.StatusCode != c.status {
			t.Errorf("%s %s %s: got status %d, %v, want %d: %s", c.method, c.accept, c.body, answer.StatusCode, err, c.status, answer.Body)
		}
	}
}
