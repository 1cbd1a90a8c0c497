package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/schemas"
)

var update = flag.Bool("update", false, "write the outputs of testdata/*.txtar anew")

// newProgram is a program over the small catalogue, at noon of a fixed day.
func newProgram(stdin string) (p *program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &program{
		stdin: strings.NewReader(stdin), stdout: stdout, stderr: stderr,
		getenv: environment("PORT", ""),
		now:    func() time.Time { return time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC) },
		load:   func() (*catalog.Snapshot, error) { return seed.Read(os.DirFS("../testdata/catalogue")) },
	}, stdout, stderr
}

// environment has a variable, and a key of pictures so that none is kept in a folder.
func environment(name, value string) func(string) string {
	set := map[string]string{endpoint.ChartKeyVariable: strings.Repeat("secret", 6), name: value}
	return func(name string) string { return set[name] }
}

// Each testdata/*.txtar is a command line, one argument a line, and what it prints.
func TestCommands(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			script, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			given := make(map[string]string)
			for _, file := range script.Files {
				given[file.Name] = string(file.Data)
			}
			p, stdout, stderr := newProgram(given["stdin"])
			code := p.run(context.Background(), strings.Split(strings.TrimSuffix(given["args"], "\n"), "\n"))
			got := fmt.Sprintf("exit code %d\n-- stdout --\n%s-- stderr --\n%s", code, stdout, stderr)
			want := fmt.Sprintf("%s-- stdout --\n%s-- stderr --\n%s", given["result"], given["stdout"], given["stderr"])
			if *update {
				rewrite(t, path, script, got)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkWidth(t, stdout.String())
		})
	}
}

