#!/bin/sh
# What needs real servers, and nothing else: the store suites, and daemons whose server is killed, stopped, cut off and failed
# over, ROUNDS times each (1). One server serves the store suites; the tests start the others (TLS, Sentinel, a cluster) themselves.
# AOA_TEST_REDIS names a server that is there already; AOA_REQUIRE=redis fails where there is none.
set -eu
if [ -z "${AOA_TEST_REDIS-}" ] && command -v redis-server >/dev/null; then
  dir=$(mktemp -d)
  trap 'kill "$server" 2>/dev/null || :; wait "$server" 2>/dev/null || :; rm -rf "$dir"' EXIT
  redis-server --port "${REDIS_PORT:-16379}" --bind 127.0.0.1 --save '' --appendonly no --dir "$dir" --logfile "$dir/log" &
  server=$!
  export AOA_TEST_REDIS="redis://127.0.0.1:${REDIS_PORT:-16379}/0"
fi
go test -count=1 -run '^TestDifferential|^TestMirrorsAgree|^TestCheckNames' -skip '/^miniredis$' ./internal/hot/redis
go test -count=1 -run '^Test(SeveralWriters|ForgetShared|ClonesAgree)$/^server$' ./internal/daemon -args -rounds "${ROUNDS:-1}"
go test -count=1 -run '^Test(Server|Team|Password)' ./cmd/aoa -args -rounds "${ROUNDS:-1}"
