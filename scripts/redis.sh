#!/bin/sh
# The store suites on real servers. One serves all packages; the tests start the others (TLS, Sentinel, a cluster)
# themselves. AOA_TEST_REDIS names a server that is there already; AOA_REQUIRE=redis fails where there is none. What
# daemons do with servers of their own (killed, stopped, parted, failed over) make test tests wherever redis-server is.
set -eu
if [ -z "${AOA_TEST_REDIS-}" ] && command -v redis-server >/dev/null; then
  dir=$(mktemp -d)
  trap 'kill "$server" 2>/dev/null || :; wait "$server" 2>/dev/null || :; rm -rf "$dir"' EXIT
  redis-server --port "${REDIS_PORT:-16379}" --bind 127.0.0.1 --save '' --appendonly no --dir "$dir" --logfile "$dir/log" &
  server=$!
  export AOA_TEST_REDIS="redis://127.0.0.1:${REDIS_PORT:-16379}/0"
fi
go test -count=1 ./internal/hot/... ./learn ./rank
go test -count=1 -run '^Test(SeveralWriters|ForgetShared)' ./internal/daemon
