package environment

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed builds.csv
var buildsTable string

//go:embed images.csv
var imagesTable string

//go:embed drivers.csv
var driversTable string

// build is PyTorch for one CUDA release.
type build struct {
	torch, cuda  version
	capabilities []version // compute capabilities that it has machine code for, ascending
	ptx          bool      // it has code of the newest that later GPUs can translate, too
}

// carries reports whether the build runs on a compute capability: machine code runs on
// the same major version from its minor version on (CUDA C++ Programming Guide, binary
// compatibility).
func (b *build) carries(c version) bool {
	for _, own := range b.capabilities {
		if own.at(0) == c.at(0) && own.at(1) <= c.at(1) {
			return true
		}
	}
	return b.ptx && b.capabilities[len(b.capabilities)-1].before(c)
}

// image is a published container image; torch is nil if it has none.
type image struct {
	tag         string
	torch, cuda version
	build       *build // of its PyTorch; nil if the tables have none
}

// driver is the Linux driver that came with a CUDA release.
type driver struct{ cuda, driver version }

// facts are the tables, each in the order of its versions.
type facts struct {
	builds  []build
	images  []image
	drivers []driver
	lost    map[string][]build // by compute capability: the builds that do not carry it any more
}

// known are the embedded facts, read when first needed.
var known = sync.OnceValues(func() (facts, error) {
	return read(buildsTable, imagesTable, driversTable)
})

// read reads the three tables.
func read(builds, images, drivers string) (f facts, err error) {
	err = eachRow("builds", builds, func(x *cells) {
		b := build{torch: x.version(), cuda: x.version()}
		for capability := range strings.SplitSeq(x.text(), "|") {
			b.capabilities = append(b.capabilities, x.parse(capability))
		}
		b.ptx = x.text() == "yes"
		f.builds = append(f.builds, b)
	})
	if err != nil {
		return facts{}, err
	}
	err = eachRow("images", images, func(x *cells) {
		i := image{tag: x.text()}
		if torch := x.text(); torch != "" {
			i.torch = x.parse(torch)
		}
		i.cuda = x.version()
		f.images = append(f.images, i)
	})
	if err != nil {
		return facts{}, err
	}
	err = eachRow("drivers", drivers, func(x *cells) {
		f.drivers = append(f.drivers, driver{cuda: x.version(), driver: x.version()})
	})
	if err != nil {
		return facts{}, err
	}
	slices.SortFunc(f.drivers, func(a, b driver) int { return a.cuda.compare(b.cuda) })
	for i := range f.images {
		if at := &f.images[i]; at.torch != nil {
			at.build = f.build(at.torch, at.cuda)
		}
	}
	f.lost = make(map[string][]build)
	for i := range f.builds {
		for _, capability := range f.builds[i].capabilities {
			if _, known := f.lost[capability.String()]; !known {
				f.lost[capability.String()] = f.dropped(capability)
			}
		}
	}
	return f, nil
}

// cells reads the cells of a row from left to right and keeps the first error.
type cells struct {
	row  []string
	next int
	err  error
}

// text is the next cell.
func (x *cells) text() string {
	x.next++
	return x.row[x.next-1]
}

// version is the next cell as a version.
func (x *cells) version() version { return x.parse(x.text()) }

// parse reads a version.
func (x *cells) parse(text string) version {
	v, ok := parseVersion(text)
	if !ok && x.err == nil {
		x.err = fmt.Errorf("version %q", text)
	}
	return v
}

// eachRow calls visit for every row after the header.
func eachRow(name, table string, visit func(*cells)) error {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return fmt.Errorf("read table of %s: %w", name, err)
	}
	for i, row := range rows[min(1, len(rows)):] {
		x := cells{row: row}
		if visit(&x); x.err != nil {
			return fmt.Errorf("read table of %s: row %d: %w", name, i+2, x.err)
		}
	}
	return nil
}
