package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tierwise/tierwise/catalog/catalogtest"
	"github.com/tierwise/tierwise/catalog/dynamo/dynamotest"
	"github.com/tierwise/tierwise/functions/internal/apikey"
)

// stores are the flags of an empty store of each kind.
func stores(t *testing.T) map[string][]string {
	t.Helper()
	server, err := dynamotest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	t.Setenv("AWS_REGION", server.Connection.Region)
	t.Setenv("AWS_ACCESS_KEY_ID", server.Connection.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", server.Connection.SecretAccessKey)
	return map[string][]string{
		"bolt":   {"--data", t.TempDir()},
		"dynamo": {"--store", "dynamo", "--endpoint", server.Connection.Endpoint, "--table", dynamotest.Table(), "--create-table"},
	}
}

// command runs a command line on a store and returns what it prints.
func command(t *testing.T, where []string, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	p, out, errs := newProgram("")
	p.getenv, p.random, p.now = os.Getenv, rand.Reader, time.Now
	if code := p.run(context.Background(), append(args, where...)); code != want {
		t.Errorf("%v: got exit code %d, want %d: %s", args, code, want, errs)
	}
	return out.String(), errs.String()
}

func TestCatalogCommands(t *testing.T) {
	for name, where := range stores(t) {
		t.Run(name, func(t *testing.T) {
			if out, _ := command(t, where, exitOK, "catalog", "versions"); !strings.Contains(out, "Nothing is published") {
				t.Errorf("versions of nothing: %s", out)
			}
			first, _ := command(t, where, exitOK, "catalog", "publish")
			again, _ := command(t, where, exitOK, "catalog", "publish")
			if !strings.Contains(first, "is current, number 1.") || !strings.Contains(again, "is current already, number 1.") {
				t.Errorf("publish said %q, then %q", first, again)
			}
			p, _, _ := newProgram("")
			p.getenv, p.random = os.Getenv, rand.Reader
			s := opened(t, p, where)
			current, err := s.Current(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Publish(t.Context(), current.Version, catalogtest.Snapshot(t, "later", 1)); err != nil {
				t.Fatal(err)
			}
			if out, _ := command(t, where, exitOK, "catalog", "rollback", string(current.Version)); !strings.Contains(out, "number 3.") {
				t.Errorf("rollback said %q", out)
			}
			out, _ := command(t, where, exitOK, "catalog", "versions")
			if lines := strings.Split(out, "\n"); len(lines) != 5 || !strings.Contains(lines[1], "current rollback") || !strings.Contains(lines[2], "later") {
				t.Errorf("versions are:\n%s", out)
			}
			if _, errs := command(t, where, exitError, "catalog", "rollback", "never"); !strings.Contains(errs, "catalog versions") {
				t.Errorf("rollback to nothing said %q", errs)
			}
			command(t, where, exitUsage, "catalog", "rollback")
		})
	}
	command(t, nil, exitUsage, "catalog", "delete")
	command(t, nil, exitUsage, "catalog")
	command(t, []string{"--store", "tape"}, exitUsage, "catalog", "versions")
}

// opened is the store that flags name.
func opened(t *testing.T, p *program, args []string) store {
	t.Helper()
	flags, where := storageFlags("test")
	if _, err := parsed(flags, args); err != nil {
		t.Fatal(err)
	}
	s, err := p.open(t.Context(), *where)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestKeyCommands(t *testing.T) {
	for name, where := range stores(t) {
		t.Run(name, func(t *testing.T) {
			text, said := command(t, where, exitOK, "api-key", "create", "acme", "--label", "CI")
			text = strings.TrimSpace(text)
			id := strings.Split(text, "_")[2]
			if strings.Contains(said, text) || !strings.Contains(said, id) {
				t.Errorf("create says %q", said)
			}
			p, _, _ := newProgram("")
			p.getenv, p.random = os.Getenv, rand.Reader
			keys := opened(t, p, where).(apikey.Store)
			if tenant, err := apikey.Tenant(t.Context(), keys, "Bearer "+text); tenant != "acme" || err != nil {
				t.Errorf("the key is of %q, %v", tenant, err)
			}
			list, _ := command(t, where, exitOK, "api-key", "list")
			if !strings.Contains(list, id) || !strings.Contains(list, "CI") || strings.Contains(list, text[len(text)-64:]) {
				t.Errorf("list says:\n%s", list)
			}
			command(t, where, exitOK, "api-key", "revoke", "acme", id)
			if _, err := apikey.Tenant(t.Context(), keys, "Bearer "+text); err == nil {
				t.Error("a revoked key is good")
			}
			command(t, where, exitError, "api-key", "revoke", "acme", "0000000000")
			command(t, where, exitUsage, "api-key", "create", "Not A Tenant")
		})
	}
	command(t, nil, exitUsage, "api-key", "forge")
}

// TestServesTheStore: what is published is served, by bolt from its file, and a
// store that can't be reached gives the embedded catalogue, marked stale.
func TestServesTheStore(t *testing.T) {
	dir := t.TempDir()
	p, _, _ := newProgram("")
	p.random = rand.Reader
	s := opened(t, p, []string{"--data", dir})
	if _, err := s.Publish(t.Context(), "", catalogtest.Snapshot(t, "published", 1)); err != nil {
		t.Fatal(err)
	}
	if health := healthOf(t, storage{kind: boltStore, data: dir}); health["catalog_version"] != "published" || health["stale"] != nil {
		t.Errorf("health is %v", health)
	}
	if err := os.WriteFile(filepath.Join(dir, dataFile), []byte("not a store"), 0o600); err != nil {
		t.Fatal(err)
	}
	if health := healthOf(t, storage{kind: boltStore, data: dir}); health["stale"] != true || health["stale_s"] == nil {
		t.Errorf("health over a damaged file is %v", health)
	}
}

// healthOf asks a server over a store how it is.
func healthOf(t *testing.T, where storage) map[string]any {
	t.Helper()
	p, _, _ := newProgram("")
	handler, err := p.serving(t.Context(), where, new(background))
	if err != nil {
		t.Fatal(err)
	}
	event := events.APIGatewayV2HTTPRequest{RawPath: "/healthz"}
	event.RequestContext.HTTP.Method = http.MethodGet
	answer, err := handler.Serve(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	var health map[string]any
	if err := json.NewDecoder(strings.NewReader(answer.Body)).Decode(&health); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return health
}
