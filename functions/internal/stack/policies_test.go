package stack_test

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"
)

// statement is what a role may do.
type statement struct {
	Actions   texts `json:"Action"`
	Resource  json.RawMessage
	Condition map[string]map[string][]string
}

// texts are a text or several.
type texts []string

// UnmarshalJSON reads a text as a list of one.
func (x *texts) UnmarshalJSON(from []byte) error {
	if len(from) > 0 && from[0] == '"' {
		*x = texts{""}
		return json.Unmarshal(from, &(*x)[0])
	}
	return json.Unmarshal(from, (*[]string)(x))
}

// leading are the patterns of the partitions that a statement is about.
func (s statement) leading() []string {
	return s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
}

// ofTable reports whether a statement is about the table.
func (s statement) ofTable() bool { return string(s.Resource) == `{"Fn::GetAtt": ["Table", "Arn"]}` }

// covers reports whether a statement allows a deed.
func (s statement) covers(d deed) bool {
	return s.ofTable() && slices.Contains(s.Actions, d.action) && slices.ContainsFunc(s.leading(), func(pattern string) bool {
		ok, err := path.Match(pattern, strings.ReplaceAll(d.partition, "/", "-"))
		return err == nil && ok
	})
}

// permissions are the statements of each function's role.
func permissions(t *testing.T) map[string][]statement {
	t.Helper()
	resources := stack(t)
	all := make(map[string][]statement)
	for _, function := range functions(t) {
		var p struct {
			ManagedPolicyArns []string
			Policies          []struct {
				PolicyDocument struct{ Statement []statement }
			}
		}
		decode(t, resources[logical(function)+"Role"].Properties, &p)
		if len(p.ManagedPolicyArns) != 1 || !strings.HasSuffix(p.ManagedPolicyArns[0], "AWSLambdaBasicExecutionRole") {
			t.Errorf("%s has the managed policies %v, want only the one to write logs", function, p.ManagedPolicyArns)
		}
		for _, policy := range p.Policies {
			all[function] = append(all[function], policy.PolicyDocument.Statement...)
		}
	}
	return all
}

// Every statement names the actions and what they are on; those on the table name
// partitions, and nothing may change the catalogue but what publishes it.
func TestPolicies(t *testing.T) {
	publishers := []string{"refresh", "aggregate"}
	for function, statements := range permissions(t) {
		for _, s := range statements {
			for _, action := range s.Actions {
				if strings.Contains(action, "*") || string(s.Resource) == `"*"` {
					t.Errorf("%s may %s on %s: want neither a wildcard action nor any resource", function, action, s.Resource)
				}
				if strings.HasPrefix(action, "dynamodb:") && s.ofTable() && len(s.leading()) == 0 {
					t.Errorf("%s may %s in the whole table, want partitions", function, action)
				}
				reads := action == "dynamodb:GetItem" || action == "dynamodb:Query"
				if !slices.Contains(publishers, function) && !reads && slices.ContainsFunc(s.leading(), func(p string) bool {
					return p == "CATALOG" || p == "LOG" || strings.HasPrefix(p, "SET")
				}) {
					t.Errorf("%s may %s in %v: a reader of the catalogue must not write it", function, action, s.leading())
				}
			}
		}
	}
}

// checkDeeds tests that a function may do all that it did, and that it did all that it
// may.
func checkDeeds(t *testing.T, function string, statements []statement, deeds []deed) {
	t.Helper()
	for _, d := range deeds {
		if !slices.ContainsFunc(statements, func(s statement) bool { return s.covers(d) }) {
			t.Errorf("%s does %s in %s, which its policy does not allow", function, d.action, d.partition)
		}
	}
	for _, s := range statements {
		if !s.ofTable() {
			continue
		}
		for _, action := range s.Actions {
			if !slices.ContainsFunc(deeds, func(d deed) bool { return d.action == action && s.covers(d) }) {
				t.Errorf("%s may %s in %v and never does: want less", function, action, s.leading())
			}
		}
		for _, pattern := range s.leading() {
			one := s
			one.Condition = map[string]map[string][]string{"ForAllValues:StringLike": {"dynamodb:LeadingKeys": {pattern}}}
			if !slices.ContainsFunc(deeds, one.covers) {
				t.Errorf("%s may work in %s and never does: want less", function, pattern)
			}
		}
	}
}
