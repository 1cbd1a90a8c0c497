package stack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/functions/internal/cost"
)

// at is a value deep in a document: "Properties.KeySchema". It is nil if there is none.
func at(t *testing.T, document json.RawMessage, names ...string) any {
	t.Helper()
	var value any
	decode(t, document, &value)
	for _, name := range names {
		members, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = members[name]
	}
	return value
}

// Each row is a promise of the stack: a property of a resource, as text.
func TestPromises(t *testing.T) {
	resources := stack(t)
	for _, row := range []struct{ resource, property, want string }{
		{"Table", "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled", "true"},
		{"Table", "SSESpecification.SSEEnabled", "true"},
		{"Table", "TimeToLiveSpecification", "map[AttributeName:expires Enabled:true]"},
		{"Table", "StreamSpecification.StreamViewType", "NEW_IMAGE"},
		{"Table", "DeletionProtectionEnabled", "map[Fn::If:[IsProtected true false]]"},
		{"Table", "BillingMode", "PAY_PER_REQUEST"},
		{"ApiApiGatewayDefaultStage", "DefaultRouteSettings.ThrottlingRateLimit", "map[Ref:RequestsPerSecond]"},
		{"ApiApiGatewayDefaultStage", "DefaultRouteSettings.ThrottlingBurstLimit", "map[Ref:RequestsAtOnce]"},
		{"ApiApiGatewayDefaultStage", "AccessLogSettings.DestinationArn", "map[Fn::GetAtt:[AccessLogs Arn]]"},
		{"Logs", "RetentionInDays", "map[Ref:LogRetentionDays]"},
		{"AccessLogs", "RetentionInDays", "map[Ref:LogRetentionDays]"},
		{"DeadLetters", "SqsManagedSseEnabled", "true"},
		{"AggregateStream", "EventSourceArn", "map[Fn::GetAtt:[Table StreamArn]]"},
		{"AggregateStream", "DestinationConfig.OnFailure.Destination", "map[Fn::GetAtt:[DeadLetters Arn]]"},
		{"UiAuthorizer", "AuthorizerType", "JWT"},
		{"UiPortfolio", "AuthorizationType", "JWT"},
		{"UiPortfolioForecast", "AuthorizationType", "JWT"},
	} {
		r, ok := resources[row.resource]
		if !ok {
			t.Errorf("there is no %s", row.resource)
			continue
		}
		if got := fmt.Sprint(at(t, r.Properties, strings.Split(row.property, ".")...)); got != row.want {
			t.Errorf("%s.%s is %s, want %s", row.resource, row.property, got, row.want)
		}
	}
	log, _ := at(t, resources["ApiApiGatewayDefaultStage"].Properties, "AccessLogSettings", "Format").(string)
	if !json.Valid([]byte(log)) {
		t.Errorf("a line of the access log is no JSON: %s", log)
	}
	for _, private := range []string{"sourceIp", "userAgent", "identity", "$context.path", "querystring"} {
		if strings.Contains(log, private) {
			t.Errorf("the access log has %s", private)
		}
	}
}

