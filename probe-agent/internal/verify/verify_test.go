package verify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/window"
)

// card is one GPU of a box; the same for all.
func card(name string, values map[sampler.Quantity]float64) sampler.Device {
	d := sampler.Device{Name: sampler.Of(name), ComputeCapability: sampler.Of("9.0"), Links: sampler.Of[[]sampler.Link](nil)}
	for q, v := range values {
		d.Readings[q] = sampler.Of(v)
	}
	return d
}

// boxOf is a machine of n cards; ancestor says how each pair reaches each other.
func boxOf(n int, d sampler.Device, ancestor func(a, b int) int) *sampler.Inventory {
	inventory := &sampler.Inventory{Paths: make(map[[2]int]sampler.Path)}
	inventory.Versions.CUDA = sampler.Of("12.4")
	for i := range n {
		d.Index, d.PCIBusID, d.UUID = i, sampler.Of(fmt.Sprintf("00000000:%02x:00.0", i+1)), sampler.Of(fmt.Sprintf("GPU-%d", i))
		inventory.Devices = append(inventory.Devices, d)
	}
	for b := range n {
		for a := range b {
			inventory.Paths[[2]int{a, b}] = sampler.Path{Ancestor: sampler.Of(ancestor(a, b)), Read: sampler.Of(0), Write: sampler.Of(0)}
		}
	}
	return inventory
}

// pairs joins 0 and 1, 2 and 3, ... by one PCIe switch each.
func pairs(a, b int) int {
	if a/2 == b/2 {
		return sampler.AncestorPIX
	}
	return sampler.AncestorSystem
}

func get(t *testing.T, checks []Check, id string) Check {
	t.Helper()
	for _, c := range checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("there is no check %s in %+v", id, checks)
	return Check{}
}

func wantStatus(t *testing.T, c Check, want Status, words ...string) {
	t.Helper()
	if c.Status != want {
		t.Errorf("%s is %s, want %s: %+v", c.ID, c.Status, want, c)
	}
	for _, word := range words {
		if !strings.Contains(c.Evidence+c.Actual, word) {
			t.Errorf("%s does not say %q: %q, %q", c.ID, word, c.Actual, c.Evidence)
		}
	}
	if (c.Status == Skip || c.Status == Inconclusive) && c.Evidence == "" && c.Remedy == "" {
		t.Errorf("%s is %s without a reason", c.ID, c.Status)
	}
}

// Case 7: sold as one box with NVLink, found to be four PCIe pairs.
func TestCase7FourPCIePairs(t *testing.T) {
	d := card("NVIDIA A100-SXM4-80GB", nil)
	d.Links = sampler.Of([]sampler.Link{{Index: 0}, {Index: 1}}) // there, and not active
	c := get(t, Topology(boxOf(8, d, pairs), Claim{NVLink: NVLinkFull}), "nvlink_topology")
	wantStatus(t, c, Fail, "0 of 16 NVLinks", "4 PCIe groups: 0+1, 2+3, 4+5, 6+7")
}

func TestNVLinkTopologies(t *testing.T) {
	switched := card("H100", nil)
	switched.Links = sampler.Of([]sampler.Link{{Active: true, Version: 4, Switch: true}})
	full := boxOf(4, switched, pairs)
	bridged := boxOf(4, card("A6000", nil), pairs)
	for i := range bridged.Devices {
		remote, _ := bridged.Devices[i^1].PCIBusID.Get()
		bridged.Devices[i].Links = sampler.Of([]sampler.Link{{Active: true, Version: 3, RemoteBus: remote}})
	}
	unread := boxOf(2, card("H100", nil), pairs)
	unread.Devices[1].Links = sampler.Failed[[]sampler.Link](sampler.CodeNoPermission)
	for _, test := range []struct {
		name  string
		box   *sampler.Inventory
		claim NVLinkClaim
		want  Status
	}{
		{"switched as full", full, NVLinkFull, Pass}, {"switched as pairs", full, NVLinkPairs, Pass}, {"switched as none", full, NVLinkNone, Fail},
		{"bridged as full", bridged, NVLinkFull, Fail}, {"bridged as pairs", bridged, NVLinkPairs, Pass},
		{"none as none", boxOf(2, card("4090", nil), pairs), NVLinkNone, Pass}, {"nothing claimed", full, "", Skip},
		{"links can't be read", unread, NVLinkFull, Inconclusive}, {"one GPU", boxOf(1, switched, pairs), NVLinkFull, Skip},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantStatus(t, get(t, Topology(test.box, Claim{NVLink: test.claim}), "nvlink_topology"), test.want)
		})
	}
}

