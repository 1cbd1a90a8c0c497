package environment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// Advice is what a GPU needs of its software. "" is unknown.
type Advice struct {
	MinCUDA string // first CUDA release that knows the architecture
	// Image is a published image with PyTorch Torch for CUDA that carries the
	// architecture; Driver is the oldest driver branch that runs it there. Where there
	// is no such image it is one of CUDA alone, to install that PyTorch in.
	Image, Torch, CUDA, Driver string
	Notes                      []string // what else to know, and what to avoid
}

// Pair is a PyTorch release for a CUDA release. "" leaves one out.
type Pair struct{ Torch, CUDA string }

// Mismatch is a reason why software does not run on a GPU.
type Mismatch struct {
	Code    string // stable, for programs
	Message string
}

// The codes of mismatches.
const (
	CUDATooOld       = "CUDA_TOO_OLD"
	TorchLacksGPU    = "TORCH_LACKS_GPU"
	NoSuchTorchBuild = "NO_SUCH_TORCH_BUILD"
)

// minorCompatibility is the oldest driver branch that runs any CUDA release of a major
// version (NVIDIA CUDA 13.2 release notes, table 2).
var minorCompatibility = []driver{
	{version{11}, version{450}}, {version{12}, version{525}}, {version{13}, version{580}},
}

// For advises on a GPU. A GPU whose compute capability no source gives gets no advice
// but a note that says so. Notes are in the language.
func For(g catalog.GPUModel, in wording.Language) (Advice, error) {
	f, err := known()
	if err != nil {
		return Advice{}, err
	}
	a := Advice{MinCUDA: g.MinCUDA}
	capability, ok := parseVersion(g.ComputeCapability)
	if !ok || g.ComputeCapability == "" {
		a.Notes = append(a.Notes, in.Say("no source gives the compute capability of %s: check that the image knows it", g.Name))
		return a, nil
	}
	least, _ := parseVersion(g.MinCUDA)
	if i, found := f.image(capability, least); found {
		a.Image, a.Torch, a.CUDA = i.tag, i.torch.String(), i.cuda.String()
		a.Driver = f.floor(i.cuda, least).String()
	}
	a.Notes = f.notes(noted{&g, capability, least}, in.Say)
	return a, nil
}

// image is the image with the newest PyTorch that carries a compute capability, the
// smaller "runtime" one of two alike; else a CUDA image for the newest such build.
func (f *facts) image(capability, least version) (best image, ok bool) {
	for _, i := range f.images {
		if i.build == nil || !i.build.carries(capability) {
			continue
		}
		newer := !ok || best.torch.before(i.torch) || best.torch.compare(i.torch) == 0 && strings.HasSuffix(i.tag, "-runtime")
		if newer {
			best, ok = i, true
		}
	}
	if ok {
		return best, true
	}
	for _, b := range slices.Backward(f.builds) {
		for _, i := range f.images {
			if i.torch == nil && i.cuda.minor().compare(b.cuda) == 0 && b.carries(capability) && !b.cuda.before(least) {
				return image{tag: i.tag, torch: b.torch, cuda: b.cuda}, true
			}
		}
	}
	return image{}, false
}

// build finds the build of a release; nil if the tables have none.
func (f *facts) build(torch, cuda version) *build {
	torch, cuda = torch.minor(), cuda.minor()
	for i := range f.builds {
		if b := &f.builds[i]; b.torch.compare(torch) == 0 && b.cuda.compare(cuda) == 0 {
			return b
		}
	}
	return nil
}

// floor is the oldest driver that runs a CUDA release on a GPU: what its major version
// needs, and not older than the driver of the first release that knows the GPU.
func (f *facts) floor(cuda, least version) version {
	var oldest version
	for _, d := range minorCompatibility {
		if d.cuda.at(0) == cuda.at(0) {
			oldest = d.driver
		}
	}
	for _, d := range f.drivers {
		if least != nil && d.cuda.compare(least) == 0 && oldest.before(d.driver) {
			oldest = d.driver
		}
	}
	return oldest
}

// noted is a GPU that notes are about, with the first CUDA release that knows it.
type noted struct {
	*catalog.GPUModel
	capability, least version
}

// notes are the mismatches to expect on a GPU, as a language says them.
func (f *facts) notes(g noted, say func(message string, args ...any) string) []string {
	var notes []string
	if g.least != nil {
		kind := say("an image")
		if g.Class == catalog.Consumer {
			kind = say("a ready-made image of a marketplace box")
		}
		notes = append(notes, say("%s with CUDA older than %s does not know the %s (%s)", kind, g.least, g.Name, architecture(g.capability)))
	}
	dropped, known := f.lost[g.ComputeCapability]
	if !known {
		dropped = f.dropped(g.capability)
	}
	for _, lost := range dropped {
		notes = append(notes, say("PyTorch %s and newer for CUDA %s do not carry %s", lost.torch, lost.cuda, architecture(g.capability)))
	}
	return notes
}

// dropped are the builds that are the first of their CUDA release without a capability,
// of the releases that newer PyTorch is still built for.
func (f *facts) dropped(capability version) []build {
	newest := f.builds[len(f.builds)-1].torch
	var lost []build
	for _, b := range f.builds {
		again := func(l build) bool { return l.cuda.compare(b.cuda) == 0 }
		switch {
		case b.carries(capability):
			lost = slices.DeleteFunc(lost, again)
		case !slices.ContainsFunc(lost, again) && capability.before(b.capabilities[0]):
			lost = append(lost, b)
		}
	}
	return slices.DeleteFunc(lost, func(l build) bool {
		return f.build(newest, l.cuda) == nil && l.cuda.before(version{12, 8})
	})
}

// architecture writes a compute capability as compilers do.
func architecture(capability version) string {
	return fmt.Sprintf("sm_%d%d", capability.at(0), capability.at(1))
}

// Check finds out why a pair does not run on a GPU; nothing means that no fact is
// against it. What the tables do not know is not held against a pair, except a
// PyTorch release that was never built for the CUDA release.
func Check(g catalog.GPUModel, p Pair) ([]Mismatch, error) {
	f, err := known()
	if err != nil {
		return nil, err
	}
	var found []Mismatch
	cuda, hasCUDA := parseVersion(p.CUDA)
	torch, hasTorch := parseVersion(p.Torch)
	least, hasLeast := parseVersion(g.MinCUDA)
	capability, hasCapability := parseVersion(g.ComputeCapability)
	if hasCUDA && hasLeast && cuda.minor().before(least) {
		found = append(found, Mismatch{CUDATooOld, fmt.Sprintf("CUDA %s does not know the %s: it needs %s or newer", cuda, g.Name, least)})
	}
	if !hasCUDA || !hasTorch {
		return found, nil
	}
	switch b := f.build(torch, cuda); {
	case b == nil && f.builtOtherwise(torch):
		found = append(found, Mismatch{NoSuchTorchBuild, fmt.Sprintf("there is no PyTorch %s for CUDA %s", torch, cuda)})
	case b != nil && hasCapability && !b.carries(capability):
		found = append(found, Mismatch{TorchLacksGPU, fmt.Sprintf("PyTorch %s for CUDA %s carries no code for the %s (%s)", torch, cuda, g.Name, architecture(capability))})
	}
	return found, nil
}

// builtOtherwise reports whether the tables know a PyTorch release for some CUDA.
func (f *facts) builtOtherwise(torch version) bool {
	return slices.ContainsFunc(f.builds, func(b build) bool { return b.torch.compare(torch.minor()) == 0 })
}
