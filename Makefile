# Needs Go, Python 3, make, gcc (for the race detector) and git. `make help` lists the targets.

PORT ?= 8080
export PORT

GOFILES := $(wildcard $(shell git ls-files -co --exclude-standard '*.go'))

# One Lambda function is one functions/<name>/main.go; local is the program for a person's own machine.
FUNCTIONS := $(filter-out local,$(patsubst functions/%/main.go,%,$(wildcard functions/*/main.go)))

# A test that exercises concurrency has Race or Concurrent in its name: those run under the race detector.
RACE := Race|Concurrent
RACE_PACKAGES := $(addprefix ./,$(sort $(dir $(shell grep -lE '^func Test.*($(RACE))' $(filter %_test.go,$(GOFILES)) /dev/null))))

.PHONY: help run test check bench build clean FORCE

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST)

run: ## serve every route on PORT (8080) from the embedded store
	go run ./functions/local serve

test: check ## check, then every test, then the concurrency tests under the race detector
	go test ./...
	$(if $(RACE_PACKAGES),go test -race -count=1 -run '$(RACE)' $(RACE_PACKAGES))

check: ## format, vet, staticcheck, build without cgo, structure, go.mod
	$(if $(GOFILES),,$(error git lists no Go file here))
	@unformatted=$$(gofmt -l $(GOFILES)) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	CGO_ENABLED=0 go build -o /dev/null ./...
	go vet ./...
	go tool staticcheck ./...
	go test ./functions/internal/archtest
	go mod tidy -diff

bench: ## every benchmark, with allocations
	go test -run '^$$' -bench . -benchmem ./...

build: bin/tierwise $(FUNCTIONS:%=bin/%/bootstrap) ## bin/tierwise, and bin/<function>/bootstrap for Lambda on arm64

bin/tierwise: FORCE
	go build -trimpath -o $@ ./functions/local

bin/%/bootstrap: FORCE
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -tags lambda.norpc -trimpath -ldflags '-s -w' -o $@ ./functions/$*

clean: ## remove what build and the tests left
	rm -rf bin coverage.* cover.* trace.out
	find functions catalog probe-agent schemas \( -name '*.test' -o -name '*.prof' -o -name '*.pprof' \) -delete

# Go's build cache, not file times, decides what is stale.
FORCE:
