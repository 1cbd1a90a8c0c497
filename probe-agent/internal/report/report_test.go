package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
	"pgregory.net/rapid"
)

const schemaFile = "../../../schemas/measurement.schema.json"

// allowed are all keys that a report may have. To add one is to send more of a box that
// is not ours: read the package comment first, and the consent that enroll shows.
var allowed = strings.Fields(`
schema agent_version seq source kind boot_id boot_day mono_start_seconds mono_end_seconds wall_start wall_end
clock_offset_seconds provider region sku reporter system driver_version nvml_version cuda_driver_version cpus rules
interval_seconds window_seconds busy_share busy_utilization_percent busy_power_share busy_sm_utilization_share cold_seconds
sufficient_busy_seconds sufficient_steady_seconds topology a b ancestor nvlinks p2p gpus gpu model pci_device_id
compute_capability memory_total_bytes clock_sm_max_mhz clock_memory_max_mhz power_limit_enforced_watts
power_limit_default_watts pcie_generation_max pcie_width_max pcie_replays ecc enabled corrected_volatile
uncorrected_volatile corrected_aggregate uncorrected_aggregate remapped_rows correctable uncorrectable pending failure mig
virtualization nvlink total active version switch processes fields field state observed_seconds busy_seconds lost_seconds
unobserved_seconds windows steady cold rejected_utilization rejected_power unavailable samples seconds clock_sm_mhz
power_watts temperature_celsius memory_temperature_celsius utilization_percent pcie_generation pcie_width
sm_utilization_percent tensor_active_percent dram_bandwidth_percent clock_histogram clock_event_reasons energy_joules
throttle_sw_power_cap_seconds throttle_sync_boost_seconds throttle_sw_thermal_seconds throttle_hw_thermal_seconds
throttle_hw_power_brake_seconds pcie_sent_bytes pcie_received_bytes nvlink_sent_bytes nvlink_received_bytes n sum sumsq min
max p5 p50 p95 events xid count sufficient notes throughput unit rate name params_b layers hidden heads seq_len precision
phase checks id status actual tier`)

func TestPrivacyAllowList(t *testing.T) {
	inGo := make(map[string]bool)
	keysOfType(reflect.TypeFor[Measurement](), inGo)
	inSchema := make(map[string]bool)
	keysOfSchema(readSchema(t), inSchema)
	for name, keys := range map[string]map[string]bool{"the Go types": inGo, "the schema": inSchema} {
		for key := range keys {
			if !slices.Contains(allowed, key) {
				t.Errorf("%s have the new key %q: a report would send more than it was agreed to", name, key)
			}
		}
		for _, key := range allowed {
			if !keys[key] {
				t.Errorf("%s have no key %q: take it off the list", name, key)
			}
		}
	}
}

// A string in a report must be of a closed list or match a pattern, or else any text
// could leave the box in it. The GPU's name is the one exception.
func TestPrivacyNoFreeText(t *testing.T) {
	var walk func(path string, node any)
	walk = func(path string, node any) {
		switch node := node.(type) {
		case map[string]any:
			if node["type"] == "string" && node["pattern"] == nil && node["enum"] == nil && !strings.HasSuffix(path, "/model") {
				t.Errorf("%s is free text", path)
			}
			for key, child := range node {
				walk(path+"/"+key, child)
			}
		case []any:
			for _, child := range node {
				walk(path, child)
			}
		}
	}
	walk("", readSchema(t))
}

func keysOfType(t reflect.Type, keys map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		keysOfType(t.Elem(), keys)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				keys[name] = true
			}
			keysOfType(f.Type, keys)
		}
	}
}

func keysOfSchema(node any, keys map[string]bool) {
	object, ok := node.(map[string]any)
	if !ok {
		return
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for key, child := range properties {
			keys[key] = true
			keysOfSchema(child, keys)
		}
	}
	keysOfSchema(object["items"], keys)
	if definitions, ok := object["$defs"].(map[string]any); ok {
		for _, child := range definitions {
			keysOfSchema(child, keys)
		}
	}
}

