#!/bin/sh
# A table of every budget. BENCHTIME=300x repeats each 300 times.
go test -p 1 -timeout 2h -run '^$' -bench '^Benchmark(Query|Events|Start|Memory|Stage|Hook)$' \
  -benchtime "${BENCHTIME:-1s}" ./cmd/aoa | scripts/dev/bench.awk
