// Package stack_test proves template.yaml, and runs what it deploys, without an
// account: in AWS's own checks, on moto server, and under AWS's emulator of the
// Lambda runtime.
package stack_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/dynamo/dynamotest"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
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
	Properties json.RawMessage
}

// stack is the CloudFormation that SAM makes of the template.
func stack(t *testing.T) map[string]resource {
	t.Helper()
	var document struct{ Resources map[string]resource }
	decode(t, python(t, nil, "testdata/transform.py", filepath.Join(root, "template.yaml")), &document)
	return document.Resources
}

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
			Environment      struct {
				Variables map[string]any
			}
		}
		decode(t, r.Properties, &p)
		if p.Handler != "bootstrap" || p.Runtime != "provided.al2023" || !slices.Equal(p.Architectures, []string{"arm64"}) || p.Timeout == 0 {
			t.Errorf("%s is %+v", name, p)
		}
		if diff := cmp.Diff(map[string]any{"TABLE": map[string]any{"Ref": "Table"}}, p.Environment.Variables); diff != "" {
			t.Errorf("%s: environment (-want +got):\n%s", name, diff)
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

// routes are the routes that each function answers itself.
func routes(t *testing.T) map[string][]string {
	t.Helper()
	s := catalogtest.Snapshot(t, "v1", 1)
	site, err := web.NewSite()
	if err != nil {
		t.Fatal(err)
	}
	plans := endpoint.NewRecommend(engine.New(s), time.Now)
	forecasts := endpoint.NewForecast(engine.New(s), time.Now)
	named := make(map[string][]string)
	for function, routes := range map[string][]apigw.Route{
		"RecommendFunction": plans.Routes(),
		"TcoFunction":       endpoint.NewTCO(engine.New(s), time.Now).Routes(),
		"ForecastFunction":  append(forecasts.Routes(), endpoint.NewPortfolios(forecasts, nil).Routes()...),
		"OffersFunction":    endpoint.NewCatalogue(s, time.Now).Routes(),
		"WebFunction":       site.Routes(s, plans),
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

func TestPolicies(t *testing.T) {
	read := []string{"dynamodb:GetItem", "dynamodb:Query"}
	write := slices.Concat(read, []string{"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem"})
	ofTenants := []string{"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"}
	resources := stack(t)
	for role, want := range map[string][]string{"ForecastFunctionRole": slices.Concat(read, ofTenants), "RecommendFunctionRole": read, "TcoFunctionRole": read, "OffersFunctionRole": read, "WebFunctionRole": read, "RefreshFunctionRole": write} {
		var p struct {
			ManagedPolicyArns []string
			Policies          []struct {
				PolicyDocument struct {
					Statement []struct {
						Action    []string
						Resource  json.RawMessage
						Condition map[string]map[string][]string
					}
				}
			}
		}
		decode(t, resources[role].Properties, &p)
		if len(p.ManagedPolicyArns) != 1 || !strings.HasSuffix(p.ManagedPolicyArns[0], "AWSLambdaBasicExecutionRole") {
			t.Errorf("%s has the managed policies %v, want only the one to write logs", role, p.ManagedPolicyArns)
		}
		var got []string
		for _, policy := range p.Policies {
			for _, s := range policy.PolicyDocument.Statement {
				got = append(got, s.Action...)
				keys := s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
				about := []string{"CATALOG", "LOG", "SET#*"}
				if slices.Equal(s.Action, ofTenants) {
					about = []string{"TENANT#*"}
				}
				if string(s.Resource) != `{"Fn::GetAtt": ["Table", "Arn"]}` || !slices.Equal(keys, about) {
					t.Errorf("%s: a statement is about %s, keys %v, want %v in the table", role, s.Resource, keys, about)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
}

// create makes on moto what of the stack it supports, and returns physical ids.
func create(t *testing.T) map[string]string {
	t.Helper()
	kept := make(map[string]any)
	for name, r := range stack(t) {
		switch r.Type {
		case "AWS::DynamoDB::Table", "AWS::IAM::Role":
			kept[name] = map[string]any{"Type": r.Type, "Properties": r.Properties}
		}
	}
	document, err := json.Marshal(map[string]any{"Resources": kept})
	if err != nil {
		t.Fatal(err)
	}
	var made [][3]string
	decode(t, python(t, document, "testdata/create.py", api.Connection.Endpoint), &made)
	ids := make(map[string]string)
	for _, r := range made {
		ids[r[0]] = r[2]
	}
	if len(ids) != len(kept) {
		t.Errorf("%d resources were made, want %d", len(ids), len(kept))
	}
	return ids
}
