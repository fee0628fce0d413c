#!/bin/sh
# Installs a released aOa: downloads the archive of this system, verifies its checksum, and puts the two programs into a folder.
# usage: install.sh [-v VERSION] [-d DIR] [-u URL]
#   -v  v1.2.3 in place of the latest release
#   -d  the folder, ~/.local/bin in place of that
#   -u  where releases are, in place of GitHub
set -eu

say() { echo "install.sh: $*" >&2; }
fail() { say "$*"; exit 1; }

fetch() { # URL FILE
  if command -v curl >/dev/null; then
    curl -fsSL --retry 2 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail "install curl or wget"
  fi || fail "cannot download $1"
}

digest() { # FILE
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    fail "install sha256sum or shasum: without them the download cannot be verified"
  fi | cut -d ' ' -f 1
}

main() {
  version='' dir=${HOME:?}/.local/bin url=https://github.com/aoa-dev/aoa/releases
  while getopts v:d:u: option; do
    case $option in
    v) version=$OPTARG ;;
    d) dir=$OPTARG ;;
    u) url=$OPTARG ;;
    *) exit 64 ;;
    esac
  done
  case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "no archive for $(uname -s) here; for Windows unpack the zip of $url" ;;
  esac
  case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "no archive for $(uname -m); go install github.com/aoa-dev/aoa/cmd/aoa@latest builds it" ;;
  esac
  archive=aoa_${os}_$arch.tar.gz
  from=$url/latest/download
  [ -z "$version" ] || from=$url/download/$version

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  fetch "$from/checksums.txt" "$scratch/checksums.txt"
  fetch "$from/$archive" "$scratch/$archive"
  want=$(awk -v name="$archive" '$2 == name { print $1 }' "$scratch/checksums.txt")
  [ -n "$want" ] || fail "$from/checksums.txt does not name $archive"
  [ "$(digest "$scratch/$archive")" = "$want" ] || fail "$archive has another checksum than $from/checksums.txt says: nothing was installed"

  tar -xzf "$scratch/$archive" -C "$scratch" aoa aoa-hook
  mkdir -p "$dir"
  for program in aoa-hook aoa; do # renamed into place: one that runs goes on
    cp "$scratch/$program" "$dir/.$program.new"
    chmod 755 "$dir/.$program.new"
    mv -f "$dir/.$program.new" "$dir/$program"
  done
  say "installed $("$dir/aoa" --version) in $dir; to remove it: rm $dir/aoa $dir/aoa-hook"
  case :$PATH: in
  *":$dir:"*) ;;
  *) say "$dir is not on the PATH: add it, or start $dir/aoa" ;;
  esac
}

main "$@" # the last line: half a download does nothing