func readSchema(t *testing.T) any {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate tests a report against the published schema.
func validate(t *testing.T, payload []byte) {
	t.Helper()
	var document any
	if err := json.Unmarshal(payload, &document); err != nil {
		t.Fatal(err)
	}
	if err := compile(t, "measurement").Validate(document); err != nil {
		t.Errorf("%v\n%s", err, payload)
	}
}

// The published examples of both schemas of the agent: valid_* are, invalid_* are not.
func TestSchemaDocuments(t *testing.T) {
	for _, name := range []string{"measurement", "enroll"} {
		schema := compile(t, name)
		paths, err := filepath.Glob("../../../schemas/testdata/" + name + "/*.json")
		if err != nil || len(paths) < 3 {
			t.Fatalf("%s has the documents %v (%v)", name, paths, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var document any
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			err = schema.Validate(document)
			if valid := strings.HasPrefix(filepath.Base(path), "valid_"); (err == nil) != valid {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	path, err := filepath.Abs("../../../schemas/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.Compile("file://" + path)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSchemaListsEveryNameOfFixedLists(t *testing.T) {
	schema := readSchema(t).(map[string]any)["$defs"].(map[string]any)
	fields := schema["gpu"].(map[string]any)["properties"].(map[string]any)["fields"].(map[string]any)["items"].(map[string]any)
	names := fields["properties"].(map[string]any)["field"].(map[string]any)["enum"].([]any)
	for _, q := range sampler.Quantities() {
		if !slices.Contains(names, any(q.String())) {
			t.Errorf("the schema lacks the field %s", q)
		}
	}
	notes := schema["notes"].(map[string]any)["items"].(map[string]any)["enum"].([]any)
	for _, n := range []Note{NoteThermalSuspected, NoteProcessesHidden, NotePowerLimited, NoteGPMOff, NoteRecovered, NoteSpoolFull} {
		if !slices.Contains(notes, any(string(n))) {
			t.Errorf("the schema lacks the note %s", n)
		}
	}
}

// everything is a device of which all can be read, or all but what failed.
func everything() *sampler.Device {
	d := &sampler.Device{Name: sampler.Of("NVIDIA H100 80GB HBM3"), UUID: sampler.Of("GPU-0c0ffee0-0000-4000-8000-000000000001"),
		PCIBusID: sampler.Of("00000000:01:00.0"), PCIDeviceID: sampler.Of("2330"), ComputeCapability: sampler.Of("9.0"),
		Links: sampler.Of([]sampler.Link{{Active: true, Version: 4, Switch: true}, {Index: 1}})}
	for _, q := range sampler.Quantities() {
		d.Readings[q] = sampler.Of(1.0)
	}
	d.Readings[sampler.PowerLimitEnforced] = sampler.Of(250_000.0)
	d.Readings[sampler.PowerLimitDefault] = sampler.Of(350_000.0)
	d.Readings[sampler.AddressingMode] = sampler.Failed[float64](sampler.CodeFunctionNotFound)
	d.Readings[sampler.ComputeProcesses] = sampler.Of(0.0)
	d.Readings[sampler.MemoryTotal] = sampler.Of(8e10)
	d.Readings[sampler.MemoryUsed] = sampler.Of(7e10)
	return d
}

func header() *Measurement {
	d := everything()
	inventory := &sampler.Inventory{Devices: []sampler.Device{*d, *d}, Paths: map[[2]int]sampler.Path{
		{0, 1}: {Ancestor: sampler.Of(sampler.AncestorPIX), Read: sampler.Of(0), Write: sampler.Of(0)}}}
	inventory.Versions = sampler.Versions{Driver: sampler.Of("550.54.15"), NVML: sampler.Of("12.550.54.15"), CUDA: sampler.Of("12.4")}
	return &Measurement{Schema: Schema, AgentVersion: "1.2.3", Source: "nvml", Kind: "watch", BootID: "0123456789abcdef",
		BootDay: "2026-11-30", Provider: "some provider", Region: "eu-1", SKU: "x1.8xlarge", Reporter: "tenant",
		System: NewSystem(inventory.Versions, 8), Rules: NewRules(window.DefaultRules(), time.Second), Topology: NewTopology(inventory),
		GPUs: []GPU{{Facts: NewFacts(d, &d.Readings)}, {Facts: NewFacts(d, &d.Readings)}}}
}

// fullWindow is a window in which everything was read.
func fullWindow(device int) window.Window {
	c := window.NewCollector(device, window.DefaultRules(), everything().Readings)
	for second := range 60 {
		s := sampler.Sample{Device: device, At: time.Duration(second) * time.Second, GPM: sampler.Of(sampler.GPM{SMUtilization: 0.9, TensorActive: 0.5, DRAMBandwidth: 0.4})}
		for _, q := range sampler.Quantities() {
			s.Readings[q] = sampler.Of(float64(100 + second))
		}
		c.Add(&s)
	}
	w, _ := c.Close()
	return w
}

func TestFullReportFitsTheSchema(t *testing.T) {
	draft, err := NewDraft(Record{Wall: time.Unix(1_800_000_000, 0), Header: header()})
	if err != nil {
		t.Fatal(err)
	}
	for device := range 2 {
		for _, class := range []window.Class{window.Cold, window.Steady, window.Unused, window.LowPower, window.Unavailable} {
			w := fullWindow(device)
			w.Class = class
			draft.Apply(&Record{Wall: time.Unix(1_800_000_060, 0), Mono: time.Minute, Window: &WindowRecord{Window: w}})
		}
		draft.Apply(&Record{Event: &EventRecord{Device: device, XID: 79}})
	}
	draft.Apply(&Record{Work: &WorkRecord{Source: "command", Unit: "tokens_per_second", Rate: 3100,
		Model: &WorkModel{Name: "llama-2-7b", ParamsB: 7, Layers: 32, Hidden: 4096, Heads: 32, SeqLen: 2048, Precision: "bf16", Phase: "train"}}})
	actual, offset := 0.5, 2400.0
	draft.AddChecks([]Check{{ID: "data_remnants", Status: "fail", Actual: &actual, Unit: "s"}})
	draft.SetOffset(&offset)
	draft.AddNote(NoteGPMOff)
	payload, err := draft.Payload(7)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, payload)
	inGo := make(map[string]bool)
	var document any
	if err := json.Unmarshal(payload, &document); err != nil {
		t.Fatal(err)
	}
	keysOfDocument(document, inGo)
	for _, key := range allowed {
		if !inGo[key] {
			t.Errorf("the full report has no %q: this test misses something", key)
		}
	}
	if strings.Contains(string(payload), "0c0ffee0") {
		t.Error("the report holds a UUID")
	}
}

func keysOfDocument(node any, keys map[string]bool) {
	switch node := node.(type) {
	case map[string]any:
		for key, child := range node {
			keys[key] = true
			keysOfDocument(child, keys)
		}
	case []any:
		for _, child := range node {
			keysOfDocument(child, keys)
		}
	}
}

func TestSmallestReportFitsTheSchema(t *testing.T) {
	h := header()
	none := &sampler.Device{}
	h.GPUs, h.Topology, h.System = []GPU{{Facts: NewFacts(none, &none.Readings)}}, nil, NewSystem(sampler.Versions{}, 1)
	draft, err := NewDraft(Record{Wall: time.Unix(1_800_000_000, 0), Header: h})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := draft.Payload(1)
	if err != nil {
		t.Fatal(err)
	}
	validate(t, payload)
	for _, zero := range []string{"memory_total_bytes", "ecc", "temperature", "energy", `"mig"`} {
		if strings.Contains(string(payload), zero) {
			t.Errorf("%s of a device that told nothing: %s", zero, payload)
		}
	}
}

// A report that a crash has interrupted is made again, byte for byte, from its journal.
func TestJournalMakesTheSameReport(t *testing.T) {
	full := fullWindow(0)
	rapid.Check(t, func(t *rapid.T) {
		first := Record{Wall: time.Unix(1_800_000_000, 0), Header: header()}
		live, err := NewDraft(first)
		if err != nil {
			t.Fatal(err)
		}
		lines := [][]byte{marshal(t, first)}
		for range rapid.IntRange(0, 12).Draw(t, "records") {
			r := drawRecord(t, full)
			lines = append(lines, marshal(t, r))
			live.Apply(&r)
		}
		again, err := ReadDraft(lines)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := live.Payload(3)
		got, _ := again.Payload(3)
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func drawRecord(t *rapid.T, w window.Window) Record {
	r := Record{Wall: time.Unix(1_800_000_000+rapid.Int64Range(0, 1e6).Draw(t, "wall"), 0).UTC(), Mono: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "mono"))}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		w.Device = rapid.IntRange(-1, 2).Draw(t, "device")
		w.Class = rapid.SampledFrom([]window.Class{window.Cold, window.Steady, window.Unused}).Draw(t, "class")
		r.Window = &WindowRecord{Window: w}
	case 1:
		r.Event = &EventRecord{Device: rapid.IntRange(-1, 2).Draw(t, "device"), XID: rapid.Uint64Range(1, 120).Draw(t, "xid")}
	case 2:
		r.Work = &WorkRecord{Source: "file", Unit: "tokens_per_second", Rate: rapid.Float64Range(0, 1e6).Draw(t, "rate")}
	case 3:
		r.Note = NoteGPMOff
	}
	return r
}

func marshal(t *rapid.T, r Record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Case 15: an empty process list while memory is in use is hidden, not idle.
func TestCase15HiddenProcesses(t *testing.T) {
	for _, test := range []struct {
		count, used sampler.Value[float64]
		want        string
	}{
		{sampler.Of(0.0), sampler.Of(7e10), "hidden"},
		{sampler.Of(0.0), sampler.Of(5e8), "none"},
		{sampler.Of(2.0), sampler.Of(7e10), "visible"},
		{sampler.Value[float64]{}, sampler.Of(7e10), ""},
	} {
		var r sampler.Readings
		r[sampler.ComputeProcesses], r[sampler.MemoryUsed], r[sampler.MemoryTotal] = test.count, test.used, sampler.Of(8e10)
		if got := Processes(&r); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// A GeForce card answers questions about remapped rows with success and zeros.
func TestRemappedRowsNeedECC(t *testing.T) {
	var r sampler.Readings
	r[sampler.RemappedCorrectable] = sampler.Of(0.0)
	if newRemapped(&r) != nil {
		t.Error("a card without ECC has remapped rows")
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"header": {"gpus": [{}]}}` + "\n" + `{"window": {"window": {"device": 0, "class": "steady", "sums": {"windows": 1}}}}`))
	f.Add([]byte(`{"header": {"gpus": [{}]}}` + "\n" + `{"event": {"device": 9, "xid": 1}}` + "\n" + `{"work": {"rate": 1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var lines [][]byte
		for _, line := range strings.Split(string(text), "\n") {
			lines = append(lines, []byte(line))
		}
		if draft, err := ReadDraft(lines); err == nil {
			draft.Payload(1) // whatever was read, it must not panic
		}
	})
}