// Case 30: the driver's OK for peer-to-peer is no proof; copied data is.
func TestCase30PeerToPeerNeedsData(t *testing.T) {
	box := boxOf(2, card("RTX 4090", nil), pairs)
	checks := Topology(box, Claim{})
	wantStatus(t, get(t, checks, "p2p_data"), Inconclusive, "no proof")
	for output, want := range map[string]Status{"# Out of bounds values : 0 OK": Pass, "# Out of bounds values : 12 FAILED": Fail} {
		o := NewOutput(nil)
		o.Line(output)
		wantStatus(t, get(t, P2P(Topology(box, Claim{}), o.Metrics()), "p2p_data"), want)
	}
}

func TestModelNames(t *testing.T) {
	for _, test := range []struct {
		id, name, claim string
		want            Status
	}{
		{"2330", "NVIDIA H100 80GB HBM3", "H100-SXM", Pass}, {"2330", "NVIDIA H100 80GB HBM3", "H100", Pass},
		{"2331", "NVIDIA H100 PCIe", "H100-SXM", Fail}, {"", "NVIDIA H100 PCIe", "H100-SXM", Fail},
		{"", "NVIDIA H100 80GB HBM3", "H100-SXM", Inconclusive}, {"20b2", "NVIDIA A100-SXM4-80GB", "A100 SXM 80GB", Pass},
		{"2684", "NVIDIA GeForce RTX 4090", "RTX-4090", Pass}, {"2685", "NVIDIA GeForce RTX 4090 D", "RTX 4090", Fail},
		{"", "NVIDIA GeForce RTX 4080 SUPER", "RTX 4080", Fail}, {"", "NVIDIA GeForce RTX 3090 Ti", "RTX 3090", Fail},
		{"", "NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", Pass}, {"", "Tesla V100-SXM2-32GB", "V100 SXM2", Pass},
		{"", "Tesla T4", "T4", Pass}, {"", "Tesla T4", "", Skip},
	} {
		t.Run(test.name+" as "+test.claim, func(t *testing.T) {
			d := card(test.name, nil)
			d.PCIDeviceID = sampler.Of(test.id)
			wantStatus(t, get(t, Box(boxOf(2, d, pairs), Claim{GPU: test.claim}), "gpu_model"), test.want)
		})
	}
}

// Case 21: a device without memory of its own.
func TestCase21UnifiedMemory(t *testing.T) {
	wantStatus(t, get(t, Box(boxOf(1, card("NVIDIA GB10", nil), pairs), Claim{MemoryGB: 128}), "gpu_memory"), Skip)
}

func TestMemoryAndCount(t *testing.T) {
	box := boxOf(8, card("H100", map[sampler.Quantity]float64{sampler.MemoryTotal: 85520809984}), pairs)
	for _, test := range []struct {
		claim Claim
		id    string
		want  Status
	}{
		{Claim{MemoryGB: 80}, "gpu_memory", Pass}, {Claim{MemoryGB: 94}, "gpu_memory", Fail}, {Claim{}, "gpu_memory", Skip},
		{Claim{Count: 8}, "gpu_count", Pass}, {Claim{Count: 4}, "gpu_count", Fail}, {Claim{}, "gpu_count", Skip},
	} {
		wantStatus(t, get(t, Box(box, test.claim), test.id), test.want)
	}
}

