package catalogtest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tierwise/tierwise/catalog"
)

// box is a box.
func box(id catalog.BoxID) catalog.Box {
	return catalog.Box{
		ID: id, Machine: id, Tenant: "acme", PublicKey: []byte{1, 0, 255}, Typed: catalog.Typed{Provider: "some cloud", SKU: "x1"},
		Host: true, Hardware: "hash", EnrolledAt: noon(),
	}
}

// report is a report of a box, about the hour before noon and a GPU.
func report(from catalog.BoxID, id catalog.ReportID) catalog.Report {
	return catalog.Report{
		ID: id, Box: from, Tenant: "acme", Kind: catalog.WatchReport, Host: true, Sequence: 7,
		ReceivedAt: noon(), ClockOffset: -40 * time.Minute, From: noon().Add(-time.Hour), Until: noon(),
		Boot: "b0", Driver: "550.54", Typed: catalog.Typed{Provider: "P", Region: "north", SKU: "X1"}, Provider: "p", SKU: "x1",
		Readings: []catalog.Reading{{
			GPU: "X1-80GB", Name: "NVIDIA X1", PCIDevice: "20b0", MemoryBytes: 8.5e10, Evidence: catalog.Active, Partitioned: true, Sufficient: true,
			Devices:         []catalog.Device{{Hash: catalog.GPUHash("gpu of " + from), Errors: 3, Counted: true}, {}},
			ObservedSeconds: 7200, BusySeconds: 0.1 + 0.2, LostSeconds: 1, HeldSeconds: 2,
			Clock: catalog.Mean{N: 3600, Sum: 1e7 / 3.0}, ClockMax: 1410, GEMM: catalog.Mean{N: 3, Sum: 700},
			Copy: catalog.Mean{N: 1, Sum: 1}, Bus: catalog.Mean{N: 1, Sum: 2}, Training: catalog.Mean{N: 1, Sum: 3},
			Prints: []uint64{1<<64 - 1, 1},
		}},
		Checks:  []catalog.Check{{ID: "nvlink_topology", Status: catalog.CheckFail}},
		Payload: []byte(`{"quantity": 1}`),
	}
}

// plain is a report as lists of reports hold it.
func plain(r catalog.Report) catalog.Report {
	r.Payload = nil
	return r
}

// ofGPU is a report on another GPU.
func ofGPU(r catalog.Report, gpu catalog.GPUHash) catalog.Report {
	readings := []catalog.Reading{r.Readings[0]}
	readings[0].Devices = []catalog.Device{{Hash: gpu, Errors: 3, Counted: true}}
	r.Readings = readings
	return r
}

func testBoxes(t *testing.T, s Store) {
	ctx := t.Context()
	_, err := s.Box(ctx, "b")
	fails(t, "unknown box", err, catalog.ErrNotFound)
	fails(t, "revoke unknown box", s.RevokeBox(ctx, "b", noon()), catalog.ErrNotFound)
	must(t, s.PutBox(ctx, box("b")))
	must(t, s.PutBox(ctx, box("b")))
	other := box("b")
	other.PublicKey = []byte{2}
	fails(t, "another box of the same id", s.PutBox(ctx, other), catalog.ErrConflict)
	got, err := s.Box(ctx, "b")
	must(t, err)
	same(t, "box", box("b"), got)
	must(t, s.RevokeBox(ctx, "b", noon().Add(time.Hour)))
	must(t, s.RevokeBox(ctx, "b", noon().Add(2*time.Hour)))
	if got, err = s.Box(ctx, "b"); err != nil || !got.RevokedAt.Equal(noon().Add(time.Hour)) {
		t.Errorf("the box was revoked at %s (%v), want the first time", got.RevokedAt, err)
	}
	must(t, s.DeleteBox(ctx, "b"))
	must(t, s.DeleteBox(ctx, "b"))
	_, err = s.Box(ctx, "b")
	fails(t, "deleted box", err, catalog.ErrNotFound)
}

