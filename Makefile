# Every target sets up what it needs. It needs Go (see go.mod), git and make.
BIN  := $(CURDIR)/bin/aoa
REPO ?= $(CURDIR)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GORELEASER  := github.com/goreleaser/goreleaser/v2@v2.16.0
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FREEZE      := github.com/charmbracelet/freeze@v0.2.2
CYCLONEDX   := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0
# SQLite and Lua in Go use one goroutine each. The race detector would take four times as long with them.
UNWATCHED   := -gcflags='modernc.org/...=-race=false' -gcflags='github.com/yuin/...=-race=false'
# All targets but race compile in the same way, so they share the build cache.
export CGO_ENABLED := 0
# The packages that wait longest begin first.
PACKAGES    := ./cmd/aoa ./watcher ./...
# The packages in which goroutines share data.
RACED       := ./cmd/aoa ./watcher ./hooks/client ./internal/... ./prefetch/...
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.DEFAULT_GOAL := help
.PHONY: help build run train benchmarks test test-clients replay race vet lint workflows vulnerable law redis faults soak mutate fuzz bench cross gitleaks golden picture dist release install clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

build: ## build bin/aoa and bin/aoa-hook
	@scripts/build.sh $(dir $(BIN))

run: build ## learn REPO (this repository by default) and print suggestions with reasons
	@scripts/demo.sh $(BIN) "$(REPO)"

# Many tests wait, for a daemon, a server or a deadline: more of them run at once than there are processors.
test: ## run the tests (no C compiler needed)
	go test -timeout 30m -parallel 8 $(PACKAGES)

test-clients: ## drive real coding agents from npm against scripted models: all, or ONLY=Claude (AOA_REQUIRE=clients: a skip fails)
	AOA_CLIENTS=1 go test -count=1 -timeout 15m -v -run '^TestClient$(ONLY)' ./cmd/aoa

replay: ## measure on recorded sessions: SESSIONS=DIR (NAME.jsonl.gz), REPOS=DIR (clones or mirrors called NAME), MOST=N, ONLY=NAME, SET="AOA_KEY=value …", TEXTS=FILE
	go run ./scripts/dev/replay -sessions "$(abspath $(SESSIONS))" -repos "$(abspath $(or $(REPOS),$(SESSIONS)))" -most $(or $(MOST),0) -only "$(ONLY)" -set "$(SET)" -texts "$(if $(TEXTS),$(abspath $(TEXTS)))"

# Without atexit_sleep_ms every process ends a second late, which adds minutes. Vet has its own target.
race: ## run the tests of goroutines with the race detector, fewer rounds of each (needs a C compiler)
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 go test -race -vet=off $(UNWATCHED) -short -timeout 30m $(RACED)

# A wait in a bubble of synctest and the pace of a load say so on their line; benchmarks measure time.
vet: ## go vet, and no sleeping tests
	go vet ./...
	@! grep -rnE 'time\.(Sleep|Tick|NewTicker)\(|^[[:space:]]*<-time\.After\(|[{;] *<-time\.After\(' --include='*_test.go' --exclude='bench*' . | grep -vE '// (load|in a synctest bubble)$$' || \
		{ echo 'a test sleeps: wait on a channel, use testing/synctest, or fault.Until for another process'; exit 1; }
	@! grep -rnw sleep --include='*.txtar' testdata || { echo 'a script sleeps: use until'; exit 1; }

lint: vet ## vet and staticcheck
	go run $(STATICCHECK) ./...

workflows: ## check the workflows of .github
	go run $(ACTIONLINT)

vulnerable: ## govulncheck: known faults of modules that the programs can reach (asks vuln.go.dev)
	go run $(GOVULNCHECK) ./cmd/...

law: ## the import law: who may import whom
	go test -count=1 -run '^TestImportLaw' ./cmd/aoa

redis: ## the exchange of events, and daemons, with real servers that the tests start (AOA_REQUIRE=redis: a skip fails)
	@scripts/dev/redis.sh

# Many rounds of what the tests of faults do a few times in every run.
faults: ## kill daemons and servers, damage files, fill disks, cut the network, move the clock: ROUNDS=100 per seed, then a table (AOA_REQUIRE=redis,tmpfs,root: a skip fails)
	@ROUNDS=$(or $(ROUNDS),100) scripts/dev/faults.sh