// Every function is in the alarms of errors and throttles; what runs by a schedule or a
// stream is tried again for a while, and then kept; and every alarm tells someone and
// names a part of the runbook.
func TestAlarms(t *testing.T) {
	resources := stack(t)
	runbook, err := os.ReadFile(filepath.Join(root, "functions", "RUNBOOK.md"))
	if err != nil {
		t.Fatal(err)
	}
	chapter := regexp.MustCompile(`functions/RUNBOOK\.md, "([^"]+)"`)
	alarms := 0
	for name, r := range resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		alarms++
		if fmt.Sprint(at(t, r.Properties, "AlarmActions")) != "[map[Ref:Alarms]]" {
			t.Errorf("%s tells nobody", name)
		}
		found := chapter.FindStringSubmatch(fmt.Sprint(at(t, r.Properties, "AlarmDescription")))
		if found == nil || !strings.Contains(string(runbook), "\n## "+found[1]+"\n") {
			t.Errorf("%s does not name a chapter of the runbook: %v", name, found)
		}
	}
	if alarms < 8 {
		t.Errorf("there are %d alarms", alarms)
	}
	for _, name := range []string{"ErrorsAlarm", "ThrottlesAlarm"} {
		var watched []string
		metrics, _ := at(t, resources[name].Properties, "Metrics").([]any)
		for _, m := range metrics {
			if found := regexp.MustCompile(`Value:map\[Ref:(\w+)\]`).FindStringSubmatch(fmt.Sprint(m)); found != nil {
				watched = append(watched, found[1])
			}
		}
		for _, f := range functions(t) {
			if !slices.Contains(watched, logical(f)) {
				t.Errorf("%s does not watch %s", name, f)
			}
		}
		const most = 10 // metrics in the expression of an alarm, says CloudWatch
		if len(watched) > most {
			t.Errorf("%s watches %d metrics, more than %d", name, len(watched), most)
		}
	}
	for name, r := range resources {
		text := string(r.Properties)
		if r.Type == "AWS::Events::Rule" && (!strings.Contains(text, "DeadLetterConfig") || !strings.Contains(text, "RetryPolicy")) {
			t.Errorf("%s has no bound of tries or no dead letters", name)
		}
		if r.Type == "AWS::Lambda::EventSourceMapping" && (!strings.Contains(text, "MaximumRetryAttempts") || !strings.Contains(text, "OnFailure")) {
			t.Errorf("%s has no bound of tries or no dead letters", name)
		}
	}
}

// Every function has a folder, a target that SAM builds it by, and nothing is left over:
// what make builds is what the template deploys.
func TestBuildTargets(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), "$(SAM_BUILDS): build-%Function:") {
		t.Error("the Makefile has no rule for what SAM builds")
	}
	for name, r := range stack(t) {
		if r.Type != "AWS::Lambda::Function" {
			continue
		}
		function := strings.ToLower(strings.TrimSuffix(name, "Function"))
		if !slices.Contains(functions(t), function) {
			t.Errorf("%s has no folder functions/%s", name, function)
		}
	}
}

// Every route of the template is in the description of the API, and the other way round;
// pages for people are not described.
func TestDescribedRoutes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "schemas", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var api struct{ Paths map[string]map[string]any }
	decode(t, text, &api)
	var body struct {
		Body struct{ Paths map[string]map[string]any }
	}
	decode(t, stack(t)["Api"].Properties, &body)
	deployed := body.Body.Paths
	for path, methods := range api.Paths {
		for method := range methods {
			if _, ok := deployed[path][method]; method != "parameters" && !ok {
				t.Errorf("%s %s is described and not deployed", method, path)
			}
		}
	}
	pages := []string{"/v1/openapi.json", "/v1/docs"}
	for path, methods := range deployed {
		for method := range methods {
			if _, ok := api.Paths[path][method]; !ok && strings.HasPrefix(path, "/v1/") && !slices.Contains(pages, path) {
				t.Errorf("%s %s is deployed and not described", method, path)
			}
		}
	}
}

// The memory size of what recommends follows from what was measured of it.
func TestMemorySize(t *testing.T) {
	figures, err := cost.Latest()
	if err != nil {
		t.Fatal(err)
	}
	limits := cost.Deployed()
	chosen, err := figures.Chosen(limits)
	if err != nil {
		t.Fatal(err)
	}
	if got := at(t, stack(t)["RecommendFunction"].Properties, "MemorySize"); got != float64(chosen.MemoryMB) {
		t.Errorf("recommend has %v MB, and %d MB is the cheapest size within %+v", got, chosen.MemoryMB, limits)
	}
}

// Whoever deploys it needs to say nothing: every parameter has a default.
func TestParameters(t *testing.T) {
	for name, p := range document(t).Parameters {
		if members, ok := p.(map[string]any); !ok || members["Default"] == nil {
			t.Errorf("%s has no default", name)
		}
	}
	outputs := document(t).Outputs
	for _, name := range []string{"ApiUrl", "TableName", "AdminPolicyArn", "LogGroup", "DeadLettersUrl"} {
		if outputs[name] == nil {
			t.Errorf("there is no output %s", name)
		}
	}
}