func TestHealth(t *testing.T) {
	on, off := true, false
	ecc := map[sampler.Quantity]float64{sampler.ECCMode: 1}
	withErrors := map[sampler.Quantity]float64{sampler.ECCMode: 1, sampler.ECCUncorrectedVolatile: 2}
	for _, test := range []struct {
		name   string
		values map[sampler.Quantity]float64
		claim  Claim
		image  string
		id     string
		want   Status
	}{
		{"ECC as claimed", ecc, Claim{ECC: &on}, "", "ecc_mode", Pass},
		{"ECC off, claimed on", map[sampler.Quantity]float64{sampler.ECCMode: 0}, Claim{ECC: &on}, "", "ecc_mode", Fail},
		{"ECC on, claimed off", ecc, Claim{ECC: &off}, "", "ecc_mode", Fail},
		{"no ECC at all, claimed on", nil, Claim{ECC: &on}, "", "ecc_mode", Fail},
		{"no ECC at all, claimed off", nil, Claim{ECC: &off}, "", "ecc_mode", Pass},
		{"no errors", ecc, Claim{}, "", "ecc_errors", Pass},
		{"errors", withErrors, Claim{}, "", "ecc_errors", Fail},
		{"errors can't be seen", nil, Claim{}, "", "ecc_errors", Skip},
		{"an old error", map[sampler.Quantity]float64{sampler.ECCMode: 1, sampler.ECCUncorrectedAggregate: 1}, Claim{}, "", "ecc_errors", Warn},
		{"a row that can't be replaced", map[sampler.Quantity]float64{sampler.ECCMode: 1, sampler.RemapFailure: 1}, Claim{}, "", "ecc_errors", Fail},
		{"MIG", map[sampler.Quantity]float64{sampler.MIGMode: 1, sampler.VirtualizationMode: 0}, Claim{}, "", "virtualization", Warn},
		{"vGPU", map[sampler.Quantity]float64{sampler.VirtualizationMode: 2}, Claim{}, "", "virtualization", Warn},
		{"passed through", map[sampler.Quantity]float64{sampler.VirtualizationMode: 1}, Claim{}, "", "virtualization", Pass},
		{"image fits", nil, Claim{}, "12.1", "cuda_version", Pass},
		{"image of the same major version", nil, Claim{}, "12.8", "cuda_version", Warn},
		{"image too new", nil, Claim{}, "13.0", "cuda_version", Fail},
		{"image too old for the GPU", nil, Claim{}, "11.3.1", "cuda_version", Fail},
		{"no image", nil, Claim{}, "", "cuda_version", Skip},
		{"nonsense", nil, Claim{}, "new", "cuda_version", Skip},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantStatus(t, get(t, Health(boxOf(2, card("H100", test.values), pairs), test.claim, test.image), test.id), test.want)
		})
	}
}

// Case 17: the host has cut the power of a card.
func TestCase17PowerLimitReduced(t *testing.T) {
	values := map[sampler.Quantity]float64{sampler.PowerLimitEnforced: 250_000, sampler.PowerLimitDefault: 350_000}
	c := get(t, Health(boxOf(1, card("RTX 3090", values), pairs), Claim{}, ""), "power_limit_reduced")
	wantStatus(t, c, Warn, "250 W of 350 W")
	if !strings.Contains(c.Remedy, "clocks under load, not by watts") {
		t.Errorf("the remedy is %q", c.Remedy)
	}
	values[sampler.PowerLimitEnforced] = 350_000
	wantStatus(t, get(t, Health(boxOf(1, card("RTX 3090", values), pairs), Claim{}, ""), "power_limit_reduced"), Pass)
}

// loaded watches a box for a minute and returns what its load shows.
func loaded(inventory *sampler.Inventory, second func(i int, r *sampler.Readings)) []Check {
	var windows []window.Window
	for i := range inventory.Devices {
		c := window.NewCollector(i, window.DefaultRules(), inventory.Devices[i].Readings)
		for n := range 60 {
			s := sampler.Sample{Device: i, At: time.Duration(n) * time.Second}
			second(n, &s.Readings)
			c.Add(&s)
		}
		w, _ := c.Close()
		windows = append(windows, w)
	}
	return Load(inventory, windows)
}

// working is a card under load.
func working(r *sampler.Readings, clock float64) {
	r[sampler.UtilizationGPU], r[sampler.PowerUsage], r[sampler.ClockSM] = sampler.Of(99.0), sampler.Of(250_000.0), sampler.Of(clock)
	r[sampler.EventReasons], r[sampler.Temperature] = sampler.Of(0.0), sampler.Of(68.0)
	r[sampler.PCIeGeneration], r[sampler.PCIeWidth] = sampler.Of(4.0), sampler.Of(16.0)
}

var limits = map[sampler.Quantity]float64{sampler.PowerLimitEnforced: 300_000, sampler.ClockSMMax: 1530, sampler.TemperatureSlowdown: 87,
	sampler.PCIeGenerationMax: 4, sampler.PCIeWidthMax: 16, sampler.PCIeGenerationMaxDevice: 4}

