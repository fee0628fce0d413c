#!/bin/sh
# Fuzz every decoder in turn. usage: fuzz.sh DURATION
# Few attempts to shorten an input: where maps are walked in random order, coverage differs from run to run, and the whole time would go
# into shortening.
set -eu
go list ./... | while read -r pkg; do
  dir=$(go list -f '{{.Dir}}' "$pkg")
  for f in $(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | sed 's/^func //'); do
    echo "== $pkg $f"
    go test -run '^$' -fuzz "^$f\$" -fuzztime "$1" -fuzzminimizetime 10x "$pkg"
  done
done
