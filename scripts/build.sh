#!/bin/sh
# Builds the programs into a folder. On a terminal it counts the packages: the first build takes more than a minute.
# usage: build.sh FOLDER
set -eu
ldflags='-s -w'
[ -t 2 ] || exec go build -trimpath -ldflags "$ldflags" -o "$1" ./cmd/...
total=$(go list -deps -trimpath -ldflags "$ldflags" -f '{{if .Stale}}{{.ImportPath}}{{end}}' ./cmd/... | wc -l)
{
  code=0
  go build -v -trimpath -ldflags "$ldflags" -o "$1" ./cmd/... 2>&1 || code=$?
  echo "exit $code"
} | awk -v total="$total" '
  /^exit [0-9]+$/ { code = $2; next }
  /^[^ :#]+$/ { if (n < total) n++; printf "\r\033[Kbuilding: %d of %d packages", n, total; fflush(); next }
  { print "\r\033[K" $0 }
  END { if (n) printf "\r\033[K"; exit code }' >&2
