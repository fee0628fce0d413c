#!/bin/sh
# A table of every budget. One package after the other: two at once would disturb each other. BENCHTIME=300x repeats each
# 300 times, BIG=1 adds a million files.
go test -p 1 -timeout 2h -run '^$' -bench '^Benchmark(Query|Ranking|Events|Start|Memory|Keep|Stage|Hook|View)$' \
  -benchtime "${BENCHTIME:-1s}" ./cmd/aoa ./internal/hot | scripts/dev/bench.awk
