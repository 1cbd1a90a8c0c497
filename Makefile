# Needs Go, Python 3, make, gcc (for the race detector) and git. `make help` lists the targets.

PORT ?= 8080
export PORT

# Published runs in the format of tierwise accuracy.
RUNS := functions/internal/accuracy/testdata/runs.csv

# What the tests need of Python: a DynamoDB API and the checks of template.yaml and of FOCUS files; and the agent's C compiler.
REQUIREMENTS := catalog/dynamo/dynamotest/requirements.txt probe-agent/packaging/requirements.txt functions/internal/forecast/requirements.txt functions/local/requirements.txt

# go-nvml wraps every call of the driver, those that NVIDIA has deprecated too: the warnings are not about ours.
export CGO_CFLAGS := -O2 -g -Wno-deprecated-declarations

# The agent's version, as it says of itself.
AGENT_VERSION ?= $(or $(shell git describe --tags --always 2>/dev/null),dev)

# AWS's emulator of the Lambda runtime interface.
RIE := github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@v0.0.0-20261030222936-bef5c4ba774d

GOFILES := $(wildcard $(shell git ls-files -co --exclude-standard '*.go'))

# Under what name make deploy makes the stack, and how many starts make bench-cold measures.
STACK ?= tierwise
STARTS ?= 30

# One Lambda function is one functions/<name>/main.go; local is the program for a person's own machine.
FUNCTIONS := $(filter-out local,$(patsubst functions/%/main.go,%,$(wildcard functions/*/main.go)))

# A test that exercises concurrency has Race or Concurrent in its name: those run under the race detector.
RACE := Race|Concurrent
RACE_PACKAGES := $(addprefix ./,$(sort $(dir $(shell grep -lE '^func Test.*($(RACE))' $(filter %_test.go,$(GOFILES)) /dev/null))))

# SAM calls build-RecommendFunction for functions/recommend, with where to put the bootstrap.
SAM_BUILDS := $(foreach f,$(FUNCTIONS),build-$(shell echo $(f) | sed 's/^./\u&/')Function)

.PHONY: help run test venv tools browser $(SAM_BUILDS) check bench bench-cold soak package deploy accuracy calibrate build agent clean FORCE

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST)

run: ## serve every route on PORT (8080) from the embedded store
	go run ./functions/local serve

# The tests and the figures of the agent are those of its release binary.
test bench: export PROBE_RELEASE := bin/probe-agent

test: check venv tools browser agent ## check, then every test, then the concurrency tests under the race detector
	go test ./...
	$(if $(RACE_PACKAGES),go test -race -count=1 -run '$(RACE)' $(RACE_PACKAGES))

venv: .venv/done ## the tests' Python packages, pinned, in .venv

.venv/done: $(REQUIREMENTS)
	python3 -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check $(REQUIREMENTS:%=-r %)
	touch $@

tools: .tools/bin/aws-lambda-rie ## the emulator of the Lambda runtime, in .tools

.tools/bin/aws-lambda-rie: Makefile
	GOBIN=$(CURDIR)/.tools/bin go install $(RIE)
	touch $@

browser: ## Chromium and axe-core for the tests of the pages, where this machine may install them
	@functions/internal/web/testdata/browser.sh .tools/axe

check: ## format, vet, staticcheck, build without cgo, structure, go.mod
	$(if $(GOFILES),,$(error git lists no Go file here))
	@unformatted=$$(gofmt -l $(GOFILES)) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	CGO_ENABLED=0 go build -o /dev/null ./...
	go vet ./...
	go tool staticcheck ./...
	go test ./functions/internal/archtest
	go mod tidy -diff

bench: agent ## every benchmark, with allocations, and what the agent takes of a machine
	go test -run '^$$' -bench . -benchmem ./...

bench-cold: venv tools ## 30 starts of recommend under AWS's emulator: free, and with the processor share of each memory size
	COLD_STARTS=$(STARTS) go test -count=1 -timeout 60m -v -run TestColdStarts ./functions/internal/stack $(if $(KEEP),-keep)

soak: ## put the server under twice what it can answer; kill the agent 200 times against a server that fails; send 10,000 reports up to five times to a server that is killed; 10,000 random inputs for plans and for every property of money
	PROBE_KILLS=200 go test -count=1 -timeout 30m -v -run TestKilledAtRandom ./probe-agent
	ONCE_REPORTS=10000 go test -count=1 -timeout 60m -v -run TestReportsCountOnce ./functions/local
	SOAK_REQUESTS=10000 go test -count=1 -timeout 60m -v -run TestPrunedEqualsPlain ./functions/internal/engine
	go test -count=1 -timeout 60m -run TestGatheredEqualsPlain ./functions/internal/engine -rapid.checks=10000
	go test -count=1 -timeout 60m ./functions/internal/tco ./functions/internal/forecast -rapid.checks=10000
	MONEY_CASES=10000 go test -count=1 -timeout 60m -v -run TestSecondImplementation ./functions/internal/endpoint
	LOAD_SECONDS=60 taskset -c 1 go test -count=1 -timeout 10m -v -run TestTwiceTheLoad ./functions/local

accuracy: ## the estimator against published runs
	go run ./functions/local accuracy $(RUNS)

calibrate: ## refit the estimator's constants, and score each source under a fit without it
	go run ./functions/local accuracy --calibrate $(RUNS)

build: bin/tierwise $(FUNCTIONS:%=bin/%/bootstrap) ## bin/tierwise, and bin/<function>/bootstrap for Lambda on arm64

package: $(FUNCTIONS:%=bin/%.zip) ## bin/<function>.zip for Lambda on arm64, each of 12 MB at most
	@ls -l $^ | awk '{ printf "%5.1f MB  %s\n", $$5 / 1000000, $$NF; if ($$5 > 12000000) large = 1 } END { exit large }'

bin/%.zip: bin/%/bootstrap
	cd bin/$* && rm -f ../$*.zip && python3 -m zipfile -c ../$*.zip bootstrap

deploy: ## build and deploy the stack with the SAM CLI; STACK=name, PARAMETERS="AlarmEmail=ops@example.com"
	sam build --build-in-source
	sam deploy --stack-name $(STACK) --resolve-s3 --capabilities CAPABILITY_IAM --no-confirm-changeset --no-fail-on-empty-changeset $(if $(PARAMETERS),--parameter-overrides $(PARAMETERS))

agent: bin/probe-agent ## bin/probe-agent, for x86-64 Linux with glibc 2.17 or later

bin/probe-agent: .venv/done FORCE
	probe-agent/packaging/build.sh .venv/bin/python $@ $(AGENT_VERSION)

bin/tierwise: FORCE
	go build -trimpath -o $@ ./functions/local

bin/%/bootstrap: FORCE
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -tags lambda.norpc -trimpath -ldflags '-s -w' -o $@ ./functions/$*

$(SAM_BUILDS): build-%Function:
	CGO_ENABLED=0 GOOS=linux GOARCH=$(or $(GOARCH),arm64) go build -tags lambda.norpc -trimpath -ldflags '-s -w' -o $(ARTIFACTS_DIR)/bootstrap ./functions/$(shell echo $* | tr A-Z a-z)

clean: ## remove what build and the tests left
	rm -rf bin coverage.* cover.* trace.out
	find functions catalog probe-agent schemas \( -name '*.test' -o -name '*.prof' -o -name '*.pprof' \) -delete

# Go's build cache, not file times, decides what is stale.
FORCE:
