// Package stack_test proves template.yaml, and runs what it deploys, without an
// account: in AWS's own checks, on moto server, and under AWS's emulator of the
// Lambda runtime.
package stack_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/dynamo/dynamotest"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/bot"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/mcp"
	"github.com/tierwise/tierwise/functions/internal/observe"
	"github.com/tierwise/tierwise/functions/internal/supply"
	"github.com/tierwise/tierwise/functions/internal/web"
)

var (
	api  *dynamotest.Server // the AWS that all tests of the package use
	root string             // the top of the repository
)

func TestMain(m *testing.M) {
	os.Exit(dynamotest.Main(m, func(s *dynamotest.Server) {
		api = s
		root, _ = dynamotest.Root()
	}))
}

// python runs a program of the virtual environment and returns what it prints.
func python(t *testing.T, stdin []byte, args ...string) []byte {
	t.Helper()
	interpreter, err := dynamotest.Python()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), interpreter, args...)
	command.Env = append(os.Environ(), "AWS_DEFAULT_REGION=us-east-1")
	command.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("python %v: %v\n%s%s", args, err, out, stderr.Bytes())
	}
	return out
}

// resource is a resource of CloudFormation.
type resource struct {
	Type       string
	Condition  string `json:",omitempty"` // under which it is there, "" for always
	Properties json.RawMessage
}

// template is CloudFormation.
type template struct {
	Parameters map[string]any
	Conditions map[string]any
	Resources  map[string]resource
	Outputs    map[string]any
}

// document is the CloudFormation that SAM makes of the template.
func document(t *testing.T) template {
	t.Helper()
	var document template
	decode(t, python(t, nil, "testdata/transform.py", filepath.Join(root, "template.yaml")), &document)
	return document
}

// stack is its resources.
func stack(t *testing.T) map[string]resource { return document(t).Resources }

func decode(t *testing.T, from []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(from, to); err != nil {
		t.Fatalf("%v in %s", err, from)
	}
}

// functions are the Lambda functions of the repository.
func functions(t *testing.T) []string {
	t.Helper()
	mains, err := filepath.Glob(filepath.Join(root, "functions", "*", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range mains {
		if name := filepath.Base(filepath.Dir(path)); name != "local" {
			names = append(names, name)
		}
	}
	return names
}

// logical is a function's name in the template.
func logical(function string) string {
	return strings.ToUpper(function[:1]) + function[1:] + "Function"
}

func TestLint(t *testing.T) {
	python(t, nil, "-c", "import sys, cfnlint.runner; sys.exit(cfnlint.runner.main())", filepath.Join(root, "template.yaml"))
}

func TestFunctionsOfTheTemplate(t *testing.T) {
	drawing := []string{"RecommendFunction", "ForecastFunction", "WebFunction", "SlackFunction"} // they sign pictures, or draw them
	var got, want []string
	for name, r := range stack(t) {
		if r.Type != "AWS::Lambda::Function" {
			continue
		}
		got = append(got, name)
		var p struct {
			Handler, Runtime string
			Architectures    []string
			Timeout          int
			MemorySize       int
			Environment      struct {
				Variables map[string]any
			}
		}
		decode(t, r.Properties, &p)
		if p.Handler != "bootstrap" || p.Runtime != "provided.al2023" || !slices.Equal(p.Architectures, []string{"arm64"}) || p.Timeout == 0 {
			t.Errorf("%s is %+v", name, p)
		}
		checkEnvironment(t, name, p.MemorySize, p.Environment.Variables)
		if slices.Contains(drawing, name) != (p.Environment.Variables[endpoint.ChartKeyVariable] != nil) {
			t.Errorf("%s: a key of pictures is for those that sign them or draw them alone", name)
		}
	}
	for _, f := range functions(t) {
		want = append(want, logical(f))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("folders and functions of the template differ (-folders +template):\n%s", diff)
	}
}

// checkEnvironment tests the variables of a function: what all have, and of the rest only
// what refers to something, since a secret must not stand in a template.
func checkEnvironment(t *testing.T, function string, memoryMB int, variables map[string]any) {
	t.Helper()
	limit := variables["GOMEMLIMIT"]
	want := map[string]any{supply.TableVariable: map[string]any{"Ref": "Table"}, observe.StackVariable: map[string]any{"Ref": "AWS::StackName"},
		"GOMEMLIMIT": limit, "GOGC": float64(collected), "GOMAXPROCS": float64(1)}
	if memoryMB > wholeCPU {
		t.Errorf("%s: %d MB have more than one processor, want GOMAXPROCS to say so", function, memoryMB)
	}
	got := maps.Clone(variables)
	maps.DeleteFunc(got, func(name string, value any) bool {
		_, refers := value.(map[string]any)
		return want[name] == nil && refers
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: environment (-want +got):\n%s", function, diff)
	}
	if function == "Recommend" && memoryMB != chosenMB {
		t.Errorf("%s has %d MB, but starts are measured for %d", function, memoryMB, chosenMB)
	}
	var mib int
	if _, err := fmt.Sscanf(fmt.Sprint(limit), "%dMiB", &mib); err != nil || mib < memoryMB*6/10 || mib > memoryMB*85/100 {
		t.Errorf("%s has a limit of %v of %d MB: want 60 to 85 %%, the rest being the system's", function, limit, memoryMB)
	}
}

// routes are the routes that each function answers itself.
func routes(t *testing.T) map[string][]string {
	t.Helper()
	s := catalogtest.Snapshot(t, "v1", 1)
	site, err := web.NewSite(func(*catalog.Snapshot) []apigw.Route { return nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := mcp.NewTools()
	if err != nil {
		t.Fatal(err)
	}
	plans := endpoint.NewRecommend(engine.New(s), time.Now)
	forecasts := endpoint.NewForecast(engine.New(s), time.Now)
	named := make(map[string][]string)
	for function, routes := range map[string][]apigw.Route{
		"RecommendFunction":    plans.Routes(),
		"TcoFunction":          endpoint.NewTCO(engine.New(s), time.Now).Routes(),
		"ForecastFunction":     append(forecasts.Routes(), endpoint.NewPortfolios(forecasts, nil).Routes()...),
		"OffersFunction":       endpoint.NewCatalogue(s, time.Now).Routes(),
		"MeasurementsFunction": append(endpoint.NewMeasurements(nil, nil, nil).Routes(), endpoint.NewCoefficients(s, nil, time.Now).Routes()...),
		"SlackFunction":        bot.New(bot.Config{}).Routes(plans),
		"McpFunction":          tools.Routes(nil, "test"),
		"WebFunction":          append(site.Routes(s), endpoint.Charts{}.Routes()...),
	} {
		for _, r := range routes {
			named[function] = append(named[function], r.Method+" "+r.Path)
		}
	}
	return named
}

func TestRoutesOfTheTemplate(t *testing.T) {
	var p struct {
		Body struct {
			Paths map[string]map[string]struct {
				Integration struct {
					URI     map[string]string `json:"uri"`
					Payload string            `json:"payloadFormatVersion"`
				} `json:"x-amazon-apigateway-integration"`
			} `json:"paths"`
		}
	}
	decode(t, stack(t)["Api"].Properties, &p)
	got := make(map[string][]string)
	for path, methods := range p.Body.Paths {
		for method, route := range methods {
			_, function, _ := strings.Cut(route.Integration.URI["Fn::Sub"], "functions/${")
			function, _, _ = strings.Cut(function, ".")
			got[function] = append(got[function], strings.ToUpper(method)+" "+path)
			if route.Integration.Payload != "2.0" {
				t.Errorf("%s %s: payload format %q, want 2.0", method, path, route.Integration.Payload)
			}
		}
	}
	all := routes(t)
	for function, want := range all {
		slices.Sort(want)
		slices.Sort(got[function])
		if diff := cmp.Diff(want, got[function]); diff != "" {
			t.Errorf("%s (-handlers +template):\n%s", function, diff)
		}
	}
	if len(got) != len(all) {
		t.Errorf("%d functions have routes, want %d", len(got), len(all))
	}
}

// made are the types of resources that moto makes.
var made = []string{"AWS::DynamoDB::Table", "AWS::IAM::Role", "AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::Logs::LogGroup"}

// create makes on moto what of the stack it supports, and returns physical ids.
func create(t *testing.T) map[string]string {
	t.Helper()
	document := document(t)
	for name, r := range document.Resources {
		if !slices.Contains(made, r.Type) {
			delete(document.Resources, name)
		}
	}
	text, err := json.Marshal(map[string]any{"Parameters": document.Parameters, "Conditions": document.Conditions, "Resources": document.Resources})
	if err != nil {
		t.Fatal(err)
	}
	var rows [][3]string
	decode(t, python(t, text, "testdata/create.py", api.Connection.Endpoint, "tierwise-"+strings.ToLower(rand.Text())), &rows)
	ids := make(map[string]string)
	for _, r := range rows {
		ids[r[0]] = r[2]
	}
	if len(ids) != len(document.Resources) {
		t.Errorf("%d resources were made, want %d", len(ids), len(document.Resources))
	}
	return ids
}
