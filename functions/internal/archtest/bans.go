package archtest

import (
	"go/token"
	"slices"
	"strings"
)

// A ban names import paths that some packages may not have.
type ban struct {
	name     string
	packages []string // patterns of directories
	imports  []string // patterns of import paths
	deep     bool     // also through other packages of ours
	reason   string
}

// pure are the steps that take values and return values.
var pure = []string{"functions/internal/engine", "functions/internal/stageplan", "functions/internal/candidate",
	"functions/internal/workload", "functions/internal/spot", "functions/internal/tco", "functions/internal/forecast",
	"functions/internal/aggregate", "functions/internal/forgery", "functions/internal/naming", "functions/internal/query", "functions/internal/accuracy", "functions/internal/environment"}

var bans = []ban{
	{name: "ban/agent-catalog", packages: []string{"probe-agent/..."}, deep: true,
		imports: []string{module + "catalog/...", module + "functions/..."},
		reason:  "the agent measures; a price or a rating in it would be out of date on every machine"},
	{name: "ban/agent-aws", packages: []string{"probe-agent/..."}, deep: true,
		imports: []string{"github.com/aws/...", "github.com/awslabs/..."},
		reason:  "the agent runs on any provider's machines and talks to one HTTP API"},
	{name: "ban/go-nvml", packages: []string{"functions/...", "catalog/...", "schemas/..."}, deep: true,
		imports: []string{"github.com/NVIDIA/go-nvml/..."},
		reason:  "go-nvml needs cgo, and functions are built without it"},
	{name: "ban/pure-network", packages: pure, imports: []string{"net/..."},
		reason: "a step that can reach the network cannot be replayed"},
	{name: "ban/pure-os", packages: pure, imports: []string{"os/..."},
		reason: "a step that reads the environment or a file answers differently on another machine"},
	{name: "ban/pure-log", packages: pure, imports: []string{"log/..."},
		reason: "a step returns what it has to say; the program that called it logs"},
	{name: "ban/pure-context", packages: pure, imports: []string{"context"},
		reason: "a context is for I/O, and a step does none"},
	{name: "ban/pure-aws", packages: pure, imports: []string{"github.com/aws/..."},
		reason: "a step runs the same in a test, on a laptop and in a Lambda"},
}

// check finds the imports that the ban names.
func (b ban) check(t *tree) []finding {
	var found []finding
	for _, p := range t.matching(b.packages) {
		for _, r := range t.reach(p, b.deep) {
			if matchAny(b.imports, r.path) {
				found = append(found, finding{t.at(r.pos), strings.Join(r.chain, " -> ") + " -> " + r.path})
			}
		}
	}
	return found
}

// A reached import is one that a package has, itself or through the packages of ours in the chain.
type reached struct {
	imported
	chain []string // directories, from the package asked about to the one that holds the import
}

// reach returns the imports of p and, if deep, those of every package of ours that it imports, each package once.
func (t *tree) reach(p *pkg, deep bool) []reached {
	var found []reached
	seen := map[string]bool{p.dir: true}
	for queue := [][]string{{p.dir}}; len(queue) > 0; queue = queue[1:] {
		chain := queue[0]
		for _, i := range t.importsOf(chain[len(chain)-1]) {
			found = append(found, reached{i, chain})
			ours, ok := strings.CutPrefix(i.path, module)
			if deep && ok && !seen[ours] {
				seen[ours] = true
				queue = append(queue, append(slices.Clone(chain), ours))
			}
		}
	}
	return found
}

// An imported path, and where.
type imported struct {
	path string
	pos  token.Pos
}

// imports returns what the non-test files of p import.
func (t *tree) imports(p *pkg) []imported {
	var found []imported
	for _, s := range p.sources() {
		for _, spec := range s.syntax.Imports {
			found = append(found, imported{importPath(spec), spec.Pos()})
		}
	}
	return found
}

// importsOf returns what the packages in a directory import, tests left out.
func (t *tree) importsOf(dir string) []imported {
	var found []imported
	for _, p := range t.matching([]string{dir}) {
		found = append(found, t.imports(p)...)
	}
	return found
}
