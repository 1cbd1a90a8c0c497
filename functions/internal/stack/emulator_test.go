package stack_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/schemas"
)

// build makes the bootstrap of a function as the Makefile does for SAM, for the
// processor of this machine.
func build(t testing.TB, function string) string { return buildFor(t, function, runtime.GOARCH) }

// buildFor is build for a kind of processor.
func buildFor(t testing.TB, function, processor string) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", root, "build-"+logical(function), "ARTIFACTS_DIR="+dir, "GOARCH="+processor)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", function, err, out)
	}
	return filepath.Join(dir, "bootstrap")
}

// lambda is a function under the emulator.
type lambda struct {
	url  string
	stop func() // ends it; it may be called again
	mu   sync.Mutex
	log  bytes.Buffer
}

// Write takes what the emulator and the function print.
func (l *lambda) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(p)
}

// String is what they printed.
func (l *lambda) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// freePort is a port that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a bootstrap under the emulator, with a table at an endpoint.
func start(t testing.TB, bootstrap, table, endpoint string) *lambda {
	t.Helper()
	emulator := filepath.Join(root, ".tools", "bin", "aws-lambda-rie")
	if _, err := os.Stat(emulator); err != nil {
		t.Fatalf("the emulator is not installed (no %s): run \"make tools\", or \"make test\", which does so first", emulator)
	}
	address := freePort(t)
	l := &lambda{url: "http://" + address + "/2015-03-31/functions/function/invocations"}
	command := exec.CommandContext(t.Context(), emulator, "--runtime-interface-emulator-address", address, "--runtime-api-address", freePort(t), bootstrap)
	command.Env = append(os.Environ(), "TABLE="+table, "AWS_ENDPOINT_URL_DYNAMODB="+endpoint, "AWS_REGION="+api.Connection.Region, "STACK=tierwise", "AWS_LAMBDA_LOG_FORMAT=JSON",
		"AWS_ACCESS_KEY_ID="+api.Connection.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+api.Connection.SecretAccessKey)
	command.Stdout, command.Stderr = l, l
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	l.stop = sync.OnceFunc(func() {
		_ = command.Process.Signal(os.Interrupt) // it ends the function, which killing it would not
		late := time.AfterFunc(2*time.Second, func() { _ = command.Process.Kill() })
		_ = command.Wait()
		late.Stop()
	})
	t.Cleanup(func() {
		l.stop()
		if t.Failed() {
			t.Log(l.String())
		}
	})
	return l
}

// invoke sends an event and reads the answer.
func (l *lambda) invoke(t testing.TB, event, answer any) {
	t.Helper()
	document, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var response *http.Response
	for range 100 { // until it listens
		if response, err = http.Post(l.url, "application/json", bytes.NewReader(document)); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
}

// schema checks that a body is a document of a schema.
func schema(name schemas.Name) func(string) error {
	return func(body string) error { return schemas.Validate(name, []byte(body)) }
}

// contains checks that a body is a page with a text in it.
func contains(text string) func(string) error {
	return func(body string) error {
		if !strings.Contains(body, text) || !strings.HasSuffix(body, "</html>\n") {
			return fmt.Errorf("want a page with %q", text)
		}
		return nil
	}
}

// checkTable tests what was made of the template's table.
func checkTable(t *testing.T, table string) {
	t.Helper()
	out, err := api.Connection.Client().DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, k := range out.Table.KeySchema {
		got += fmt.Sprintf("%s %s ", *k.AttributeName, k.KeyType)
	}
	if got != "PK HASH SK RANGE " || out.Table.BillingModeSummary.BillingMode != types.BillingModePayPerRequest {
		t.Errorf("the table has the keys %sand is billed %v", got, out.Table.BillingModeSummary)
	}
}