soak: ## recorded sessions for TIME=1h at RATE=60 hooks a second, over and over, and a commit a minute; prints the memory and its slope; SESSIONS=DIR, REPOS=DIR, ONLY=NAME, MOST=40 sessions, KILL=4m between kills of the daemon
	go run ./scripts/dev/replay -sessions "$(abspath $(SESSIONS))" -repos "$(abspath $(or $(REPOS),$(SESSIONS)))" -only "$(ONLY)" -most $(or $(MOST),40) -soak $(or $(TIME),1h) -rate $(or $(RATE),60) -kill $(or $(KILL),0)

mutate: ## change the code in 60 small ways per package (ONLY="rank prefetch", SEED=1, MOST=60) and list what no test notices
	@go run ./scripts/dev/mutate -seed $(or $(SEED),1) -most $(or $(MOST),60) $(ONLY)

fuzz: ## fuzz each decoder for a while (FUZZTIME=30s)
	@scripts/dev/fuzz.sh $(or $(FUZZTIME),30s)

# One package after the other: two at once would disturb each other. BENCHTIME=300x repeats each 300 times.
bench: ## a table of every budget (BIG=1: a million files, too)
	@go test -p 1 -timeout 2h -run '^$$' -bench '^Benchmark(Query|Ranking|Events|Start|Memory|Keep|Stage|Hook|View)$$' -benchtime $(or $(BENCHTIME),1s) ./cmd/aoa ./internal/hot | scripts/dev/bench.awk

cross: ## compile and vet for every platform
	@for p in $(PLATFORMS); do echo $$p; export GOOS=$${p%/*} GOARCH=$${p#*/}; go build -o /dev/null ./cmd/... && go vet ./... || exit 1; done

train: ## fit weights and confidence again: SESSIONS=DIR of traces, REPOS=DIR of clones, ISSUES=FILE, with judge.txt that names those for judging alone, which are refused, EXAMPLES=FILE keeps what is replayed; half an hour on two cores
	@mkdir -p bin/left
	go run ./scripts/dev/train fit -traces "$(SESSIONS)" -repos "$(REPOS)" -issues "$(ISSUES)" -examples "$(EXAMPLES)" -left bin/left -out rank/weights.json
	go run ./scripts/dev/train calibrate -traces "$(SESSIONS)" -repos "$(REPOS)" -weights bin/left
	go run ./scripts/dev/train changes -traces "$(SESSIONS)" -repos "$(REPOS)"
	go run ./scripts/dev/train begun -repos "$(REPOS)"

benchmarks: build ## measure beside simpler rules and write the tables of docs/dev/benchmarks.md: REPOS=DIR of clones, ISSUES=FILE, HISTORIES=FILE of names, SESSIONS=DIR, WEIGHTS=DIR, ONLY=TABLE
	go run ./scripts/dev/benchmarks -aoa $(BIN) -repos "$(REPOS)" -issues "$(ISSUES)" -histories "$(HISTORIES)" -traces "$(SESSIONS)" -weights "$(WEIGHTS)" -only "$(ONLY)"

gitleaks: ## write the rules of package redact again from a released version of gitleaks: VERSION=v8.30.1
	@scripts/dev/gitleaks.sh $(or $(VERSION),v8.30.1)

golden: ## rewrite the help goldens and the pages of docs that are made from the program
	go test ./cmd/aoa -run 'TestHelp|Test[A-Za-z]*Page' -update

picture: build ## record the README's picture again: REPO=clone of caddyserver/caddy
	go run $(FREEZE) --execute "scripts/dev/picture.sh $(BIN) $(REPO)" --execute.timeout 60s --font.family monospace \
		--font.size 13 --padding 16 --output docs/picture.svg

# They are no modules of ours: the first time compiles them, which takes minutes.
bin/tools/%: Makefile
	GOBIN=$(CURDIR)/bin/tools go install $(if $(filter goreleaser,$*),$(GORELEASER),$(CYCLONEDX))

dist: bin/tools/goreleaser bin/tools/cyclonedx-gomod ## build what a release consists of into dist/, for six platforms; publishes nothing
	bin/tools/goreleaser check
	bin/tools/goreleaser release --clean --skip=sign,publish $(if $(shell git tag --points-at HEAD),,--snapshot)

release: bin/tools/goreleaser bin/tools/cyclonedx-gomod ## publish the tag that is checked out (needs cosign, GITHUB_TOKEN for aoa-dev/aoa, TAP_TOKEN for aoa-dev/homebrew-tap)
	bin/tools/goreleaser release --clean

install: ## install aoa and aoa-hook into GOBIN
	go install -trimpath -ldflags '-s -w' ./cmd/...

clean: ## remove what was built
	rm -rf bin dist
