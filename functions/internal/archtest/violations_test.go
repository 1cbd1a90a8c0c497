package archtest

import (
	"fmt"
	"strings"
)

// A violation is a small tree that breaks one rule.
type violation struct {
	rule  string
	files map[string]string
	want  []string
}

// importing is a violation of one file that imports each of the paths, all of which the rule must find.
func importing(rule, dir string, paths ...string) violation {
	file := dir + "/file.go"
	text, want := "package file\n", []string(nil)
	for i, path := range paths {
		text += fmt.Sprintf("import _ %q\n", path)
		at := fmt.Sprintf("%s:%d: ", file, i+2)
		if strings.HasPrefix(rule, "layer/") {
			want = append(want, at+dir+" imports "+path)
		} else {
			want = append(want, at+dir+" -> "+path)
		}
	}
	return violation{rule, map[string]string{file: text}, want}
}

// fileOf is a violation of one file.
func fileOf(rule, name, text string, want ...string) violation {
	return violation{rule, map[string]string{name: text}, want}
}

const ours = module + "functions/internal/"

var violations = []violation{
	importing("layer/programs", "functions/recommend", module+"probe-agent/internal/window"),
	importing("layer/programs", "functions/local", module+"functions/recommend"),
	importing("layer/engine", "functions/internal/engine", module+"schemas", ours+"apigw", ours+"forecast",
		module+"catalog/seed", "github.com/google/uuid"),
	importing("layer/stageplan", "functions/internal/stageplan", ours+"engine", module+"schemas", "gonum.org/v1/gonum"),
	importing("layer/candidate", "functions/internal/candidate", ours+"stageplan", module+"schemas", "gonum.org/v1/gonum"),
	importing("layer/workload", "functions/internal/workload", ours+"spot", ours+"tco", module+"schemas"),
	importing("layer/spot", "functions/internal/spot", ours+"workload", ours+"tco", module+"schemas"),
	importing("layer/tco", "functions/internal/tco", ours+"workload", ours+"candidate", module+"schemas"),
	importing("layer/slab", "functions/internal/slab", ours+"tco", module+"catalog"),
	importing("layer/catalog", "catalog", ours+"tco", module+"catalog/seed", module+"schemas", "github.com/google/uuid"),
	importing("layer/market", "functions/internal/market", ours+"candidate", module+"schemas"),
	importing("layer/accuracy", "functions/internal/accuracy", ours+"candidate", module+"schemas"),
	importing("layer/environment", "functions/internal/environment", ours+"workload", module+"schemas"),
	importing("layer/forecast", "functions/internal/forecast", module+"schemas", ours+"apigw"),
	importing("layer/chart", "functions/internal/chart", module+"catalog", module+"schemas"),
	importing("layer/aggregate", "functions/internal/aggregate", module+"schemas", ours+"workload"),
	importing("layer/forgery", "functions/internal/forgery", module+"catalog/bolt", ours+"aggregate"),
	importing("layer/naming", "functions/internal/naming", module+"schemas", ours+"forgery"),
	importing("layer/convert", "functions/internal/convert", ours+"apigw", module+"catalog/bolt"),
	importing("layer/revise", "functions/internal/revise", module+"catalog/bolt", module+"schemas"),
	importing("layer/boxtest", "functions/internal/boxtest", module+"catalog", ours+"ingest"),
	importing("layer/ingest", "functions/internal/ingest", ours+"apigw", ours+"aggregate"),
	importing("layer/apigw", "functions/internal/apigw", ours+"engine", ours+"convert"),
	importing("layer/query", "functions/internal/query", module+"catalog", ours+"convert"),
	importing("layer/archtest", "functions/internal/archtest", module+"catalog"),
	importing("layer/stores", "catalog/bolt", module+"catalog/dynamo", module+"catalog/seed"),
	importing("layer/catalogtest", "catalog/catalogtest", module+"catalog/bolt", module+"catalog/chunk"),
	importing("layer/chunk", "catalog/chunk", module+"catalog/record", module+"schemas"),
	importing("layer/record", "catalog/record", module+"catalog/bolt", module+"schemas"),
	importing("layer/mirror", "catalog/mirror", module+"catalog/dynamo", module+"catalog/seed"),
	importing("layer/feeds", "catalog/feed/onefeed", module+"catalog/feed/twofeed", module+"catalog/bolt"),
	importing("layer/importer", "catalog/importer", module+"catalog/feed/onefeed", module+"catalog/bolt"),
	importing("layer/seed", "catalog/seed", module+"catalog/bolt"),
	importing("layer/seedbuild", "catalog/seed/build", module+"catalog/bolt", ours+"engine"),
	importing("layer/endpoint", "functions/internal/endpoint", ours+"tco", module+"catalog/seed"),
	importing("layer/display", "functions/internal/display", ours+"engine", ours+"apigw"),
	importing("layer/web", "functions/internal/web", ours+"engine", ours+"convert", module+"catalog/seed"),
	importing("layer/supply", "functions/internal/supply", module+"catalog/bolt", ours+"apigw"),
	importing("layer/dynamotest", "catalog/dynamo/dynamotest", module+"catalog", module+"catalog/seed"),
	importing("layer/refresh", "functions/internal/refresh", ours+"supply", module+"catalog/bolt"),
	importing("layer/apikey", "functions/internal/apikey", ours+"apigw", module+"catalog/bolt"),
	importing("layer/wording", "functions/internal/wording", module+"catalog"),
	importing("layer/cost", "functions/internal/cost", module+"catalog"),
	importing("layer/host", "functions/internal/host", ours+"endpoint", module+"catalog"),
	importing("layer/observe", "functions/internal/observe", module+"schemas"),
	importing("layer/bot", "functions/internal/bot", ours+"engine", module+"catalog"),
	importing("layer/mcp", "functions/internal/mcp", ours+"engine", module+"catalog"),
	importing("layer/near", "functions/internal/near", module+"catalog"),
	importing("layer/schemas", "schemas", module+"catalog"),
	importing("layer/probe-agent", "probe-agent/internal/window", module+"catalog", ours+"aggregate"),
	fileOf("layer/none", "functions/internal/surprise/a.go", "package surprise",
		"functions/internal/surprise: has no row in layers"),

	{"ban/agent-catalog", map[string]string{
		"probe-agent/main.go":                "package main\nimport _ \"" + module + "probe-agent/internal/upload\"",
		"probe-agent/internal/upload/a.go":   "package upload\nimport _ \"" + module + "schemas\"",
		"schemas/a.go":                       "package schemas\nimport _ \"" + module + "catalog/seed\"",
		"probe-agent/internal/spool/ring.go": "package spool\nimport _ \"" + ours + "tco\"",
	}, []string{
		"probe-agent/internal/spool/ring.go:2: probe-agent/internal/spool -> " + ours + "tco",
		"schemas/a.go:2: probe-agent/internal/upload -> schemas -> " + module + "catalog/seed",
		"schemas/a.go:2: probe-agent -> probe-agent/internal/upload -> schemas -> " + module + "catalog/seed",
	}},
	importing("ban/agent-aws", "probe-agent/internal/upload", "github.com/aws/aws-sdk-go-v2/service/s3"),
	{"ban/go-nvml", map[string]string{
		"catalog/a.go":                      "package catalog\nimport _ \"github.com/NVIDIA/go-nvml/pkg/nvml\"",
		"functions/offers/main.go":          "package main\nimport _ \"" + module + "catalog\"",
		"probe-agent/internal/sampler/a.go": "package sampler\nimport _ \"github.com/NVIDIA/go-nvml/pkg/nvml\"",
	}, []string{
		"catalog/a.go:2: functions/offers -> catalog -> github.com/NVIDIA/go-nvml/pkg/nvml",
		"catalog/a.go:2: catalog -> github.com/NVIDIA/go-nvml/pkg/nvml",
	}},
	importing("ban/pure-network", "functions/internal/query", "net", "net/http"),
	importing("ban/pure-os", "functions/internal/forecast", "os", "os/exec"),
	importing("ban/pure-log", "functions/internal/engine", "log/slog", "log"),
	importing("ban/pure-context", "functions/internal/workload", "context"),
	importing("ban/pure-aws", "functions/internal/aggregate", "github.com/aws/aws-lambda-go/events"),

	fileOf("comment/package", "catalog/a.go", "// Cut off from the clause.\n\npackage catalog",
		"catalog/a.go:3: package catalog has no package comment"),
	fileOf("comment/exported", "catalog/a.go", silentSource,
		"catalog/a.go:2: exported F has no comment",
		"catalog/a.go:4: exported T has no comment",
		"catalog/a.go:5: exported M has no comment",
		"catalog/a.go:6: exported V has no comment",
		"catalog/a.go:8: exported C has no comment",
		"catalog/a.go:12: exported Grouped has no comment",
		"catalog/a.go:15: exported G has no comment"),

	fileOf("size/file-median", "catalog/a.go", "package a\n"+strings.Repeat("// line\n", 150),
		"catalog/a.go: quantile 0.5 of 1 is 151 lines (the file), at most 150"),
	fileOf("size/file", "catalog/a.go", "package a\n"+strings.Repeat("// line\n", 499)+"// line",
		"catalog/a.go: the file has 501 lines, at most 500"),
	fileOf("size/program", "functions/offers/main.go", "package main\n"+strings.Repeat("// line\n", 59)+"// line",
		"functions/offers/main.go: the file has 61 lines, at most 60"),
	fileOf("size/function-median", "catalog/a.go", "package a\n"+lines("f", 13)+lines("g", 14)+lines("h", 1),
		"catalog/a.go:2: quantile 0.5 of 3 is 13 lines (f), at most 12"),
	fileOf("size/function-p90", "catalog/a.go", "package a\n"+strings.Repeat(lines("f", 1), 8)+lines("g", 46)+lines("h", 47),
		"catalog/a.go:10: quantile 0.9 of 10 is 46 lines (g), at most 45"),
	fileOf("size/function", "catalog/a.go", "package a\n"+lines("(t *T[K]) f", 80)+lines("g", 81)+"var v = "+lines("", 82),
		"catalog/a.go:82: g has 81 lines, at most 80",
		"catalog/a.go:163: a function literal has 82 lines, at most 80"),
	fileOf("size/nesting", "catalog/a.go", nestedSource,
		"catalog/a.go:9: deep has 5 levels of nesting, at most 3"),
	fileOf("size/parameters", "catalog/a.go", "package a\nfunc (t T) f(a, b, c, d int) {}\nfunc (t T) g(a, b, c int, d, e string) {}",
		"catalog/a.go:3: T.g has 5 parameters, at most 4"),

	fileOf("state/init", "catalog/a.go", "package a\nfunc init() {}", "catalog/a.go:2: func init"),
	fileOf("state/package-variables", "catalog/a.go", writingSource,
		"catalog/a.go:8: writes to cache[k]",
		"catalog/a.go:9: writes to *count",
		"catalog/a.go:10: writes to list",
		"catalog/a.go:10: writes to cache[\"x\"]",
		"catalog/a.go:11: writes to cache",
		"catalog/a.go:12: writes to decimal.DivisionPrecision",
		"catalog/a.go:13: writes to (list)",
		"catalog/a.go:15: writes to cache[k]",
		"catalog/a.go:16: writes to list[0]",
		"catalog/a.go:17: writes to cache",
		"catalog/a.go:18: writes to list",
		"catalog/a.go:20: writes to cache",
		"catalog/a.go:20: writes to list",
		"catalog/a.go:21: writes to count"),

	fileOf("reference/clock", "functions/internal/engine/a.go",
		"package engine\nimport clock \"time\"\nvar now = clock.Now\nvar age = clock.Since(t)+clock.Until(t)",
		"functions/internal/engine/a.go:3: uses clock.Now",
		"functions/internal/engine/a.go:4: uses clock.Since",
		"functions/internal/engine/a.go:4: uses clock.Until"),
	{"reference/rand", map[string]string{
		"catalog/a_test.go":    "package a\nimport \"math/rand/v2\"\nvar r, n = rand.New(rand.NewPCG(1, 2)), rand.IntN(3)",
		"catalog/b.go":         "package a\nimport \"math/rand\"\nvar p = rand.Perm(3)",
		"functions/web/dot.go": "package main\nimport . \"math/rand\"",
	}, []string{
		"functions/web/dot.go:2: uses \"math/rand\"",
		"catalog/a_test.go:3: uses rand.IntN",
		"catalog/b.go:3: uses rand.Perm",
	}},
	fileOf("reference/float-money", "functions/internal/tco/lines.go",
		"package tco\nimport \"github.com/shopspring/decimal\"\nvar d = decimal.NewFromFloatWithExponent(1, 2)",
		"functions/internal/tco/lines.go:3: uses decimal.NewFromFloatWithExponent"),

	{"money/float", map[string]string{
		"functions/internal/tco/lines.go":      "package tco\nfunc f(x float64) { g(x.InexactFloat64()) }",
		"functions/internal/tco/money.go":      "package tco\nvar x float64",
		"functions/internal/forecast/trend.go": "package forecast\nvar x float64",
		"functions/internal/forecast/sum.go":   "package forecast\nvar x = float32(1)",
		"functions/internal/spot/rate.go":      "package spot\nvar x float64",
	}, []string{
		"functions/internal/forecast/sum.go:2: uses float32",
		"functions/internal/tco/lines.go:2: uses float64", "functions/internal/tco/lines.go:2: uses InexactFloat64",
	}},

	{"layout/top-level", map[string]string{
		".gitignore": "# built\n/bin/\n\n*.prof\n", "bin/x": "", "cpu.prof": "", "docs/a.md": "", "notes.txt": "", ".ci/run": "",
	}, []string{"docs: is not part of the top level", "notes.txt: is not part of the top level"}},
	{"layout/package-names", map[string]string{
		"functions/internal/utils/a.go": "package text", "catalog/kinds/a.go": "package types",
	}, []string{"functions/internal/utils: is called text", "catalog/kinds: is called types"}},
	{"layout/file-names", map[string]string{"catalog/types.go": "package catalog", "schemas/const.go": "package schemas"},
		[]string{"catalog/types.go: is named after a kind of declaration", "schemas/const.go: is named after a kind of declaration"}},
}

