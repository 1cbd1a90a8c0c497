package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tierwise/tierwise/probe-agent/internal/agent"
	"github.com/tierwise/tierwise/probe-agent/internal/identity"
	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
	"github.com/tierwise/tierwise/probe-agent/internal/upload"
	"github.com/tierwise/tierwise/probe-agent/internal/verify"
)

// diagnosis is what doctor says.
type diagnosis struct {
	Checks   []verify.Check `json:"checks"`
	ExitCode int            `json:"exit_code"`
}

// doctor is the command doctor.
func (p *program) doctor(ctx context.Context, args []string) error {
	var source sourceFlags
	set, c := p.flags("doctor")
	source.register(set)
	offline := set.Bool("offline", false, "never open a connection")
	if err := c.noArgs(set, args); err != nil {
		return err
	}
	m, err := p.open(&source)
	if err != nil {
		return err
	}
	defer m.guard.Close()
	inventory, driverErr := m.survey()
	checks := p.diagnoseDriver(inventory, driverErr)
	checks = append(checks, diagnoseState(c.state))
	if !*offline && m.scenario == nil {
		checks = append(checks, p.diagnoseServer(ctx, c.state, inventory)...)
	}
	err = checksOutcome(checks)
	if driverErr != nil {
		err = outcome(exitNoDriver)
	} else if !verify.Failed(checks) && !hasWarning(checks) {
		err = nil // what was skipped is not needed
	}
	d := diagnosis{checks, exitCode(err)}
	return errors.Join(err, p.print(c, d, func(out io.Writer) { p.printChecks(out, checks) }))
}

func hasWarning(checks []verify.Check) bool {
	for _, c := range checks {
		if c.Status == verify.Warn || c.Status == verify.Inconclusive {
			return true
		}
	}
	return false
}

// diagnoseDriver looks at library, driver, GPUs and what can be read of them.
func (p *program) diagnoseDriver(inventory *sampler.Inventory, err error) []verify.Check {
	driver := verify.Check{ID: "driver", Title: "NVIDIA driver and its library", Status: verify.Pass}
	if err != nil {
		driver.Status, driver.Actual, driver.Remedy = verify.Fail, err.Error(), remedy(err)
		return []verify.Check{driver}
	}
	version, _ := inventory.Versions.Driver.Get()
	driver.Actual = fmt.Sprintf("driver %s, %d GPUs", orUnknown(version), len(inventory.Devices))
	return []verify.Check{driver, diagnoseReadings(inventory), p.diagnoseProfiler()}
}

// remedy says what to do about a driver that is not there.
func remedy(err error) string {
	var broken *agent.DriverError
	if !errors.As(err, &broken) {
		return "pass the GPUs into the container (--gpus all), or check with lspci that the machine has one"
	}
	switch broken.Code {
	case sampler.CodeLibraryNotFound:
		return "this machine has no NVIDIA driver, or the container does not get it: install the driver, or start the container with " +
			"--gpus all and NVIDIA_DRIVER_CAPABILITIES=utility; --nvml names the library if it is in an unusual place"
	case sampler.CodeDriverNotLoaded:
		return "load the kernel module (modprobe nvidia), or wait for it: probe-agent run waits by itself"
	case sampler.CodeVersionMismatch:
		return "the driver was upgraded underneath: restart this program, and the machine if that does not help"
	case sampler.CodeNoPermission:
		return "the devices /dev/nvidia* can't be opened: ask for access to them"
	}
	return "run nvidia-smi to see what the driver says"
}

// diagnoseReadings counts what can't be read of the GPUs, and why.
func diagnoseReadings(inventory *sampler.Inventory) verify.Check {
	c := verify.Check{ID: "readings", Title: "Readings of the GPUs", Status: verify.Pass}
	counts := make(map[sampler.State][]string)
	ok, total := 0, 0
	for _, q := range sampler.Quantities() {
		for i := range inventory.Devices {
			total++
			state := inventory.Devices[i].Readings[q].State()
			if state == sampler.StateOK {
				ok++
			}
			if i == 0 {
				counts[state] = append(counts[state], q.String())
			}
		}
	}
	c.Actual = fmt.Sprintf("%d of %d readings", ok, total)
	var texts []string
	for _, state := range []sampler.State{sampler.StateNoPermission, sampler.StateFunctionNotFound, sampler.StateGPULost, sampler.StateTimeout, sampler.StateError} {
		if names := counts[state]; len(names) > 0 {
			texts = append(texts, fmt.Sprintf("%s: %s", state, strings.Join(names, ", ")))
		}
	}
	c.Evidence = strings.Join(texts, "; ")
	if ok == 0 || len(counts[sampler.StateGPULost])+len(counts[sampler.StateTimeout]) > 0 {
		c.Status, c.Remedy = verify.Fail, "run nvidia-smi: a GPU does not answer"
	} else if len(counts[sampler.StateNoPermission]) > 0 {
		c.Status, c.Remedy = verify.Warn, "run as root to read these too"
	}
	return c
}

func (p *program) diagnoseProfiler() verify.Check {
	c := verify.Check{ID: "profiler", Title: "Profiling counters are free", Status: verify.Pass}
	if p.profiling() {
		c.Status, c.Actual = verify.Warn, "a profiler or DCGM runs"
		c.Evidence = "the agent does not read these counters meanwhile"
	}
	return c
}

// diagnoseState tries whether the state directory can be written.
func diagnoseState(dir string) verify.Check {
	c := verify.Check{ID: "spool", Title: "Reports can be kept", Status: verify.Pass, Actual: dir}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		trial := filepath.Join(dir, ".doctor")
		err = errors.Join(os.WriteFile(trial, []byte("x"), 0o600), os.Remove(trial))
	}
	if err != nil {
		c.Status, c.Evidence, c.Remedy = verify.Fail, err.Error(), "name another directory with --state or TIERWISE_STATE"
	}
	return c
}

// offsetWarns is from where on a clock is called wrong; reports are sent all the same.
const offsetWarns = 15 * time.Minute

// diagnoseServer looks at the enrolment, and asks the server whether it is there.
func (p *program) diagnoseServer(ctx context.Context, state string, inventory *sampler.Inventory) []verify.Check {
	enrolled := verify.Check{ID: "enrolment", Title: "Enrolment", Status: verify.Pass}
	store := identity.NewStore(state)
	enrolment, err := store.Check(p.fingerprint(inventory))
	if errors.Is(err, identity.ErrNotEnrolled) {
		enrolled.Status, enrolled.Evidence = verify.Skip, "not enrolled: reports stay here; doctor, verify and run --offline need no account"
		return []verify.Check{enrolled}
	}
	if err != nil {
		enrolled.Status, enrolled.Evidence, enrolled.Remedy = verify.Fail, err.Error(), "probe-agent enroll --code CODE"
		return []verify.Check{enrolled}
	}
	enrolled.Actual = enrolment.KeyID
	return append([]verify.Check{enrolled}, p.askServer(ctx, enrolment.Server)...)
}

func (p *program) askServer(ctx context.Context, server string) []verify.Check {
	reached := verify.Check{ID: "server", Title: "Server", Status: verify.Pass, Actual: server}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	u, err := upload.ParseServer(server)
	var response *http.Response
	if err == nil {
		var r *http.Request
		if r, err = http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("healthz").String(), nil); err == nil {
			response, err = upload.NewHTTPClient().Do(r)
		}
	}
	if err != nil {
		reached.Status, reached.Evidence, reached.Remedy = verify.Warn, err.Error(), "reports are kept and sent later"
		return []verify.Check{reached}
	}
	response.Body.Close()
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return []verify.Check{reached}
	}
	offset := date.Sub(p.now()).Seconds()
	clock := verify.Check{ID: "clock", Title: "Clock", Status: verify.Pass, Actual: fmt.Sprintf("%.0f s behind the server's", offset)}
	if math.Abs(offset) > offsetWarns.Seconds() {
		clock.Status, clock.Remedy = verify.Warn, "set the clock; reports are accepted all the same"
	}
	return []verify.Check{reached, clock}
}
