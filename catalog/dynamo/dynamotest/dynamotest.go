// Package dynamotest gives tests a DynamoDB API: moto server, which the tests
// start and stop, or whatever TIERWISE_DYNAMODB_ENDPOINT names.
package dynamotest

import (
	"bufio"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tierwise/tierwise/catalog/dynamo"
)

// EndpointVariable names the API to test against instead of moto: any URL, or
// "aws" for AWS itself. Region and credentials are then those of the environment.
const EndpointVariable = "TIERWISE_DYNAMODB_ENDPOINT"

//go:embed moto.py
var program string

// Server is an API to test against.
type Server struct {
	Connection dynamo.Connection
	stop       func()
}

// Close ends the server, if it was started here.
func (s *Server) Close() { s.stop() }

// Main runs a package's tests with a server and returns their exit code.
func Main(m *testing.M, use func(*Server)) int {
	server, err := Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Close()
	use(server)
	return m.Run()
}

// Start starts moto server, or connects to what the environment names.
func Start() (*Server, error) {
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" {
		c := dynamo.ConnectionFrom(os.Getenv)
		if c.Endpoint = endpoint; endpoint == "aws" {
			c.Endpoint = ""
		}
		return &Server{Connection: c, stop: func() {}}, nil
	}
	python, err := Python()
	if err != nil {
		return nil, err
	}
	command := exec.Command(python, "-c", program)
	command.Stderr = os.Stderr
	alive, err := command.StdinPipe() // moto ends when this process does, however it does
	if err != nil {
		return nil, fmt.Errorf("start moto: %w", err)
	}
	said, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start moto: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start moto: %w", err)
	}
	stop := func() {
		_ = alive.Close()
		_ = command.Wait()
	}
	endpoint, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("start moto: it does not say where it listens: %w", err)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return &Server{Connection: dynamo.Connection{
		Region: "us-east-1", Endpoint: strings.TrimSpace(endpoint), AccessKeyID: "testing", SecretAccessKey: "testing",
	}, stop: stop}, nil
}

// Python is the interpreter of the virtual environment in which "make venv"
// installs what the tests need.
func Python() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	python := filepath.Join(root, ".venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return "", fmt.Errorf("moto server is not installed (no %s): run \"make venv\", or \"make test\", which does so first; or set %s", python, EndpointVariable)
	}
	return python, nil
}

// Root is the top of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("find the repository: no go.mod above %s", dir)
		}
		dir = parent
	}
}

// Table is a name for a new table, which no other test has.
func Table() string { return "tierwise-test-" + strings.ToLower(rand.Text()[:12]) }
