#!/bin/sh
# go vet, staticcheck, actionlint, and the usual spellings of a test that sleeps. A wait in a bubble of synctest and the
# pace of a load say so on their line; benchmarks measure time.
set -eu
go vet ./...
if grep -rnE 'time\.(Sleep|Tick|NewTicker)\(|^[[:space:]]*<-time\.After\(|[{;] *<-time\.After\(' --include='*_test.go' \
  --exclude='bench*' . | grep -vE '// (load|in a synctest bubble)$'; then
  echo 'a test sleeps: wait on a channel, use testing/synctest, or fault.Until for another process' >&2
  exit 1
fi
if grep -rnw sleep --include='*.txtar' testdata; then
  echo 'a script sleeps: use until' >&2
  exit 1
fi
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
