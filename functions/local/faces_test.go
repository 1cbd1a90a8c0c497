package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tierwise/tierwise/functions/internal/bot"
	"github.com/tierwise/tierwise/functions/internal/mcp"
)

// served starts the server with a variable, and gives its address.
func served(t *testing.T, name, value string) string {
	t.Helper()
	p, _, _ := newProgram("")
	printed, out := io.Pipe()
	p.stdout = out
	outer := environment("PORT", "0")
	p.getenv = func(asked string) string {
		if asked == name {
			return value
		}
		return outer(asked)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(ctx, []string{"serve"})
		out.Close()
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return address(t, printed)
}

// The server answers Slack if it has a signing secret, and has no such route without.
func TestServeSlack(t *testing.T) {
	post := func(base, secret string) (int, string) {
		body, stamp := "text=7b+lora", fmt.Sprint(time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC).Unix())
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
		request, err := http.NewRequest(http.MethodPost, base+bot.CommandPath, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-Slack-Request-Timestamp", stamp)
		request.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(answer)
	}
	with := served(t, bot.SecretVariable, "s3cret")
	if status, answer := post(with, "s3cret"); status != http.StatusOK || !strings.Contains(answer, "hours expected") {
		t.Errorf("status %d: %s", status, answer)
	}
	if status, answer := post(with, "other"); status != http.StatusUnauthorized {
		t.Errorf("another secret: status %d: %s", status, answer)
	}
	if status, _ := post(served(t, "NOTHING", ""), ""); status != http.StatusNotFound {
		t.Errorf("without a secret: status %d, want 404", status)
	}
}

// The server offers tools over HTTP to the SDK's own client.
func TestServeTools(t *testing.T) {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: served(t, "NOTHING", "") + mcp.Path, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "offers", Arguments: map[string]any{"gpu": []string{"T4"}}})
	if err != nil || result.IsError {
		t.Errorf("%v, %+v", err, result)
	}
}

// The command line speaks the protocol on standard input and output.
func TestToolsOnStandardInput(t *testing.T) {
	p, _, stderr := newProgram("")
	in, write := io.Pipe()
	read, out := io.Pipe()
	p.stdin, p.stdout = in, out
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(t.Context(), []string{"mcp"})
		out.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: read, Writer: write}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := s.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 5 {
		t.Errorf("%v, %d tools, want 5", err, len(listed.Tools))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != exitOK {
		t.Errorf("got exit code %d: %s", code, stderr)
	}
	q, _, stderr := newProgram("")
	if code := q.run(t.Context(), []string{"mcp", "x"}); code != exitUsage || !bytes.Contains(stderr.Bytes(), []byte("no arguments")) {
		t.Errorf("got exit code %d: %s", code, stderr)
	}
}
