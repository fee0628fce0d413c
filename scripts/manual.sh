#!/bin/sh
# Writes the man pages, and the completions of bash, zsh and fish, into a folder such as ~/.local/share.
# usage: manual.sh FOLDER
set -eu
go test -count=1 -run '^TestManual$' ./cmd/aoa -manual >/dev/null
put() {
  mkdir -p "$2"
  cp "bin/manual/$1" "$2/"
}
for page in bin/manual/man/*.1; do
  put "man/${page##*/}" "$1/man/man1"
done
put completions/bash/aoa "$1/bash-completion/completions"
put completions/zsh/_aoa "$1/zsh/site-functions"
put completions/fish/aoa.fish "$1/fish/vendor_completions.d"
