#!/bin/sh
# What needs real servers, and nothing else: the exchange of events, and daemons whose server is killed, stopped, cut off and failed
# over, ROUNDS times each (1). The tests start the servers themselves: TCP, a socket, TLS, Sentinel, a cluster.
# AOA_REQUIRE=redis fails where there is none.
set -eu
export AOA_TEST_REDIS=1
go test -count=1 -skip '/^miniredis$' ./internal/team
go test -count=1 -run '^Test(Server|Team|Password)' ./cmd/aoa -args -rounds "${ROUNDS:-1}"
