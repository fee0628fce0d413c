#!/bin/sh
# Write internal/redact/gitleaks.json and its license from a released version of gitleaks. usage: gitleaks.sh VERSION
set -eu
module=github.com/zricethezav/gitleaks/v8@$1
tomljson=github.com/pelletier/go-toml/v2/cmd/tomljson@v2.2.4
out=internal/redact
dir=$(go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
made=$(mktemp)
trap 'rm -f "$made"' EXIT
go run "$tomljson" "$dir/config/gitleaks.toml" | go run ./scripts/dev/gitleaks >"$made"
cat "$made" >$out/gitleaks.json
cat "$dir/LICENSE" >$out/LICENSE.gitleaks