// lines is a function of n lines.
func lines(name string, n int) string {
	if n == 1 {
		return "func " + name + "() {}\n"
	}
	return "func " + name + "() {\n" + strings.Repeat("\tg()\n", n-2) + "}\n"
}

const silentSource = `package catalog
func F() {}
type t struct{}
type T[K any] struct{}
func (t *T[K]) M() {}
var V, v = 1, 2
const (
	C = 1
)
// A comment above a group of types.
type (
	Grouped int
)
//go:noinline
func G() {}
`

const nestedSource = `package a
func deep() {
	func() {
		for {
			switch {
			case true:
				g()
				if x {
					if y {
					}
				}
			}
		}
	}()
}
`

const writingSource = `package catalog
import "github.com/shopspring/decimal"
var cache = map[string]int{}
var count = new(int)
var list []int
func f(k string) {
	fresh := map[string]int{}
	cache[k] = 1
	*count++
	for list, cache["x"] = range fresh {}
	delete(cache, k)
	decimal.DivisionPrecision = 30
	(list) = append(list, 1)
	fresh[k] = 1
	decimal.Unknown(func() { cache[k]++ })
	_ = decimal.Unknown{Field: func() { list[0] = 1 }}
	for range decimal.Unknown() { cache = nil }
	switch x := decimal.Unknown().(type) { case decimal.Unknown: x.y, list = 1, nil }
}
func (decimal.Unknown) g(x decimal.Unknown) (y undefined) { cache = x.Unknown(func() { list = y }); return }
func f(k string) { count = nil }
`

