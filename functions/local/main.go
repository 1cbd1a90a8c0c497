// Command local is Tierwise on a person's own machine: every route of the API in
// one process, and the same answers on the command line.
//
//	go run ./functions/local recommend "cheapest 7B fine-tune"
//	go run ./functions/local serve
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/tierwise/tierwise/catalog"
	"github.com/tierwise/tierwise/catalog/seed"
	"github.com/tierwise/tierwise/functions/internal/apigw"
	"github.com/tierwise/tierwise/functions/internal/endpoint"
	"github.com/tierwise/tierwise/functions/internal/engine"
	"github.com/tierwise/tierwise/functions/internal/web"
)

// The exit codes.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitNothing = 3
)

// usage is the help text.
const usage = `tierwise finds the cheapest way to rent GPUs for a job, stage by stage.
It is "go run ./functions/local", or bin/tierwise once "make build" has run.

Usage:
  tierwise recommend [flags] TEXT    plans for a job described in words
  tierwise recommend --file FILE     plans for a JSON request ("-" reads standard input)
  tierwise offers [flags] [TEXT]     what can be rented, cheapest first; TEXT is looked for in names
  tierwise gpus [NAME...]            kinds of GPUs, and what they rent for
  tierwise market [flags] [GPU...]   classes of providers side by side; what spot and terms save
  tierwise estimate MODEL --on HW    fit, hours and speed of a job on named hardware
  tierwise estimate --file FILE      the same for a JSON request
  tierwise tco OFFER... [flags]      what offers cost over months and years, side by side;
                                     an id, or 8xA100 for the cheapest of the kind
  tierwise tco --file FILE           the same for a JSON request
  tierwise forecast OFFER... [flags] monthly spend ahead, each offer a workload
  tierwise forecast --file FILE      the same for a JSON request
  tierwise accuracy [flags] FILE     the estimator against a file of published runs
  tierwise costs [--json]            what a deployed stack costs, as measured; --measured FILE
  tierwise serve [flags]             the page and the API on PORT (8080) of HOST (127.0.0.1)
  tierwise mcp                       the API as tools for agents (Model Context Protocol, on stdio)
  tierwise catalog versions          what is published, the current version first
  tierwise catalog publish           publish the embedded catalogue
  tierwise catalog rollback VERSION  make an earlier version current again
  tierwise import --feed NAME FILE|URL...
                                     bring a source's prices into the catalogue
  tierwise quarantine list           the rows that imports held back, and why
  tierwise quarantine release ID...  take rows as they are, for good
  tierwise diff VERSION VERSION      what moved between two versions, or "current", "embedded"
  tierwise coefficients [GPU...]     measured efficiencies; --provider, --sku
  tierwise aggregate                 make them anew of the reports that boxes sent
  tierwise aggregate release GPU PROVIDER [SKU]
                                     let one move again that jumped and is frozen
  tierwise enroll-code TENANT        a code that lets one box in, for ten minutes
  tierwise revoke-box BOX            take nothing more from a box
  tierwise api-key create TENANT     make a key, shown once; --label TEXT
  tierwise api-key list              all keys, without their secrets
  tierwise api-key revoke TENANT KEY end a key
  tierwise help                      this text

Flags of recommend, before or after the text:
  --json                  print the API's answer instead of text
  --file FILE             read a JSON request, as POST /v1/recommend takes it
  --language en|zh        of explanations, warnings and assumptions; a text in Chinese is
                          answered in it unless this is given
  --computed-at INSTANT   answer as of an instant (RFC 3339), to replay an answer

Flags of offers; those down to --gpu-count may be repeated, and then mean any of the values:
  --gpu NAME              a GPU, a family ("A100"), or none for CPU only
  --provider NAME, --provider-class CLASS (hyperscaler, specialist, community)
  --region NAME           a region or a city
  --country CODE          its two letters, or EU or EEA
  --purchase-model MODEL  on_demand, spot, reserved_1y, reserved_3y, capacity_block
  --gpu-count N           GPUs of one instance: 8, or 0.125 for an eighth of one
  --min-vram-gb GB, --max-price-per-gpu-hour USD
  --ecc, --nvlink         only where a source says so
  --sort ORDER            price_per_gpu_hour, price_per_instance_hour, as_of,
                          cost_per_effective_pflop_hour
  --limit N               at most 500 rows, 20 unless given
  --cursor CURSOR         the next rows, with the same other flags

Flags of market: --provider-class CLASS, --purchase-model MODEL. The three take --json
and --computed-at as well.

Flags of import, besides those of catalog:
  --feed NAME             aws (price list), azure (retail prices), ecb (exchange rates), gpuhunt,
                          lambdalabs, skypilot, spotadvisor (AWS interruptions), vast
  --provider NAME         whose prices a file of skypilot or gpuhunt has, if its name does not say
  --as-of DATE            of the prices, if it is not that of the file
  --dry-run               say what would change, and change nothing
  --accept GUARD          take what a guard refuses: too_few, vanished, moved, unreadable
  Without a file the source's own address is read; VAST_KEY and LAMBDALABS_KEY hold credentials.

Flags of quarantine: --feed NAME; of its list --reason REASON, --all, --limit N.
Flags of diff: --provider NAME, --limit N.

Flags of serve, catalog, import, quarantine, diff, api-key, enroll-code, revoke-box and aggregate:
  --store bolt            a file in the folder --data (.tierwise); this is the default
  --store dynamo          DynamoDB: --table NAME (tierwise), --endpoint URL; region and
                          credentials as AWS_REGION, AWS_ACCESS_KEY_ID,
                          AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN say
  --create-table          make the table first, if it is not there
  --json                  print the result as JSON (not of serve)
While a store has no version, or can't be reached, the embedded catalogue is used.
With --requests-per-second N serve answers status 429 beyond that rate; --requests-at-once N may
come before. With --accept-replays it takes recorded machines for measured ones, to try it out.
With SLACK_SIGNING_SECRET serve answers Slack too; PUBLIC_URL is its address as Slack has it.

Flags of estimate, before or after the model, which is a name or a size such as 7B:
  --on HARDWARE           4xA100-80GB-SXM; or --offer ID, to have it priced
  --kind KIND             finetune, pretrain, inference
  --method, --tokens-b, --seq-len, --micro-batch, --framework, --precision, --optimizer
                          as the API takes them; --file for everything else
  --language en|zh        of warnings, assumptions and notes, also of tco and forecast
  --json, --computed-at   as for recommend

Flags of tco, before or after the offers:
  --hours-per-day H, --days-per-month D
                          always on unless given
  --hours-per-run H, --runs-per-month N
                          for runs that start their own instances
  --instances N, --utilization-pct P, --disk-gb GB, --efficiency E
  --provider, --region, --country, --purchase-model, --commitment-months N
                          which offers 8xA100 may mean
  --currency CODE, --format text|json, --computed-at

Flags of forecast: those of tco, and
  --start 2027-01, --months N, --time-zone NAME
  --growth-pct P          a month; --weekdays mon,tue,..
  --price-trend TREND     flat, history, or a percentage a year
  --budget-per-month N
  --format text|json|csv|xlsx|focus, --focus-version 1.2|1.3, --out FILE

Flags of accuracy, before or after the file:
  --json                  print every figure as JSON
  --calibrate             refit the constants, and score sources that were left out

Examples:
  tierwise recommend "cheapest 7B fine-tune"
  tierwise recommend 'qlora 70b under $200 in 24h, eu only, no spot'
  tierwise recommend --json "8xH100 for a week"
  tierwise recommend --file request.json --computed-at 2026-10-01T12:00:00Z
  tierwise offers --gpu A100 --gpu-count 8 --purchase-model on_demand --country EU
  tierwise offers --gpu none --provider hetzner --sort price_per_instance_hour
  tierwise gpus A100 L4
  tierwise market H100 --purchase-model on_demand
  tierwise estimate llama-2-70b --method qlora --on 2xRTX-4090
  tierwise tco 8xA100-80GB-SXM 8xH100 --hours-per-day 12 --utilization-pct 80
  PORT=9000 tierwise serve
  tierwise catalog versions --json
  tierwise import --feed skypilot catalogs/v8/lambda/vms.csv
  tierwise import --feed ecb
  tierwise catalog publish --store dynamo --endpoint http://127.0.0.1:8000 --create-table

Every command that answers takes --json. Tables and paragraphs fit the terminal, or COLUMNS, or
else 100 columns. Nothing is ever coloured, with or without NO_COLOR.

Exit codes: 0 done, 1 error, 2 wrong usage, 3 nothing meets the constraints.
("go run" itself turns every code but 0 into 1.)
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now, random: rand.Reader, load: seed.Load, terminal: columnsOf(os.Stdout)}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// columnsOf is how wide the terminal at a file is; ok is false if none is there.
func columnsOf(file *os.File) func() (columns int, ok bool) {
	return func() (int, bool) {
		columns, _, err := term.GetSize(int(file.Fd()))
		return columns, err == nil
	}
}

// program is the command line with everything that it touches of the world, so
// that tests can run it.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	random         io.Reader
	load           func() (*catalog.Snapshot, error)
	terminal       func() (columns int, ok bool) // of standard output; nil = there is none
	json           bool                          // results of commands on a store are printed as JSON
}

// run does what the arguments say and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	if command != "mcp" {
		p = p.writing(false)
		p.stdout = page{p.stdout, p.width()}
	}
	var err error
	switch command {
	case "recommend":
		err = p.recommend(ctx, args)
	case "offers":
		err = p.offers(ctx, args)
	case "gpus":
		err = p.gpus(ctx, args)
	case "market":
		err = p.market(ctx, args)
	case "serve":
		err = p.serve(ctx, args)
	case "catalog":
		err = p.catalogue(ctx, args)
	case "import":
		err = p.importPrices(ctx, args)
	case "quarantine":
		err = p.quarantine(ctx, args)
	case "diff":
		err = p.diff(ctx, args)
	case "enroll-code":
		err = p.enrollCode(ctx, args)
	case "revoke-box":
		err = p.revokeBox(ctx, args)
	case "aggregate":
		err = p.aggregate(ctx, args)
	case "coefficients":
		err = p.coefficients(ctx, args)
	case "api-key":
		err = p.apiKeys(ctx, args)
	case "estimate":
		err = p.estimate(ctx, args)
	case "tco":
		err = p.tco(ctx, args)
	case "forecast":
		err = p.forecast(ctx, args)
	case "accuracy":
		err = p.accuracy(args)
	case "costs":
		err = p.costs(args)
	case "mcp":
		err = p.agents(ctx, args)
	case "help", "-h", "-help", "--help":
		_, err = fmt.Fprint(p.stdout, usage)
	case "":
		err = usageError{"want a command"}
	default:
		err = usageError{fmt.Sprintf("unknown command %q", command)}
	}
	return p.report(err)
}

// usageError says that the command line is wrong.
type usageError struct{ reason string }

// Error is the reason.
func (e usageError) Error() string { return e.reason }

// errNothing says that nothing meets the constraints; the answer is already printed.
var errNothing = errors.New("nothing meets the constraints")

// report tells an error to the user and returns its exit code.
func (p *program) report(err error) int {
	wrong, isUsage := errors.AsType[usageError](err)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errNothing):
		return exitNothing
	case isUsage:
		fmt.Fprintf(p.stderr, "tierwise: %s\nRun \"tierwise help\" for the commands and examples.\n", wrong.reason)
		return exitUsage
	default:
		fmt.Fprintf(p.stderr, "tierwise: %s\n", err)
		return exitError
	}
}

// router makes the routes over the current catalogue of the store in the default
// folder, or the embedded one.
func (p *program) router(ctx context.Context, log *slog.Logger) (*apigw.Router, error) {
	snapshot, err := p.current(ctx)
	if err != nil {
		return nil, err
	}
	site, err := p.pages(nil, endpoint.Charts{})
	if err != nil {
		return nil, err
	}
	return p.routes(log, snapshot, over{site: site}), nil
}

// pages are the pages over any catalogue; past opens earlier ones, if there are such.
func (p *program) pages(past web.Past, charts endpoint.Charts) (*web.Site, error) {
	return web.NewSite(func(s *catalog.Snapshot) []apigw.Route { return endpoint.Shown(s, p.now, charts) }, past)
}

// over is what the routes need besides a catalogue.
type over struct {
	site   *web.Site
	charts endpoint.Charts // of the zero value on the command line
	kept   endpoint.Kept   // nil where nothing is kept, on the command line
	faces  faces           // none on the command line
	boxes  *boxes          // nil where nothing is kept
}

// routes makes the routes over a catalogue.
func (p *program) routes(log *slog.Logger, snapshot *catalog.Snapshot, x over) *apigw.Router {
	answers := engine.New(snapshot)
	plans := endpoint.NewRecommend(answers, p.now).With(x.charts)
	routes := append(plans.Routes(), endpoint.NewCatalogue(snapshot, p.now).Routes()...)
	routes = append(routes, endpoint.NewTCO(answers, p.now).Routes()...)
	forecasts := endpoint.NewForecast(answers, p.now).With(x.charts)
	routes = append(routes, append(forecasts.Routes(), x.charts.Routes()...)...)
	if x.kept != nil {
		routes = append(routes, endpoint.NewPortfolios(forecasts, x.kept).Routes()...)
	}
	routes = append(routes, x.boxes.routes(log, snapshot, p.now)...)
	api := apigw.NewRouter(slog.New(slog.DiscardHandler), p.now, routes...)
	routes = append(routes, x.faces.routes(api, plans)...)
	return apigw.NewRouter(log, p.now, append(routes, x.site.Routes(snapshot)...)...)
}
