#!/bin/sh
# Compiles and vets for every platform of a release.
set -eu
platforms='linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64'
export CGO_ENABLED=0
for p in $platforms; do
  echo "$p"
  export GOOS="${p%/*}" GOARCH="${p#*/}"
  go build -o /dev/null ./cmd/...
  go vet ./...
done
