#!/bin/sh
# What needs real servers, and nothing else: the exchange of events over TCP, a socket, TLS, Sentinel and a cluster. The tests start
# the servers themselves.
# AOA_REQUIRE=redis fails where there is none.
set -eu
export AOA_TEST_REDIS=1
go test -count=1 -skip '/^miniredis$' ./internal/team

