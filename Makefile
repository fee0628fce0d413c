# Every target sets up what it needs. It needs Go (see go.mod), git and make. What fewer people need is in scripts/dev.
BIN    := $(CURDIR)/bin/aoa
REPO   ?= $(CURDIR)
PREFIX ?= $(HOME)/.local
# All targets but race compile in the same way, so they share the build cache. Without data for debuggers the first build is a fifth
# shorter; a debugger compiles for itself.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -trimpath -gcflags=all=-dwarf=false)

.DEFAULT_GOAL := help
.PHONY: help build run test test-clients race lint golden bench benchmarks train dist install clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

build: ## build bin/aoa and bin/aoa-hook
	@scripts/build.sh $(dir $(BIN))

run: build ## learn REPO (this repository by default) and print suggestions with reasons
	@scripts/demo.sh $(BIN) "$(REPO)"

# The packages that wait longest begin first. Many tests wait, for a daemon, a server or a deadline, so more of them run at once
# than there are processors.
test: ## run the tests (no C compiler needed)
	go test -timeout 30m -parallel 4 ./cmd/aoa ./watcher ./...

test-clients: ## drive real coding agents from npm against scripted models; ONLY=Claude selects
	AOA_CLIENTS=1 go test -count=1 -timeout 15m -v -run '^TestClient$(ONLY)' ./scripts/dev/clients

race: ## run the tests of goroutines with the race detector (needs a C compiler)
	@scripts/dev/race.sh

lint: ## go vet, staticcheck, the workflows, and no test that sleeps
	@scripts/dev/lint.sh

golden: ## rewrite the help goldens and the pages of docs that are made from the program
	go test ./cmd/aoa -run 'TestHelp|Test[A-Za-z]*Page' -update

bench: ## a table of every budget
	@scripts/dev/bench.sh

benchmarks: build ## write the tables of docs/dev/benchmarks.md: REPOS=DIR of clones, ONLY=TABLE; see that page
	go run ./scripts/dev/benchmarks -aoa $(BIN) -repos "$(REPOS)" -issues "$(ISSUES)" -histories "$(HISTORIES)" \
		-traces "$(SESSIONS)" -weights "$(WEIGHTS)" -only "$(ONLY)"

train: ## fit the weights again: SESSIONS=DIR, REPOS=DIR, ISSUES=FILE; see docs/dev/ranking.md
	@scripts/dev/train.sh "$(SESSIONS)" "$(REPOS)" "$(ISSUES)" "$(EXAMPLES)"

dist: ## build what a release consists of into dist/, for six platforms; publishes nothing
	@scripts/dev/release.sh

install: ## install the programs, man pages and completions into PREFIX (~/.local)
	@scripts/build.sh "$(PREFIX)/bin/"
	@scripts/manual.sh "$(PREFIX)/share"
	@echo "installed aoa in $(PREFIX)/bin; man pages and completions are in $(PREFIX)/share"

clean: ## remove what was built
	rm -rf bin dist
