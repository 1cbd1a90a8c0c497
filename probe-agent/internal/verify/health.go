package verify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tierwise/tierwise/probe-agent/internal/sampler"
)

// Health checks memory errors, limits and modes that the driver tells at any time.
func Health(inventory *sampler.Inventory, claim Claim, imageCUDA string) []Check {
	return []Check{checkECCMode(inventory, claim), checkECCErrors(inventory), checkPowerLimit(inventory, claim),
		checkVirtualization(inventory), checkCUDA(inventory, imageCUDA)}
}

// verdict collects what is wrong with some of the GPUs.
type verdict struct {
	fails, warns, unknown []string
}

func (v *verdict) fail(i int, format string, args ...any) {
	v.fails = append(v.fails, fmt.Sprintf("GPU %d: ", i)+fmt.Sprintf(format, args...))
}

func (v *verdict) warn(i int, format string, args ...any) {
	v.warns = append(v.warns, fmt.Sprintf("GPU %d: ", i)+fmt.Sprintf(format, args...))
}

func (v *verdict) missing(i int, what string, state sampler.State) {
	v.unknown = append(v.unknown, fmt.Sprintf("GPU %d: %s %s", i, what, state))
}

// apply makes it a check's outcome. Where no GPU could be asked the check is skipped.
func (v *verdict) apply(c Check, gpus int) Check {
	c.Evidence = strings.Join(append(append(v.fails, v.warns...), v.unknown...), "; ")
	switch {
	case len(v.fails) > 0:
		c.Status = Fail
	case len(v.warns) > 0:
		c.Status = Warn
	case len(v.unknown) == gpus:
		c.Status, c.Remedy = Skip, ""
	case len(v.unknown) > 0:
		c.Status = Inconclusive
	default:
		c.Status, c.Remedy = Pass, ""
	}
	return c
}

func checkECCMode(inventory *sampler.Inventory, claim Claim) Check {
	c := Check{ID: "ecc_mode", Title: "Error correction of GPU memory"}
	if claim.ECC == nil {
		return skipped(c.ID, c.Title, "nothing is claimed: add ecc= to --claim")
	}
	c.Required = map[bool]string{true: "on", false: "off"}[*claim.ECC]
	c.Remedy = "nvidia-smi -e 1 and a reset turn it on where the host allows it"
	var v verdict
	for i := range inventory.Devices {
		mode := inventory.Devices[i].Readings[sampler.ECCMode]
		switch value, ok := mode.Get(); {
		case mode.State() == sampler.StateNotSupported:
			if *claim.ECC {
				v.fail(i, "this card has no ECC that the driver knows of")
			}
		case !ok:
			v.missing(i, "ECC mode", mode.State())
		case (value == sampler.Enabled) != *claim.ECC:
			v.fail(i, "ECC is %s", map[bool]string{true: "on", false: "off"}[value == sampler.Enabled])
		}
	}
	return v.apply(c, len(inventory.Devices))
}

func checkECCErrors(inventory *sampler.Inventory) Check {
	c := Check{ID: "ecc_errors", Title: "Memory errors", Remedy: "give the box back: results can be wrong without a sign"}
	var v verdict
	for i := range inventory.Devices {
		r := &inventory.Devices[i].Readings
		if mode, ok := r.Get(sampler.ECCMode); !ok || mode != sampler.Enabled {
			v.missing(i, "without ECC, errors can't be seen: run a compute test that compares results, such as gpu-burn; ECC mode",
				r[sampler.ECCMode].State())
			continue
		}
		if n, _ := r.Get(sampler.ECCUncorrectedVolatile); n > 0 {
			v.fail(i, "%.0f uncorrected errors since the driver was loaded", n)
		}
		if n, _ := r.Get(sampler.RemapFailure); n > 0 {
			v.fail(i, "a broken memory row could not be replaced")
		}
		if n, _ := r.Get(sampler.ECCUncorrectedAggregate); n > 0 {
			v.warn(i, "%.0f uncorrected errors in its life", n)
		}
		if n, _ := r.Get(sampler.RemapPending); n > 0 {
			v.warn(i, "a memory row waits for a reset to be replaced")
		}
		if n, _ := r.Get(sampler.RetirementPending); n > 0 {
			v.warn(i, "a memory page waits for a reset to be retired")
		}
	}
	return v.apply(c, len(inventory.Devices))
}

func checkPowerLimit(inventory *sampler.Inventory, claim Claim) Check {
	c := Check{ID: "power_limit_reduced", Title: "Power limit as the card's maker set it"}
	c.Remedy = "the host lowered the limit; judge the speed by clocks under load, not by watts"
	var v verdict
	for i := range inventory.Devices {
		r := &inventory.Devices[i].Readings
		enforced, ok := r.Get(sampler.PowerLimitEnforced)
		normal, known := r.Get(sampler.PowerLimitDefault)
		if claim.PowerWatts > 0 {
			normal, known = 1000*claim.PowerWatts, true
		}
		switch {
		case !ok || !known:
			v.missing(i, "power limit", r[sampler.PowerLimitEnforced].State())
		case enforced < normal:
			v.warn(i, "%.0f W of %.0f W", enforced/1000, normal/1000)
		}
	}
	return v.apply(c, len(inventory.Devices))
}

func checkVirtualization(inventory *sampler.Inventory) Check {
	c := Check{ID: "virtualization", Title: "Whole GPUs"}
	c.Remedy = "a slice of a GPU shares its memory bandwidth; the loss depends on the work, so measure yours"
	var v verdict
	for i := range inventory.Devices {
		r := &inventory.Devices[i].Readings
		mode, ok := r.Get(sampler.VirtualizationMode)
		mig, _ := r.Get(sampler.MIGMode)
		switch name := sampler.VirtualizationName(mode); {
		case mig == sampler.Enabled:
			v.warn(i, "MIG is on")
		case !ok:
			v.missing(i, "virtualisation mode", r[sampler.VirtualizationMode].State())
		case name != "none" && name != "passthrough":
			v.warn(i, "it is a %s", name)
		}
	}
	return v.apply(c, len(inventory.Devices))
}

// minimumCUDA is the first CUDA that makes programs for a compute capability.
var minimumCUDA = []struct {
	capability, cuda version
}{
	{version{12, 0}, version{12, 8}}, {version{10, 0}, version{12, 8}}, {version{8, 9}, version{11, 8}},
	{version{8, 6}, version{11, 1}}, {version{8, 0}, version{11, 0}}, {version{7, 5}, version{10, 0}}, {version{7, 0}, version{9, 0}},
}

func checkCUDA(inventory *sampler.Inventory, image string) Check {
	c := Check{ID: "cuda_version", Title: "CUDA of the image fits driver and GPU"}
	text, _ := inventory.Versions.CUDA.Get()
	driver, err := parseVersion(text)
	if err != nil {
		return skipped(c.ID, c.Title, "the driver does not say which CUDA it can run: "+inventory.Versions.CUDA.Code().String())
	}
	c.Actual = "driver: " + text
	if image == "" {
		c.Status, c.Evidence = Skip, "give the image's version with --image-cuda"
		return c
	}
	wanted, err := parseVersion(image)
	if err != nil {
		return skipped(c.ID, c.Title, err.Error())
	}
	c.Required = "image: " + image
	c.Status = Pass
	switch needed, ok := neededCUDA(inventory); {
	case ok && wanted.before(needed):
		c.Status, c.Evidence = Fail, fmt.Sprintf("the GPU needs programs made with CUDA %s or later", needed)
		c.Remedy = "take an image with a newer CUDA"
	case wanted.major > driver.major:
		c.Status, c.Evidence = Fail, "the driver is older than the image's CUDA"
		c.Remedy = "take an image with CUDA " + text + " or earlier, or a host with a newer driver"
	case driver.before(wanted):
		c.Status = Warn
		c.Evidence = "works within one major version, except for programs that compile at run time (PTX)"
		c.Remedy = "take an image with CUDA " + text + " or earlier"
	}
	return c
}

// neededCUDA is the newest CUDA that one of the GPUs asks for.
func neededCUDA(inventory *sampler.Inventory) (version, bool) {
	var needed version
	for i := range inventory.Devices {
		text, _ := inventory.Devices[i].ComputeCapability.Get()
		capability, err := parseVersion(text)
		if err != nil {
			continue
		}
		if cuda := cudaFor(capability); needed.before(cuda) {
			needed = cuda
		}
	}
	return needed, needed != version{}
}

// cudaFor is the first CUDA for a compute capability; zero if that is not known here.
func cudaFor(capability version) version {
	for _, row := range minimumCUDA {
		if !capability.before(row.capability) {
			return row.cuda
		}
	}
	return version{}
}

// version is a version of CUDA, or a compute capability.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(other version) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

// parseVersion reads 12.8, and 12.8.1 too.
func parseVersion(text string) (version, error) {
	parts := strings.Split(text, ".")
	if len(parts) < 2 {
		return version{}, fmt.Errorf("version %q: want one such as 12.8", text)
	}
	major, err := strconv.ParseUint(parts[0], 10, 16)
	minor, err2 := strconv.ParseUint(parts[1], 10, 16)
	if err != nil || err2 != nil {
		return version{}, fmt.Errorf("version %q: want one such as 12.8", text)
	}
	return version{int(major), int(minor)}, nil
}
