#!/bin/sh
# Builds what a release consists of into dist/, for six platforms. With --publish it also publishes the tag that is checked
# out; that needs cosign, GITHUB_TOKEN for aoa-dev/aoa and TAP_TOKEN for aoa-dev/homebrew-tap.
# usage: release.sh [--publish]
set -eu
export CGO_ENABLED=0
# They are no modules of ours: the first time compiles them, which takes minutes.
tool() {
  [ -x "bin/tools/$1" ] || GOBIN=$PWD/bin/tools go install "$2"
}
tool goreleaser github.com/goreleaser/goreleaser/v2@v2.16.0
tool cyclonedx-gomod github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0
bin/tools/goreleaser check
if [ "${1-}" = --publish ]; then
  exec bin/tools/goreleaser release --clean
fi
snapshot=--snapshot
[ -z "$(git tag --points-at HEAD)" ] || snapshot=
# shellcheck disable=SC2086 # no word where it is empty
exec bin/tools/goreleaser release --clean --skip=sign,publish $snapshot
