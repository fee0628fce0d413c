#!/bin/sh
# The session of the README's picture, in a clone and a home of its own. Only answers are shown: stderr has the progress.
# usage: picture.sh AOA CLONE-OF-CADDY
set -eu
home=$(mktemp -d)
export HOME="$home" XDG_CONFIG_HOME="$home/config" XDG_STATE_HOME="$home/state" COLUMNS=104 TERM=xterm-256color
PATH=$(dirname "$1"):$PATH
git clone -q --no-checkout "$2" "$home/caddy"
cd "$home/caddy"
git -c advice.detachedHead=false checkout -q v2.11.4
trap 'aoa remove --yes >/dev/null 2>&1; rm -rf "$home"' EXIT
type() {
  printf '\033[35m$\033[0m %s\n' "$1"
  sh -c "$1" 2>/dev/null
}
type 'aoa init | head -n 1'
echo
type 'aoa suggest -n 3 modules/caddyhttp/reverseproxy/streaming.go'
echo
type 'aoa suggest -n 3 -p "retries use the wrong upstream after a dial timeout"'
echo
type 'aoa why modules/caddyhttp/server.go --with modules/caddyhttp/reverseproxy/streaming.go'