// rewrite keeps what a script gives and replaces what it expects.
func rewrite(t *testing.T, path string, script *txtar.Archive, got string) {
	t.Helper()
	fresh := txtar.Archive{Comment: script.Comment}
	for _, file := range script.Files {
		if file.Name == "args" || file.Name == "stdin" {
			fresh.Files = append(fresh.Files, file)
		}
	}
	fresh.Files = append(fresh.Files, txtar.Parse([]byte("-- result --\n"+got)).Files...)
	if err := os.WriteFile(path, txtar.Format(&fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkWidth tests that text fits the page; a line of JSON need not.
func checkWidth(t *testing.T, output string) {
	t.Helper()
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\n"); wide(line) > pageWidth && !strings.HasPrefix(line, "{") {
			t.Errorf("a line of %d columns: %s", wide(line), line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("spaces at the end of a line: %q", line)
		}
	}
}

// What is shown adds up: the lines to the stages and these to the total, in print.
func TestShownAmountsAddUp(t *testing.T) {
	p, stdout, _ := newProgram("")
	if code := p.run(context.Background(), []string{"recommend", "7b finetune"}); code != exitOK {
		t.Fatalf("got exit code %d", code)
	}
	_, rest, _ := strings.Cut(stdout.String(), "Cost in USD\n")
	tableText, _, _ := strings.Cut(rest, "\n\n")
	var columns []int64
	for line := range strings.Lines(tableText) {
		fields := strings.Fields(line)
		if fields[0] == "stage" {
			columns = make([]int64, len(fields)-1)
			continue
		}
		sum := int64(0)
		for i, field := range fields[1:] {
			cents := centsOf(t, field)
			if i == len(columns)-1 && cents != sum {
				t.Errorf("%s: lines add up to %d cents, shown are %d", fields[0], sum, cents)
			}
			sum += cents
			if fields[0] == "total" {
				cents = -cents
			}
			columns[i] += cents
		}
	}
	if len(columns) < 3 {
		t.Fatalf("no table of costs in:\n%s", stdout)
	}
	for i, rest := range columns {
		if rest != 0 {
			t.Errorf("column %d is %d cents off its total", i, rest)
		}
	}
}

// centsOf reads an amount of two decimals.
func centsOf(t *testing.T, text string) int64 {
	t.Helper()
	var whole, cents int64
	if _, err := fmt.Sscanf(text, "%d.%02d", &whole, &cents); err != nil {
		t.Fatalf("read amount %q: %v", text, err)
	}
	return 100*whole + cents
}

func TestLoadFails(t *testing.T) {
	p, _, stderr := newProgram("")
	p.load = func() (*catalog.Snapshot, error) { return nil, errors.New("table offers.csv is missing") }
	for _, args := range [][]string{{"recommend", "7b finetune"}, {"serve"}} {
		stderr.Reset()
		if code := p.run(context.Background(), args); code != exitError || !strings.Contains(stderr.String(), "load catalogue: table offers.csv is missing") {
			t.Errorf("%v: got exit code %d, %s", args, code, stderr)
		}
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "request.json")
	if err := os.WriteFile(path, []byte(`{"rental": {}, "hardware": {"gpu": "T4"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	p, stdout, stderr := newProgram("")
	if code := p.run(context.Background(), []string{"recommend", "--json", "--file", path}); code != exitOK {
		t.Fatalf("got exit code %d: %s", code, stderr)
	}
	if err := schemas.Validate(schemas.RecommendResponseSchema, stdout.Bytes()); err != nil {
		t.Error(err)
	}
}

// The program serves HTTP on a socket and prints what the API's schemas say; it
// ends when told to.
func TestServe(t *testing.T) {
	p, _, stderr := newProgram("")
	printed, out := io.Pipe()
	p.stdout = out
	p.getenv = environment("PORT", "0")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- p.run(ctx, []string{"serve"})
		out.Close()
	}()
	base := address(t, printed)
	client := &http.Client{Timeout: 30 * time.Second}
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		schema                   schemas.Name
	}{
		{"health", "GET", "/healthz", "", 200, schemas.HealthSchema},
		{"text", "GET", "/v1/recommend?q=cheapest+7B+fine-tune", "", 200, schemas.RecommendResponseSchema},
		{"JSON", "POST", "/v1/recommend", `{"rental": {"hours": "2"}, "hardware": {"gpu": "T4"}}`, 200, schemas.RecommendResponseSchema},
		{"mistake", "POST", "/v1/recommend", `{"rental": {}}`, 400, schemas.ProblemSchema},
		{"bytes that are no text", "POST", "/v1/recommend", "\xff\xfe", 400, schemas.ProblemSchema},
		{"too large", "POST", "/v1/recommend", strings.Repeat(" ", 2*schemas.MaxBytes), 413, schemas.ProblemSchema},
		{"wrong method", "DELETE", "/v1/recommend", "", 405, schemas.ProblemSchema},
		{"unknown path", "GET", "/v1/nothing", "", 404, schemas.ProblemSchema},
	} {
		t.Run(c.name, func(t *testing.T) {
			request, err := http.NewRequest(c.method, base+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != c.status {
				t.Errorf("got status %d, want %d: %s", response.StatusCode, c.status, body)
			}
			if err := schemas.Validate(c.schema, body); err != nil {
				t.Errorf("%v: %s", err, body)
			}
		})
	}
	checkHead(t, client, base)
	client.CloseIdleConnections()
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("got exit code %d: %s", code, stderr)
	}
}

// address reads the address from what the program prints on start.
func address(t *testing.T, printed io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		if at := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); at != "" {
			go func() { _, _ = io.Copy(io.Discard, printed) }()
			return at
		}
	}
	t.Fatal("no address was printed")
	return ""
}

// checkHead tests that HEAD is GET without the body.
func checkHead(t *testing.T, client *http.Client, base string) {
	t.Helper()
	response, err := client.Head(base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || len(body) != 0 || response.StatusCode != 200 || response.ContentLength < 50 {
		t.Errorf("got %d, %d bytes of body, content length %d", response.StatusCode, len(body), response.ContentLength)
	}
}

func TestServeOnATakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p, _, stderr := newProgram("")
	p.getenv = environment("PORT", port)
	if code := p.run(context.Background(), []string{"serve"}); code != exitError || !strings.Contains(stderr.String(), "set HOST and PORT") {
		t.Errorf("got exit code %d: %s", code, stderr)
	}
}

// The command line prints the very document that the API gives.
func TestJSONIsTheAPIs(t *testing.T) {
	p, stdout, _ := newProgram("")
	if code := p.run(context.Background(), []string{"recommend", "--json", "8xh100", "for", "a", "week"}); code != exitOK {
		t.Fatalf("got exit code %d", code)
	}
	var response schemas.RecommendResponse
	in := json.NewDecoder(strings.NewReader(stdout.String()))
	in.DisallowUnknownFields()
	if err := in.Decode(&response); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	if err := schemas.Validate(schemas.RecommendResponseSchema, again); err != nil {
		t.Error(err)
	}
}

func TestTable(t *testing.T) {
	columns := []column{{title: "name", most: 40}, {title: "n", right: true}, {title: "text", most: 90}}
	got := laid(table(columns, [][]string{
		{"a", "1", strings.Repeat("x", 200)},
		{"显卡", "1000", "y"},
	}), pageWidth)
	want := "" +
		"  name     n  text\n" +
		"  a        1  " + strings.Repeat("x", 84) + "..\n" +
		"  显卡  1000  y\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	got := laid(wrap("- ", "  ", strings.Repeat("word ", 25)+strings.Repeat("w", 120)), pageWidth)
	want := "- " + strings.TrimSpace(strings.Repeat("word ", 19)) + "\n" +
		"  " + strings.TrimSpace(strings.Repeat("word ", 6)) + "\n" +
		"  " + strings.Repeat("w", 120) + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// laid is a text as it is printed.
func laid(text string, width int) string { return string(laidOut([]byte(text), width)) }