// What is asked over the HTTP API ends before the gateway gives up, which is after 30
// seconds; every function can be bounded, tells its log when it is said to, and what runs
// without anyone waiting has somewhere to go when it fails each time.
func TestNothingPilesUp(t *testing.T) {
	asked := routes(t)
	for _, function := range functions(t) {
		name := logical(function)
		properties := stack(t)[name].Properties
		timeout, _ := at(t, properties, "Timeout").(float64)
		if _, waits := asked[name]; waits && timeout > 29 {
			t.Errorf("%s may take %v s, and the gateway waits 30", name, timeout)
		}
		if _, waits := asked[name]; !waits && fmt.Sprint(at(t, properties, "DeadLetterConfig", "TargetArn")) != "map[Fn::GetAtt:[DeadLetters Arn]]" {
			t.Errorf("%s has no dead letters", name)
		}
		if got := fmt.Sprint(at(t, properties, "ReservedConcurrentExecutions")); got != "map[Fn::If:[HasReservedConcurrency map[Ref:ReservedConcurrency] map[Ref:AWS::NoValue]]]" {
			t.Errorf("%s can't be bounded: %s", name, got)
		}
		if got := fmt.Sprint(at(t, properties, "LoggingConfig", "LogGroup")); got != "map[Ref:Logs]" {
			t.Errorf("%s logs to %s, want the log group that forgets", name, got)
		}
	}
}

// There is an API for pages if a parameter names who issues their tokens, and every route
// of it wants one; without, nothing is left of it and nothing refers to it.
func TestTokensAreSwitched(t *testing.T) {
	for issuer, want := range map[string]int{"": 0, "https://tokens.example.com/": 9} {
		d := document(t)
		d.Parameters["JwtIssuer"].(map[string]any)["Default"] = issuer
		var there, gone []string
		for name, r := range d.Resources {
			switch included := d.holds(r.Condition); {
			case included && strings.HasPrefix(name, "Ui"):
				there = append(there, name)
			case !included:
				gone = append(gone, name)
			}
		}
		if len(there) != want {
			t.Errorf("issuer %q: there are %v, want %d", issuer, there, want)
		}
		for name, r := range d.Resources {
			for _, missing := range gone {
				if refers := strings.Contains(string(r.Properties), `"`+missing+`"`) || strings.Contains(string(r.Properties), "${"+missing); refers && d.holds(r.Condition) {
					t.Errorf("issuer %q: %s refers to %s, which is not there", issuer, name, missing)
				}
			}
		}
		if _, stated := d.Outputs["UiUrl"]; !stated || d.holds(fmt.Sprint(d.Outputs["UiUrl"].(map[string]any)["Condition"])) != (want > 0) {
			t.Errorf("issuer %q: the output UiUrl is %v", issuer, d.Outputs["UiUrl"])
		}
		for _, name := range there {
			r := d.Resources[name]
			if r.Type == "AWS::ApiGatewayV2::Route" && (at(t, r.Properties, "AuthorizationType") != "JWT" || fmt.Sprint(at(t, r.Properties, "AuthorizerId")) != "map[Ref:UiAuthorizer]") {
				t.Errorf("%s wants no token", name)
			}
		}
	}
	authorizer := stack(t)["UiAuthorizer"].Properties
	if got := fmt.Sprint(at(t, authorizer, "JwtConfiguration")); got != "map[Audience:map[Ref:JwtAudience] Issuer:map[Ref:JwtIssuer]]" {
		t.Errorf("tokens are of %s", got)
	}
}

// holds reports whether a condition holds with the parameters' defaults; "" always does.
func (d template) holds(condition string) bool {
	if condition == "" {
		return true
	}
	return d.evaluated(d.Conditions[condition]) == true
}

// evaluated is the value of an expression of a condition.
func (d template) evaluated(expression any) any {
	members, ok := expression.(map[string]any)
	if !ok {
		return expression
	}
	for name, value := range members {
		list, _ := value.([]any)
		switch name {
		case "Ref":
			return d.Parameters[fmt.Sprint(value)].(map[string]any)["Default"]
		case "Fn::Not":
			return d.evaluated(list[0]) != true
		case "Fn::Equals":
			return fmt.Sprint(d.evaluated(list[0])) == fmt.Sprint(d.evaluated(list[1]))
		}
	}
	return nil
}