// cleanFiles come close to the rules without breaking one.
var cleanFiles = map[string]string{
	"go.mod": "", "README.md": "", ".ci/run": "", "LICENSE": "",
	"catalog/testdata/wrong.go": "not Go at all",
	"catalog/doc.go":            "// Package catalog is what exists.\npackage catalog\n",
	"catalog/offer.go": `package catalog

import "github.com/shopspring/decimal"

// Markets to buy on.
const (
	OnDemand = "on_demand"
	Spot     = "spot"
)

const Hours = 730 // in a month

type clock struct{ Now func() int }

func (clock) Exported() {}

func (clock) init() {}

// Price is in USD.
func Price(time clock, decimal []int, cache map[string]int) int {
	decimal[0] = time.Now()
	cache["x"] = 1
	return decimal[0]
}

// Branch does not deepen with its else-ifs and cases.
func Branch(x int) {
	if x == 1 {
		switch x {
		case 1:
			for range x {
			}
		}
	} else if x == 2 {
	} else if x == 3 {
	} else if x == 4 {
		{
			if func() bool { return true }() {
			}
		}
	}
}

var cache = map[string]int{}

var zero decimal.Decimal
`,
	"catalog/offer_test.go": `package catalog

import (
	"time"

	"github.com/shopspring/decimal"
	"github.com/tierwise/tierwise/catalog/seed"
)

var start, price = time.Now(), decimal.NewFromFloat(0.1)

func init() { cache["test"] = 1 }

func Exported(a, b, c, d, e int) { seed.Load() }
`,
	"catalog/external_test.go": "package catalog_test\n\nfunc Exported() {}\n",
	"catalog/generated.go": "// Code generated by a tool. DO NOT EDIT.\n\npackage catalog\n\nfunc wide(a, b, c, d, e int) {}\n" +
		strings.Repeat("// line\n", 600),
	"functions/internal/tco/money.go": `// Package tco is the bill.
package tco

import "github.com/shopspring/decimal"

func money(x float64) decimal.Decimal { return decimal.NewFromFloat(x) }
`,
	"functions/offers/main.go": `// Command offers serves the catalogue.
package main

import (
	"time"

	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
)

func main() { apigw.Serve(seed.Load(), time.Now) }
`,
	"probe-agent/internal/sampler/nvml.go": `//go:build linux && cgo

// Package sampler reads counters.
package sampler

import (
	"log/slog"
	"math/rand/v2"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

var source = rand.New(rand.NewPCG(1, 2))

func read() { slog.Info("read", "n", source.IntN(3), "code", nvml.Init()) }
`,
	"probe-agent/internal/sampler/nvml_unavailable.go": `//go:build !(linux && cgo)

package sampler

func read() {}
`,
}