// Case 18: a V100 far below its clock: the reason is named, or the clock that is pinned.
func TestCase18ClocksNameTheirReason(t *testing.T) {
	pinned := card("V100", limits)
	pinned.Readings[sampler.ClockSMApplication] = sampler.Of(510.0)
	checks := loaded(boxOf(1, pinned, pairs), func(_ int, r *sampler.Readings) {
		working(r, 510)
		r[sampler.EventReasons] = sampler.Of(float64(sampler.ReasonApplication))
	})
	wantStatus(t, get(t, checks, "throttling"), Fail, "33%", "application_clocks", "pinned at 510 of 1530 MHz")
	checks = loaded(boxOf(1, card("V100", limits), pairs), func(_ int, r *sampler.Readings) {
		working(r, 600)
		r[sampler.EventReasons] = sampler.Of(float64(sampler.ReasonHWSlowdown | sampler.ReasonHWThermal))
	})
	wantStatus(t, get(t, checks, "throttling"), Fail, "hw_slowdown, hw_thermal")
}

// Case 19, as verify shows it.
func TestCase19ShownAsSuspicion(t *testing.T) {
	checks := loaded(boxOf(1, card("RTX 3090", limits), pairs), func(n int, r *sampler.Readings) {
		working(r, 1400)
		r[sampler.ThrottleSWThermal] = sampler.Of(1e8 * float64(n))
	})
	wantStatus(t, get(t, checks, "memory_thermal_suspected"), Warn, "68 C")
}

// Case 20: a link rests at generation 1; only under load is that a fault.
func TestCase20PCIeOnlyUnderLoad(t *testing.T) {
	idle := loaded(boxOf(1, card("A100", limits), pairs), func(_ int, r *sampler.Readings) {
		r[sampler.UtilizationGPU], r[sampler.PowerUsage] = sampler.Of(0.0), sampler.Of(50_000.0)
		r[sampler.PCIeGeneration] = sampler.Of(1.0)
	})
	wantStatus(t, get(t, idle, "pcie_link"), Skip, "no GPU was busy")
	busy := loaded(boxOf(1, card("A100", limits), pairs), func(_ int, r *sampler.Readings) {
		working(r, 1500)
		r[sampler.PCIeGeneration] = sampler.Of(1.0)
	})
	wantStatus(t, get(t, busy, "pcie_link"), Warn, "generation 1 of 4")
	well := loaded(boxOf(1, card("A100", limits), pairs), func(_ int, r *sampler.Readings) { working(r, 1500) })
	for _, id := range []string{"pcie_link", "throttling"} {
		wantStatus(t, get(t, well, id), Pass)
	}
}

func TestMemoryHeat(t *testing.T) {
	for celsius, want := range map[float64]Status{70: Pass, 104: Warn} {
		checks := loaded(boxOf(1, card("A100", limits), pairs), func(_ int, r *sampler.Readings) {
			working(r, 1500)
			r[sampler.MemoryTemperature] = sampler.Of(celsius)
		})
		wantStatus(t, get(t, checks, "memory_temperature"), want)
	}
}

// Case 27: a GPU that failed in an earlier rental comes back.
func TestCase27SameGPUAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	at := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	past := []Past{{GPU: "aa", Rental: "old", At: at, Failed: []string{"ecc_errors"}}, {GPU: "bb", Rental: "old", At: at}}
	if err := AppendHistory(path, past); err != nil {
		t.Fatal(err)
	}
	history, err := ReadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, Known([]string{"cc", "aa"}, "new", history), Warn,
		"GPU 1 is the same GPU (aa) as in the rental of 2026-09-01, which failed ecc_errors")
	wantStatus(t, Known([]string{"bb"}, "new", history), Pass)
	wantStatus(t, Known([]string{"aa"}, "old", history), Pass)
}

