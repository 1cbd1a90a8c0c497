package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/bolt"
	"github.com/tierwise/tierwise/functions/internal/boxtest"
	"github.com/tierwise/tierwise/functions/internal/ingest"
	"github.com/tierwise/tierwise/functions/internal/revise"
	"github.com/tierwise/tierwise/schemas"
)

// The commands of boxes, one after the other on one store.
func TestBoxesCommands(t *testing.T) {
	data := t.TempDir()
	run := func(code int, says string, args ...string) string {
		t.Helper()
		p, stdout, stderr := newProgram("")
		p.random = rand.Reader
		if got := p.run(t.Context(), append(args, "--data", data)); got != code || !strings.Contains(stdout.String()+stderr.String(), says) {
			t.Errorf("%v: exit code %d, want %d, and %q in:\n%s%s", args, got, code, says, stdout, stderr)
		}
		return stdout.String()
	}
	run(exitUsage, "TENANT", "enroll-code")
	run(exitUsage, "tenant", "enroll-code", "No Tenant!")
	run(exitUsage, "BOX", "revoke-box")
	run(exitError, "no box has the id nobody", "revoke-box", "nobody")
	run(exitUsage, "release GPU PROVIDER", "aggregate", "release", "A100-40GB-SXM")
	run(exitError, "no coefficient of A100-40GB-SXM at gcp", "aggregate", "release", "A100-40GB-SXM", "gcp")
	run(exitOK, "0 of 0 reports count", "aggregate")

	var made struct {
		Code, Tenant string
		ExpiresAt    time.Time `json:"expires_at"`
	}
	p, _, _ := newProgram("")
	if err := json.Unmarshal([]byte(run(exitOK, "Good once", "enroll-code", "acme", "--json")), &made); err != nil || made.Tenant != "acme" ||
		!made.ExpiresAt.Equal(p.now().Add(10*time.Minute)) {
		t.Fatalf("got %+v, %v", made, err)
	}
	store := bolt.New(filepath.Join(data, dataFile), p.now, bolt.Options{})
	snapshot, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	service, box := ingest.New(store, snapshot, p.now, ingest.Options{}), boxtest.New("one")
	var asked schemas.Enrolment
	if err := schemas.Decode(schemas.EnrollSchema, box.Enrolment(made.Code, nil), &asked); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Enroll(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	run(exitOK, "is revoked", "revoke-box", box.ID)
	upload := ingest.Upload{Body: box.Body(box.Report(boxtest.Watch{Until: p.now()})), ContentType: "application/jose", ContentEncoding: "gzip"}
	_, err = service.Accept(t.Context(), upload)
	if refusal, ok := errors.AsType[*ingest.Refusal](err); !ok || refusal.Reason != ingest.KeyRevoked {
		t.Errorf("got %v of a revoked box", err)
	}
}

// A coefficient that jumps is frozen, shown as such, and moves again once it is
// released.
func TestReleaseOfACoefficient(t *testing.T) {
	p, _, _ := newProgram("")
	snapshot, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // coefficients are those of the store of the working folder
	at := p.now()
	store := bolt.New(filepath.Join(dataFolder, dataFile), func() time.Time { return at }, bolt.Options{})
	measure := func(daysAgo int, ratio float64) {
		for _, tenant := range []string{"a", "b", "c"} {
			end := at.Add(-time.Duration(daysAgo) * 24 * time.Hour)
			_, err := store.PutReport(t.Context(), catalog.Report{
				ID: catalog.ReportID(fmt.Sprint(tenant, daysAgo, ratio)), Box: catalog.BoxID(tenant), Tenant: catalog.TenantID(tenant), Kind: catalog.WatchReport,
				ReceivedAt: end, From: end.Add(-time.Hour), Until: end, Typed: catalog.Typed{Provider: "gcp"},
				Readings: []catalog.Reading{{Name: "NVIDIA A100-SXM4-40GB", PCIDevice: "20b0", Sufficient: true, BusySeconds: 3600, Evidence: catalog.Passive,
					Clock: catalog.Mean{N: 1, Sum: 1410 * ratio}, ClockMax: 1410, Devices: []catalog.Device{{Hash: catalog.GPUHash(tenant)}}}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func(code int, says string, args ...string) {
		t.Helper()
		p, stdout, stderr := newProgram("")
		p.load = func() (*catalog.Snapshot, error) { return snapshot, nil }
		p.now = func() time.Time { return at }
		if got := p.run(t.Context(), args); got != code || !strings.Contains(stdout.String()+stderr.String(), says) {
			t.Errorf("%v: exit code %d, want %d, and %q in:\n%s%s", args, got, code, says, stdout, stderr)
		}
	}
	run(exitNothing, "Nothing has been measured by three tenants", "coefficients")
	for day := range 20 {
		measure(8+day, 0.95)
	}
	run(exitOK, "published as", "aggregate")
	for day := range 6 {
		measure(1+day, 0.60)
	}
	run(exitOK, "Frozen: A100-40GB-SXM at gcp", "aggregate")
	run(exitOK, "frozen", "coefficients", "A100-40GB-SXM", "--provider", "gcp")
	run(exitOK, "Released", "aggregate", "release", "A100-40GB-SXM", "gcp")
	result, err := revise.Run(t.Context(), revise.Config{Store: store, Baseline: func() (*catalog.Snapshot, error) { return snapshot, nil },
		Now: func() time.Time { return at }})
	if err != nil || !result.Published || len(result.Alerts) > 0 {
		t.Errorf("after the release: %+v, %v", result, err)
	}
	run(exitOK, "nothing to publish", "aggregate")
	run(exitError, "no coefficient of A100-40GB-SXM at gcp", "aggregate", "release", "A100-40GB-SXM", "gcp")
}
