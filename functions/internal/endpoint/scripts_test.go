package endpoint

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the answers of functions/testdata/*.txtar anew")

// Each functions/testdata/*.txtar is a request and the answer that it gets from
// the small catalogue.
func TestScripts(t *testing.T) {
	router := routerOver(smallCatalogue(t))
	paths, err := filepath.Glob("../../testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			script, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			e, err := eventOf(part(script, "request"))
			if err != nil {
				t.Fatal(err)
			}
			answer := serve(t, router, e)
			checkDocument(t, e, answer)
			got := pretty(t, answer)
			if *update {
				writeScript(t, path, script, got)
				return
			}
			if diff := cmp.Diff(part(script, "answer"), got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// eventOf reads a script's request: a line of method and target, then the body.
func eventOf(request string) (events.APIGatewayV2HTTPRequest, error) {
	line, body, _ := strings.Cut(request, "\n")
	method, target, ok := strings.Cut(line, " ")
	if !ok {
		return events.APIGatewayV2HTTPRequest{}, fmt.Errorf("read request %q: want a method and a target", line)
	}
	return event(method, target, body), nil
}

// part is a file of a script.
func part(script *txtar.Archive, name string) string {
	for _, file := range script.Files {
		if file.Name == name {
			return string(file.Data)
		}
	}
	return ""
}

// pretty is an answer as scripts show it: its status, then its body.
func pretty(t *testing.T, answer events.APIGatewayV2HTTPResponse) string {
	t.Helper()
	return fmt.Sprintf("%d\n%s\n", answer.StatusCode, laidOut(t, []byte(answer.Body), 0))
}

// lineWidth is how wide a line of a script's answer may be.
const lineWidth = 150

// laidOut writes JSON in its own order: on one line what fits, else a line for
// each member.
func laidOut(t *testing.T, document json.RawMessage, indent int) string {
	t.Helper()
	document = bytes.TrimSpace(document)
	if len(document)+indent <= lineWidth && indent > 0 || document[0] != '{' && document[0] != '[' {
		return string(document)
	}
	in := json.NewDecoder(bytes.NewReader(document))
	if _, err := in.Token(); err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat(" ", indent+1)
	var lines []string
	for in.More() {
		line := pad
		if document[0] == '{' {
			key, err := in.Token()
			if err != nil {
				t.Fatal(err)
			}
			line += fmt.Sprintf("%q: ", key)
		}
		var member json.RawMessage
		if err := in.Decode(&member); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line+laidOut(t, member, indent+1))
	}
	return string(document[0]) + "\n" + strings.Join(lines, ",\n") + "\n" + strings.Repeat(" ", indent) + string(document[len(document)-1])
}

func writeScript(t *testing.T, path string, script *txtar.Archive, answer string) {
	t.Helper()
	script.Files = []txtar.File{
		{Name: "request", Data: []byte(part(script, "request"))},
		{Name: "answer", Data: []byte(answer)},
	}
	if err := os.WriteFile(path, txtar.Format(script), 0o644); err != nil {
		t.Fatal(err)
	}
}
