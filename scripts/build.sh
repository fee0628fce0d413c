#!/bin/sh
# Builds the programs into a folder. On a terminal it counts the packages: the first build takes more than a minute.
# usage: build.sh FOLDER
set -eu
ldflags='-s -w'
total=0
if [ -t 2 ]; then
  printf 'building: looking for modules' >&2
  total=$(go list -deps -ldflags "$ldflags" -f '{{if .Stale}}{{.ImportPath}}{{end}}' ./cmd/... 2>/dev/null | wc -l)
fi
{
  code=0
  go build -v -ldflags "$ldflags" -o "$1" ./cmd/... 2>&1 || code=$?
  echo "exit $code"
} | awk -v total="$total" '
  BEGIN { clear = total == "0" ? "" : "\r\033[K" }
  /^exit [0-9]+$/ { code = $2; next }
  /^go: downloading / { next }
  /^[^ :#]+$/ { if (total > 0) { if (n < total) n++; printf "%sbuilding: %d of %d packages", clear, n, total; fflush() } next }
  { print clear $0 }
  END { printf "%s", clear; exit code }' >&2