// testMachine deletes a machine that has had three keys, and nothing of another.
func testMachine(t *testing.T, s Store) {
	ctx := t.Context()
	for _, id := range []catalog.BoxID{"m", "m2", "m3", "n"} {
		b := box(id)
		if id != "n" {
			b.Machine = "m"
		}
		must(t, s.PutBox(ctx, b))
		got, err := s.Box(ctx, id)
		must(t, err)
		same(t, "box", b, got)
	}
	for _, r := range []catalog.Report{report("m", "1"), report("n", "2")} {
		if stored, err := s.PutReport(ctx, r); !stored || err != nil {
			t.Fatalf("report %s: stored %v, %v", r.ID, stored, err)
		}
	}
	must(t, s.DeleteBox(ctx, "m"))
	for _, id := range []catalog.BoxID{"m", "m2", "m3"} {
		_, err := s.Box(ctx, id)
		fails(t, "deleted key "+string(id), err, catalog.ErrNotFound)
	}
	_, err := s.Box(ctx, "n")
	must(t, err)
	same(t, "what is left", []catalog.Report{plain(report("n", "2"))}, collect(t, s.Reports(ctx, day())))
	again := ofGPU(report("other", "1"), "gpu of m") // neither payload nor GPU is anyone's now
	again.Tenant = "beta"
	if stored, err := s.PutReport(ctx, again); !stored || err != nil {
		t.Errorf("what a deleted box sent: stored %v, %v", stored, err)
	}
}

func testReports(t *testing.T, s Store) {
	ctx := t.Context()
	must(t, s.PutBox(ctx, box("b")))
	want := map[catalog.ReportID]catalog.Report{}
	for i := range 30 {
		r := report("b", catalog.ReportID(fmt.Sprintf("%02x", i*8)))
		stored, err := s.PutReport(ctx, r)
		if err != nil || !stored {
			t.Fatalf("report %s: stored %v, %v", r.ID, stored, err)
		}
		want[r.ID] = plain(r)
	}
	late := report("b", "00")
	late.ReceivedAt = noon().Add(24 * time.Hour)
	if stored, err := s.PutReport(ctx, late); stored || err != nil {
		t.Errorf("a repeat on another day: stored %v, %v", stored, err)
	}
	elsewhere := report("b2", "01")
	if stored, err := s.PutReport(ctx, elsewhere); !stored || err != nil {
		t.Errorf("of another box: stored %v, %v", stored, err)
	}
	content, err := s.Payload(ctx, "b", "08")
	must(t, err)
	same(t, "payload", string(report("b", "08").Payload), string(content))
	_, err = s.Payload(ctx, "b", "01")
	fails(t, "payload of another box", err, catalog.ErrNotFound)
	got := map[catalog.ReportID]catalog.Report{}
	for _, r := range collect(t, s.Reports(ctx, day())) {
		if r.Box == "b" {
			got[r.ID] = r
		}
	}
	same(t, "reports", want, got)
	if next := collect(t, s.Reports(ctx, catalog.Date{Year: 2026, Month: 12, Day: 1})); len(next) != 0 {
		t.Errorf("the next day has %d reports, want none", len(next))
	}
	must(t, s.DeleteBox(ctx, "b"))
	same(t, "what is left", []catalog.Report{plain(elsewhere)}, collect(t, s.Reports(ctx, day())))
}

// testClaims: what one box says of its payload and its GPUs, no other can.
func testClaims(t *testing.T, s Store) {
	mine := ofGPU(report("b", "1"), "g")
	later := func(r catalog.Report, by time.Duration) catalog.Report {
		r.From, r.Until = r.From.Add(by), r.Until.Add(by)
		return r
	}
	of := func(r catalog.Report, id catalog.ReportID, tenant catalog.TenantID, from catalog.BoxID) catalog.Report {
		r.ID, r.Tenant, r.Box = id, tenant, from
		return r
	}
	fewer := later(of(ofGPU(mine, "g"), "6", "acme", "b"), time.Hour)
	fewer.Readings[0].Devices = []catalog.Device{{Hash: "g", Errors: 2, Counted: true}}
	for _, step := range []struct {
		name   string
		report catalog.Report
		claim  catalog.Claim // "" if it is kept
	}{
		{"the first", mine, ""},
		{"its payload from another box", of(ofGPU(mine, "h"), "1", "acme", "c"), catalog.ClaimPayload},
		{"its GPU in another box at the time", later(of(mine, "2", "acme", "c"), time.Minute), catalog.ClaimBoxsGPU},
		{"its GPU at another tenant at the time", later(of(mine, "3", "beta", "c"), -time.Minute), catalog.ClaimTenantsGPU},
		{"fewer memory errors without a reboot", fewer, catalog.ClaimCounter},
		{"the same box once more at the time", of(mine, "4", "acme", "b"), ""},
		{"its GPU at another tenant afterwards", later(of(mine, "5", "beta", "c"), time.Hour), ""},
		{"the first box, late, about before", later(of(mine, "7", "acme", "b"), -time.Hour), ""},
		{"the first box, about when it was elsewhere", later(of(mine, "8", "acme", "b"), time.Hour), catalog.ClaimTenantsGPU},
	} {
		before := len(collect(t, s.Reports(t.Context(), day())))
		stored, err := s.PutReport(t.Context(), step.report)
		claimed, _ := errors.AsType[catalog.ClaimError](err)
		if claimed.Claim != step.claim || stored != (step.claim == "") || err != nil && step.claim == "" {
			t.Errorf("%s: stored %v, %v, want claim %q", step.name, stored, err, step.claim)
		}
		if after := len(collect(t, s.Reports(t.Context(), day()))); after != before && step.claim != "" {
			t.Errorf("%s: it is kept", step.name)
		}
	}
}

