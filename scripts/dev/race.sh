#!/bin/sh
# The tests of the packages in which goroutines share data, with the race detector, and fewer rounds of each.
# SQLite and Lua in Go use one goroutine each: the detector would take four times as long with them. Without
# atexit_sleep_ms every process ends a second late, which adds minutes. Arguments are flags for go test.
set -eu
GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 exec go test -race -vet=off -gcflags='modernc.org/...=-race=false' \
  -gcflags='github.com/yuin/...=-race=false' -short -timeout 30m "$@" ./cmd/aoa ./watcher ./hooks/client ./internal/... ./prefetch/...
