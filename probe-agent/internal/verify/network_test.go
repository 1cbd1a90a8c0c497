package verify

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"testing"
	"testing/synctest"
	"time"
)

type regexpT = regexp.Regexp

func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// line is a connection that gives so many bytes a second.
type line struct {
	rate  func(second int) int // bytes
	start time.Time
	given int
}

func (l *line) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond) // of the bubble's time, which costs none
	n := min(len(p), l.rate(int(time.Since(l.start).Seconds()))/1000)
	l.given += n
	return n, nil
}

const mbps = 1_000_000 / 8

// Case 31: fast for a minute, then 60 Mbit/s.
func TestCase31BandwidthThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{start: time.Now(), rate: func(second int) int {
			if second < 60 {
				return 400 * mbps
			}
			return 60 * mbps
		}}
		b := Bandwidth{Budget: 100e9, Longest: 10 * time.Minute, Now: time.Now}
		rates, err := b.Measure(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, JudgeBandwidth(rates, Claim{})[0], Fail, "400 Mbit/s in the first minute", "60 Mbit/s in the last third")
		if took := time.Since(l.start); took > 3*time.Minute {
			t.Errorf("it went on for %v though the fall was clear", took)
		}
	})
}

func TestBandwidthSteady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{start: time.Now(), rate: func(int) int { return 100 * mbps }}
		b := Bandwidth{Budget: 100e9, Longest: 10 * time.Minute, Now: time.Now}
		rates, err := b.Measure(t.Context(), l)
		if err != nil || time.Since(l.start).Round(time.Second) != 10*time.Minute {
			t.Fatalf("%v after %v", err, time.Since(l.start))
		}
		checks := JudgeBandwidth(rates, Claim{NetMbps: 1000})
		wantStatus(t, checks[0], Pass)
		wantStatus(t, checks[1], Inconclusive, "100")
	})
}

func TestBandwidthBudgetIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{start: time.Now(), rate: func(int) int { return 100 * mbps }}
		b := Bandwidth{Budget: 50e6, Longest: 10 * time.Minute, Now: time.Now}
		rates, err := b.Measure(t.Context(), l)
		if err != nil || l.given != 50e6 {
			t.Fatalf("%v, %d bytes", err, l.given)
		}
		wantStatus(t, JudgeBandwidth(rates, Claim{})[0], Inconclusive, "100 Mbit/s")
	})
}

// script is a command in a network whose link can be cut.
type script struct {
	up    chan bool
	fault Fault
	marks chan mark
	ended chan error
}

func (s *script) setLink(up bool) error {
	s.up <- up
	return nil
}

// run plays a command beside the check.
func (s *script) run(t *testing.T, command func(s *script)) Check {
	s.up, s.marks, s.ended = make(chan bool, 2), make(chan mark, 100), make(chan error, 1)
	s.fault = Fault{Settle: 5 * time.Second, Cut: 30 * time.Second, Recover: time.Minute, Now: time.Now}
	go command(s)
	return s.fault.watch(t.Context(), s, signs{s.marks, s.ended})
}

func (s *script) step(n int64) { s.marks <- mark{time.Now(), n} }

func TestNetworkFault(t *testing.T) {
	for _, test := range []struct {
		name    string
		command func(s *script)
		want    Status
		words   []string
	}{
		{"goes on where it was", func(s *script) {
			s.step(1)
			<-s.up
			<-s.up
			time.Sleep(3 * time.Second)
			s.step(2)
		}, Pass, []string{"after 3.0 s", "nothing was lost"}},
		{"goes back to a checkpoint", func(s *script) {
			s.step(100)
			<-s.up
			<-s.up
			s.step(91)
		}, Warn, []string{"was at 100 and went on at 91: 10 steps"}},
		{"says no numbers", func(s *script) {
			s.step(-1)
			<-s.up
			<-s.up
			s.step(-1)
		}, Pass, []string{"unknown"}},
		{"dies in the cut", func(s *script) {
			s.step(1)
			<-s.up
			s.ended <- errors.New("exit status 1")
			<-s.up
		}, Fail, []string{"exit status 1"}},
		{"hangs for good", func(s *script) {
			s.step(1)
			<-s.up
			<-s.up
		}, Fail, []string{"did not go on"}},
		{"shows nothing", func(*script) {}, Inconclusive, []string{"no sign of progress"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s script
				wantStatus(t, s.run(t, test.command), test.want, test.words...)
			})
		})
	}
}

func TestAddressesStayInTheirRange(t *testing.T) {
	for id, want := range map[int]addresses{
		0: {"198.18.0.1", "198.18.0.2", "198.18.0.0/30"}, 65: {"198.18.1.5", "198.18.1.6", "198.18.1.4/30"},
		32767: {"198.19.255.253", "198.19.255.254", "198.19.255.252/30"}, 32768: {"198.18.0.1", "198.18.0.2", "198.18.0.0/30"},
	} {
		if got := addressesFor(id); got != want {
			t.Errorf("%d: got %v, want %v", id, got, want)
		}
	}
}

func TestProgressLines(t *testing.T) {
	for text, want := range map[string]int64{
		"step 120, loss 2.1": 120, "Epoch: 3/10": 3, "[iter=77]": 77, "batch #9": 9, "loss 2.1": -2, "stepping stones": -2,
	} {
		f := Fault{Now: time.Now}
		marks := make(chan mark, 1)
		f.see(text, marks)
		got := int64(-2) // no mark at all
		if len(marks) == 1 {
			got = (<-marks).position
		}
		if got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestFaultWithoutTheToolsIsSkipped(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	f := Fault{Command: "true", Settle: time.Second, Cut: time.Second, Recover: time.Second, Output: io.Discard, Now: time.Now}
	wantStatus(t, f.Run(context.Background()), Skip, "the program ip is not installed")
}
