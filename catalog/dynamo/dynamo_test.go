package dynamo_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/dynamo"
	"github.com/tierwise/tierwise/catalog/dynamo/dynamotest"
)

// api is the DynamoDB API that all tests of the package use.
var api *dynamotest.Server

// The variables that make the test's program a publisher: the endpoint, the table,
// the name and the number of versions.
const endpointVariable, tableVariable, nameVariable, countVariable = "TIERWISE_TEST_ENDPOINT", "TIERWISE_TEST_TABLE", "TIERWISE_TEST_NAME", "TIERWISE_TEST_COUNT"

func TestMain(m *testing.M) {
	if table := os.Getenv(tableVariable); table != "" {
		c := dynamo.ConnectionFrom(os.Getenv)
		c.Endpoint = os.Getenv(endpointVariable)
		api = &dynamotest.Server{Connection: c}
		n, _ := strconv.Atoi(os.Getenv(countVariable))
		if err := (catalogtest.Publisher{Store: over(table), Name: os.Getenv(nameVariable), Count: n, Said: os.Stdout}).Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(dynamotest.Main(m, func(s *dynamotest.Server) { api = s }))
}

// over is a store in a table, through a client with some options.
func over(table string, options ...func(*dynamodb.Options)) *dynamo.Store {
	return dynamo.New(dynamo.Config{
		Client: api.Connection.Client(options...), Table: table, Now: time.Now, Random: rand.Reader, Keep: catalogtest.Keep,
		Timeout: 20 * time.Second,
	})
}

// newTable makes a table and deletes it after the test.
func newTable(t testing.TB) string {
	t.Helper()
	table := dynamotest.Table()
	if err := over(table).CreateTable(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = api.Connection.Client().DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table})
	})
	return table
}

func TestConformanceConcurrent(t *testing.T) {
	catalogtest.Run(t, func(t *testing.T) catalogtest.Store { return over(newTable(t)) })
}

func TestProcesses(t *testing.T) {
	table := newTable(t)
	c := api.Connection
	catalogtest.Processes{Kills: 8, Command: func(t *testing.T, name string, n int) *exec.Cmd {
		command := exec.CommandContext(t.Context(), os.Args[0])
		command.Env = append(os.Environ(), endpointVariable+"="+c.Endpoint, tableVariable+"="+table, nameVariable+"="+name, countVariable+"="+strconv.Itoa(n),
			"AWS_REGION="+c.Region, "AWS_ACCESS_KEY_ID="+c.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+c.SecretAccessKey, "AWS_SESSION_TOKEN="+c.SessionToken)
		return command
	}}.Run(t, over(table))
}

// text is an attribute that is a text.
func text(a types.AttributeValue) string {
	if s, ok := a.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func TestUnreachableFailsInTime(t *testing.T) {
	c := api.Connection
	c.Endpoint = "http://127.0.0.1:1"
	s := dynamo.New(dynamo.Config{Client: c.Client(), Table: "t", Now: time.Now, Random: rand.Reader, Timeout: 500 * time.Millisecond})
	begun := time.Now()
	if _, err := s.Current(t.Context()); err == nil || !strings.Contains(err.Error(), "current version") {
		t.Errorf("got %v, want an error that says what failed", err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("it took %s, want the time-out of 500 ms", took)
	}
}