func testCodes(t *testing.T, s Store) {
	ctx := t.Context()
	code := catalog.EnrolmentCode{ID: "c1", Tenant: "acme", CreatedAt: noon(), ExpiresAt: noon().Add(10 * time.Minute)}
	must(t, s.PutCode(ctx, code))
	must(t, s.PutCode(ctx, code))
	other := code
	other.Tenant = "beta"
	fails(t, "another code of the id", s.PutCode(ctx, other), catalog.ErrConflict)
	_, err := s.UseCode(ctx, "c0", "b", noon())
	fails(t, "an unknown code", err, catalog.ErrNotFound)
	_, err = s.UseCode(ctx, "c1", "b", noon().Add(10*time.Minute))
	fails(t, "a code too old", err, catalog.ErrNotFound)
	got, err := s.UseCode(ctx, "c1", "b", noon().Add(9*time.Minute))
	must(t, err)
	code.UsedBy = "b"
	same(t, "code", code, got)
	_, err = s.UseCode(ctx, "c1", "b", noon().Add(time.Hour))
	must(t, err)
	_, err = s.UseCode(ctx, "c1", "c", noon().Add(9*time.Minute))
	fails(t, "a code that another box used", err, catalog.ErrConflict)
}

func testRefusals(t *testing.T, s Store) {
	ctx := t.Context()
	none, err := s.Refusals(ctx)
	must(t, err)
	same(t, "refusals of nothing", map[string]int64{}, none)
	for _, reason := range []string{"replayed", "bad_signature", "replayed"} {
		must(t, s.CountRefusal(ctx, reason))
	}
	got, err := s.Refusals(ctx)
	must(t, err)
	for reason, n := range map[string]int64{"replayed": 2, "bad_signature": 1} {
		if got[reason] < n || got[reason] > 2*n || len(got) != 2 {
			t.Errorf("refusals are %v, want %d for %s, or more where an answer was lost", got, n, reason)
		}
	}
}

func testCoefficients(t *testing.T, s Store) {
	ctx := t.Context()
	if all, err := s.Coefficients(ctx); len(all) != 0 || err != nil {
		t.Errorf("coefficients are %v, %v, want none", all, err)
	}
	a := catalog.Coefficient{
		GPU: "A", Provider: "p", Value: 0.1 + 0.2, Interval: catalog.Interval{Low: 1e-9, High: 1}, Prior: 0.7, Measured: 2.0 / 3,
		MeasuredInterval: catalog.Interval{Low: 0.6, High: 0.7}, Availability: 0.99, Reference: catalog.LearntReference,
		Terms:    []catalog.Term{{Resource: catalog.Compute, Ratio: 0.9, Measured: true}, {Resource: catalog.IO, Ratio: 1}},
		Evidence: catalog.Active, Kinds: catalog.BoxCounts{Active: 1, WorkloadReported: 2, Passive: 3},
		Tenants: 3, Outliers: 1, Boxes: 5, Reports: 80, NewestAt: noon(), HostMeasured: 0.99, HostBoxes: 4,
		Frozen: true, ReleasedAt: noon().Add(-time.Hour), ComputedAt: noon(),
	}
	b := catalog.Coefficient{GPU: "B", Provider: "p", SKU: "x1", Value: 0.5, Evidence: catalog.PriorOnly, ComputedAt: noon().Add(100 * time.Millisecond)}
	must(t, s.PutCoefficients(ctx, []catalog.Coefficient{b, a}))
	older, newer := b, b
	older.Value, older.ComputedAt = 0.1, noon()
	newer.Value, newer.ComputedAt = 0.6, noon().Add(time.Second)
	must(t, s.PutCoefficients(ctx, []catalog.Coefficient{older}))
	got, err := s.Coefficients(ctx)
	must(t, err)
	same(t, "coefficients", []catalog.Coefficient{a, b}, got)
	must(t, s.PutCoefficients(ctx, []catalog.Coefficient{newer, older}))
	got, err = s.Coefficients(ctx)
	must(t, err)
	same(t, "coefficients after a newer one", []catalog.Coefficient{a, newer}, got)
}