func TestBenchmarks(t *testing.T) {
	for _, test := range []struct {
		name, output, expect string
		id                   string
		want                 Status
	}{
		{"nccl-tests as expected", "# Avg bus bandwidth    : 361.2", "busbw_gb_s>=300", "benchmark_busbw_gb_s", Pass},
		{"nccl-tests too slow", "# Avg bus bandwidth    : 210.7", "busbw_gb_s>=300", "benchmark_busbw_gb_s", Fail},
		{"gpu-burn", "50.0%  proc'd: 100 (14012 Gflop/s)   errors: 0   temps: 60 C", "gflops>=13000", "benchmark_gflops", Pass},
		{"gpu-burn with errors", "50.0%  proc'd: 100 (14012 Gflop/s)   errors: 3  (WARNING!)", "gflops>=13000", "benchmark_errors", Fail},
		{"gpu-burn at its end", "\tGPU 0: FAULTY", "gflops>=1", "benchmark", Fail},
		{"MLPerf", "Samples per second: 1234.5\nResult is : VALID", "samples_per_second>=1000", "benchmark_samples_per_second", Pass},
		{"MLPerf, invalid", "Samples per second: 1234.5\nResult is : INVALID", "samples_per_second>=1", "benchmark", Fail},
		{"the user's own", "step 7 took 0.25 s", "step_s<=0.3", "benchmark_step_s", Pass},
		{"nothing known", "hello", "", "benchmark", Inconclusive},
		{"something else was printed", "step 7 took 0.25 s", "speed>=1", "benchmark_speed", Inconclusive},
		{"nothing expected", "step 7 took 0.25 s", "", "benchmark_step_s", Skip},
	} {
		t.Run(test.name, func(t *testing.T) {
			name, expression, err := ParseMetric(`step_s=took ([0-9.]+) s`)
			if err != nil {
				t.Fatal(err)
			}
			o := NewOutput(map[string]*regexpT{name: expression})
			for _, line := range strings.Split(test.output, "\n") {
				o.Line(line)
			}
			var expectations []Expectation
			if test.expect != "" {
				e, err := ParseExpectation(test.expect)
				if err != nil {
					t.Fatal(err)
				}
				expectations = append(expectations, e)
			}
			wantStatus(t, get(t, Benchmark([]Run{{Metrics: o.Metrics(), Invalid: o.Invalid()}}, expectations), test.id), test.want)
		})
	}
	wantStatus(t, get(t, Benchmark([]Run{{Err: os.ErrInvalid}}, nil), "benchmark"), Fail)
}

func TestRunsLeaveOutFastestAndSlowest(t *testing.T) {
	var runs []Run
	for _, v := range []float64{10, 100, 11, 12, 1} {
		runs = append(runs, Run{Metrics: Metrics{"x": v, "errors": v}})
	}
	if diff := cmp.Diff(Metrics{"x": 11, "errors": 100}, Mean(runs)); diff != "" {
		t.Error(diff)
	}
}

func TestAllReduceReferences(t *testing.T) {
	d := card("NVIDIA H100 80GB HBM3", nil)
	var links []sampler.Link
	for i := range 18 {
		links = append(links, sampler.Link{Index: i, Active: true, Version: 4, Switch: true})
	}
	d.Links = sampler.Of(links)
	if e, ok := AllReduce(boxOf(8, d, pairs)); !ok || e.Bound != 0.75*450 {
		t.Errorf("18 links of version 4: %+v, %v", e, ok)
	}
	if _, ok := AllReduce(boxOf(8, card("RTX 4090", nil), pairs)); ok {
		t.Error("a box without NVLink has a reference for it")
	}
	if e, ok := ClaimedAllReduce(Claim{GPU: "A100-SXM", NVLink: NVLinkFull, Count: 8}); !ok || e.Bound != 0.75*300 {
		t.Errorf("an A100 box as claimed: %+v, %v", e, ok)
	}
}

func TestRemnantsOfAnExtFileSystem(t *testing.T) {
	image := gunzip(t, "testdata/ext4.img.gz")
	region, err := FreeRegion(bytes.NewReader(image), int64(len(image)))
	if err != nil {
		t.Fatal(err)
	}
	r := Remnants{Rand: rand.New(rand.NewPCG(1, 2)), Samples: 4000}
	found, err := r.Sample(bytes.NewReader(image), *region)
	if err != nil {
		t.Fatal(err)
	}
	// A deleted file of 300,000 bytes and a small one lie in the free blocks.
	share := float64(found.NonZero) / float64(found.Samples)
	want := 300_000.0 / 1024 / float64(region.Blocks)
	if low, high := found.Interval(); want < low*0.95 || want > high*1.05 {
		t.Errorf("found %.3f (%.3f to %.3f) of %d free blocks in use, want about %.3f", share, low, high, region.Blocks, want)
	}
	if found.Signatures["elf"] == 0 {
		t.Errorf("the beginning of a program was not found: %+v", found)
	}
	c := JudgeRemnants(found, *region)
	wantStatus(t, c, Fail, "elf", "interval")
	if strings.Contains(c.Evidence, "aaaa") {
		t.Error("contents are shown")
	}
}

