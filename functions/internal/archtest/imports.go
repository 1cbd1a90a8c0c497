package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// A layer says which packages of this repository some packages may import.
type layer struct {
	name        string
	packages    []string // patterns of directories
	may         []string // patterns of directories; none means nothing of ours
	decimalOnly bool     // of other modules, only decimal
	reason      string
}

const decimal = "github.com/shopspring/decimal"

// layers is the import direction. The first eight rows are one line read from left to right:
// functions/<name> -> engine -> stageplan -> candidate -> {workload, spot, tco} -> catalog -> decimal.
var layers = []layer{
	{name: "layer/programs", packages: []string{"functions/*", "functions/local/..."},
		may:    []string{"functions/internal/...", "functions/local/...", "catalog/...", "schemas"},
		reason: "a program wires steps and adapters together; it is the only place that knows both"},
	{name: "layer/engine", packages: []string{"functions/internal/engine"}, decimalOnly: true,
		may: []string{"functions/internal/stageplan", "functions/internal/candidate", "functions/internal/workload",
			"functions/internal/spot", "functions/internal/tco", "functions/internal/wording", "catalog"},
		reason: "the main path speaks the domain, so that a change of the wire cannot change an answer"},
	{name: "layer/stageplan", packages: []string{"functions/internal/stageplan"}, decimalOnly: true,
		may: []string{"functions/internal/candidate", "functions/internal/workload", "functions/internal/spot",
			"functions/internal/tco", "functions/internal/slab", "catalog"},
		reason: "the search chooses among priced candidates and knows nothing of who asked"},
	{name: "layer/candidate", packages: []string{"functions/internal/candidate"}, decimalOnly: true,
		may:    []string{"functions/internal/workload", "functions/internal/spot", "functions/internal/tco", "functions/internal/slab", "catalog"},
		reason: "a candidate is judged on its own, before any plan exists"},
	{name: "layer/workload", packages: []string{"functions/internal/workload"}, decimalOnly: true,
		may:    []string{"catalog"},
		reason: "what a job needs does not depend on what a machine costs"},
	{name: "layer/spot", packages: []string{"functions/internal/spot"}, decimalOnly: true,
		may:    []string{"catalog"},
		reason: "interruption is a matter of hours; money and work meet it in candidate"},
	{name: "layer/tco", packages: []string{"functions/internal/tco"}, decimalOnly: true,
		may:    []string{"catalog"},
		reason: "a bill is made of quantities and prices, whatever they were for"},
	{name: "layer/catalog", packages: []string{"catalog"}, decimalOnly: true,
		reason: "the vocabulary of supply is what all else stands on, so it stands on std and decimal alone"},

	{name: "layer/slab", packages: []string{"functions/internal/slab"}, decimalOnly: true,
		reason: "memory knows nothing of what lies in it"},
	{name: "layer/market", packages: []string{"functions/internal/market"}, decimalOnly: true,
		may:    []string{"functions/internal/tco", "catalog"},
		reason: "what the market is does not depend on what anyone wants of it"},
	{name: "layer/accuracy", packages: []string{"functions/internal/accuracy"}, decimalOnly: true,
		may:    []string{"functions/internal/workload", "catalog"},
		reason: "published runs are held against the estimator itself, with nothing between them"},
	{name: "layer/environment", packages: []string{"functions/internal/environment"}, decimalOnly: true,
		may:    []string{"functions/internal/wording", "catalog"},
		reason: "which software runs on a GPU does not depend on the job or on its price"},
	{name: "layer/forecast", packages: []string{"functions/internal/forecast"},
		may: []string{"functions/internal/engine", "functions/internal/stageplan", "functions/internal/candidate",
			"functions/internal/workload", "functions/internal/spot", "functions/internal/tco", "functions/internal/wording", "catalog"},
		reason: "months ahead are made of what the steps of one request answer, not of requests"},
	{name: "layer/chart", packages: []string{"functions/internal/chart"},
		may:    []string{},
		reason: "a picture is made of what it is told to show: it knows no step and no store"},
	{name: "layer/aggregate", packages: []string{"functions/internal/aggregate"},
		may:    []string{"catalog"},
		reason: "a coefficient is measured: nothing that we think may leak into it"},
	{name: "layer/forgery", packages: []string{"functions/internal/forgery"}, decimalOnly: true,
		may:    []string{"catalog", "schemas"},
		reason: "what a report can't be is told from the report alone"},
	{name: "layer/naming", packages: []string{"functions/internal/naming"},
		may:    []string{"catalog", "functions/internal/near"},
		reason: "what a box is called does not depend on what it measured"},
	{name: "layer/convert", packages: []string{"functions/internal/convert"},
		may: []string{"schemas", "functions/internal/engine", "functions/internal/stageplan", "functions/internal/candidate",
			"functions/internal/environment", "functions/internal/workload", "functions/internal/tco", "functions/internal/near", "functions/internal/market", "functions/internal/forecast",
			"functions/internal/spot", "functions/internal/wording", "functions/internal/forgery", "catalog"},
		reason: "the only crossing between wire and domain; it does no I/O and starts no step"},
	{name: "layer/ingest", packages: []string{"functions/internal/ingest"},
		may:    []string{"catalog", "schemas", "functions/internal/apikey", "functions/internal/convert", "functions/internal/forgery", "functions/internal/naming"},
		reason: "a report is taken or not for what it is; how it came, and what it will be counted as, is no matter of this"},
	{name: "layer/revise", packages: []string{"functions/internal/revise"},
		may:    []string{"catalog", "functions/internal/aggregate", "functions/internal/naming"},
		reason: "it declares the store it needs, and gets it handed in; the figures are made by aggregate alone"},
	{name: "layer/boxtest", packages: []string{"functions/internal/boxtest"},
		may:    []string{"schemas"},
		reason: "what a box sends is made as a box makes it, without what reads it"},
	{name: "layer/apigw", packages: []string{"functions/internal/apigw"},
		may:    []string{"schemas", "catalog", "functions/internal/near"},
		reason: "transport: it maps the errors of the wire and of the store to a status and knows no step"},
	{name: "layer/endpoint", packages: []string{"functions/internal/endpoint"},
		may: []string{"functions/internal/apigw", "functions/internal/convert", "functions/internal/engine", "functions/internal/forecast",
			"functions/internal/apikey", "functions/internal/chart", "functions/internal/ingest",
			"functions/internal/query", "functions/internal/market", "functions/internal/near", "catalog", "catalog/mirror", "schemas"},
		reason: "a handler joins transport, conversion and engine, so that a Lambda and the local program answer alike"},
	{name: "layer/display", packages: []string{"functions/internal/display"},
		may:    []string{"functions/internal/tco", "schemas"},
		reason: "what people are shown is made of the API's answer alone, so that a page and a terminal say the same"},
	{name: "layer/web", packages: []string{"functions/internal/web"},
		may:    []string{"functions/internal/apigw", "functions/internal/display", "functions/internal/endpoint", "catalog", "schemas"},
		reason: "a page shows what the API answers; it asks no step and reads no store itself"},
	{name: "layer/bot", packages: []string{"functions/internal/bot"},
		may:    []string{"functions/internal/apigw", "functions/internal/display", "schemas"},
		reason: "a message shows what the API answers; who plans and where answers are put off is handed in"},
	{name: "layer/mcp", packages: []string{"functions/internal/mcp"},
		may:    []string{"functions/internal/apigw", "functions/internal/endpoint", "schemas"},
		reason: "a tool is a route of the API under another protocol, so that agents get the same answers"},
	{name: "layer/supply", packages: []string{"functions/internal/supply"},
		may:    []string{"catalog", "catalog/dynamo", "catalog/mirror", "catalog/seed"},
		reason: "which catalogue a function answers from is its environment's to say, and no handler's"},
	{name: "layer/refresh", packages: []string{"functions/internal/refresh"},
		may:    []string{"catalog", "catalog/feed/...", "catalog/importer"},
		reason: "which feeds there are is one table, whoever imports them"},
	{name: "layer/apikey", packages: []string{"functions/internal/apikey"},
		may:    []string{"catalog"},
		reason: "whose key it is does not depend on what it opens"},
	{name: "layer/wording", packages: []string{"functions/internal/wording"},
		may:    []string{},
		reason: "how a thing is said in a language does not depend on what is the case"},
	{name: "layer/cost", packages: []string{"functions/internal/cost"}, decimalOnly: true,
		reason: "what the stack costs is figures times prices; it knows nothing of what the stack does"},
	{name: "layer/host", packages: []string{"functions/internal/host"},
		may:    []string{"functions/internal/observe"},
		reason: "how a function starts does not depend on what it answers"},
	{name: "layer/observe", packages: []string{"functions/internal/observe"},
		reason: "what is logged of a request does not depend on what was asked"},
	{name: "layer/near", packages: []string{"functions/internal/near"},
		reason: "how a misspelt name is matched does not depend on what is named"},
	{name: "layer/query", packages: []string{"functions/internal/query"},
		may:    []string{"schemas"},
		reason: "a text becomes a request like any other client's, so nothing can be asked in words only"},
	{name: "layer/archtest", packages: []string{"functions/internal/archtest"},
		reason: "what holds the structure is no part of it"},

	{name: "layer/stores", packages: []string{"catalog/bolt", "catalog/dynamo"},
		may:    []string{"catalog", "catalog/chunk", "catalog/record"},
		reason: "a store keeps the vocabulary; one store never knows another"},
	{name: "layer/catalogtest", packages: []string{"catalog/catalogtest"},
		may:    []string{"catalog"},
		reason: "what every store promises is said without any of them"},
	{name: "layer/chunk", packages: []string{"catalog/chunk"},
		may:    []string{"catalog"},
		reason: "the stored form of a snapshot is the same in every store"},
	{name: "layer/record", packages: []string{"catalog/record"},
		may:    []string{"catalog", "catalog/chunk"},
		reason: "the stored form of what is kept beside snapshots is the same in every store"},
	{name: "layer/dynamotest", packages: []string{"catalog/dynamo/dynamotest"},
		may:    []string{"catalog/dynamo"},
		reason: "it gives tests an API to talk to and knows nothing of what they say"},
	{name: "layer/mirror", packages: []string{"catalog/mirror"},
		may:    []string{"catalog"},
		reason: "it declares the source it follows, and gets it handed in"},
	{name: "layer/feeds", packages: []string{"catalog/feed/..."},
		may:    []string{"catalog", "catalog/feed"},
		reason: "one importer of a public format each, so that a provider is added or dropped in one folder"},
	{name: "layer/importer", packages: []string{"catalog/importer"},
		may:    []string{"catalog", "catalog/feed"},
		reason: "it declares the feed and the store it needs, and gets them handed in"},
	{name: "layer/seed", packages: []string{"catalog/seed"},
		may:    []string{"catalog"},
		reason: "the baseline is data; programs and tests load it, steps are given a snapshot"},
	{name: "layer/seedbuild", packages: []string{"catalog/seed/build"},
		may:    []string{"catalog", "catalog/seed"},
		reason: "a command that writes the tables; nothing imports it"},
	{name: "layer/schemas", packages: []string{"schemas"},
		reason: "the wire is a contract with others and follows nothing of ours"},
	{name: "layer/probe-agent", packages: []string{"probe-agent/..."},
		may:    []string{"probe-agent/...", "schemas"},
		reason: "it runs on other people's machines and shares only the wire with us"},
}

// check finds the imports that the layer does not allow.
func (l layer) check(t *tree) []finding {
	var found []finding
	for _, p := range t.matching(l.packages) {
		for _, i := range t.imports(p) {
			if !l.allows(i.path) {
				found = append(found, finding{t.at(i.pos), fmt.Sprintf("%s imports %s", p.dir, i.path)})
			}
		}
	}
	return found
}

func (l layer) allows(path string) bool {
	if ours, ok := strings.CutPrefix(path, module); ok {
		return matchAny(l.may, ours)
	}
	// Only the paths of other modules begin with a host name.
	host, _, _ := strings.Cut(path, "/")
	return !l.decimalOnly || path == decimal || !strings.Contains(host, ".")
}

// unlayered finds the packages that no layer covers.
func unlayered(t *tree) []finding {
	var found []finding
	for _, p := range t.packages {
		covers := func(l layer) bool { return matchAny(l.packages, p.dir) }
		if len(p.sources()) > 0 && !slices.ContainsFunc(layers, covers) {
			found = append(found, finding{p.dir, "has no row in layers"})
		}
	}
	return found
}