func TestRemnantsOfADisk(t *testing.T) {
	noise := make([]byte, 1<<20)
	source := rand.NewChaCha8([32]byte{1})
	source.Read(noise)
	for _, test := range []struct {
		name string
		disk []byte
		want Status
	}{
		{"zeros", make([]byte, 1<<20), Pass},
		{"noise, as of an encrypted disk", noise, Warn},
		{"text", bytes.Repeat([]byte("secret! "), 1<<17), Fail},
		{"empty", nil, Inconclusive},
	} {
		t.Run(test.name, func(t *testing.T) {
			region, err := FreeRegion(bytes.NewReader(test.disk), int64(len(test.disk)))
			if err != nil {
				t.Fatal(err)
			}
			r := Remnants{Rand: rand.New(rand.NewPCG(1, 2)), Samples: 500}
			found, err := r.Sample(bytes.NewReader(test.disk), *region)
			if err != nil {
				t.Fatal(err)
			}
			wantStatus(t, JudgeRemnants(found, *region), test.want)
		})
	}
}

func TestRemnantsUncheckable(t *testing.T) {
	xfs := append([]byte("XFSB"), make([]byte, 1<<20)...)
	if _, err := FreeRegion(bytes.NewReader(xfs), int64(len(xfs))); err == nil {
		t.Error("the free blocks of xfs were told")
	}
	mounts := "25 1 0:22 / / rw shared:1 - overlay overlay rw,lowerdir=/l\n26 25 8:1 / /data rw - ext4 /dev/nothere rw\n"
	dir := t.TempDir()
	if _, reason := OpenScratch(dir, strings.NewReader(mounts)); !strings.Contains(reason, "overlay") {
		t.Errorf("an overlay: %q", reason)
	}
	mounts = strings.ReplaceAll(mounts, "/data", dir)
	if _, reason := OpenScratch(dir, strings.NewReader(mounts)); !strings.Contains(reason, "root is needed") {
		t.Errorf("a device that is not there: %q", reason)
	}
	wantStatus(t, Uncheckable("reason"), Skip, "not checkable")
}

func TestWilsonInterval(t *testing.T) {
	// Worked by hand from Wilson's formula.
	low, high := Found{Samples: 100, NonZero: 10}.Interval()
	if fmt.Sprintf("%.4f %.4f", low, high) != "0.0552 0.1744" {
		t.Errorf("got %.4f %.4f", low, high)
	}
	if low, high := (Found{Samples: 2000}).Interval(); low > 1e-12 || high > 0.002 {
		t.Errorf("none of 2000: %g to %g", low, high)
	}
}

func FuzzClaim(f *testing.F) {
	f.Add("gpu=H100-SXM,count=8,nvlink=full,ecc=on,mem=80,net=10g,pcie=5,power=700W")
	f.Add("net=500m,mem=24GB")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseClaim(text)
		if err != nil {
			return
		}
		if c.Count < 0 || c.MemoryGB < 0 || c.NetMbps < 0 || c.PCIe < 0 || c.PowerWatts < 0 {
			t.Errorf("%q: %+v", text, c)
		}
		Box(boxOf(2, card("X", nil), pairs), c)
	})
}

func FuzzFreeRegion(f *testing.F) {
	f.Add(gunzip(f, "testdata/ext4.img.gz")[:64<<10])
	f.Add([]byte("XFSB"))
	f.Fuzz(func(t *testing.T, image []byte) {
		region, err := FreeRegion(bytes.NewReader(image), int64(len(image)))
		if err != nil || region.Blocks == 0 {
			return
		}
		for _, n := range []int64{0, region.Blocks / 2, region.Blocks - 1} {
			if at := region.Offset(n); at < 0 || at > int64(len(image)) {
				t.Errorf("block %d is at %d of %d", n, at, len(image))
			}
		}
	})
}

func FuzzBenchmarkOutput(f *testing.F) {
	f.Add("# Avg bus bandwidth    : 361.2")
	f.Add("(14012 Gflop/s)   errors: 3")
	f.Fuzz(func(t *testing.T, line string) {
		o := NewOutput(nil)
		o.Line(line)
		Benchmark([]Run{{Metrics: o.Metrics()}}, nil)
	})
}

func TestClaims(t *testing.T) {
	on := true
	got, err := ParseClaim("gpu=H100-SXM,count=8,nvlink=full,ecc=on,mem=80,net=10g")
	want := Claim{GPU: "H100-SXM", Count: 8, NVLink: NVLinkFull, ECC: &on, MemoryGB: 80, NetMbps: 10_000}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, text := range []string{"", "gpu", "gpu=", "count=0", "count=1.5", "count=-1", "nvlink=some", "ecc=yes", "mem=NaN", "mem=Inf", "net=g",
		"speed=1", "count=1,count=2", "gpu=H100;rm", strings.Repeat("a", 2000)} {
		if c, err := ParseClaim(text); err == nil {
			t.Errorf("%q is read as %+v", text, c)
		}
	}
}
