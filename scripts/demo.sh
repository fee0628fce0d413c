#!/bin/sh
# The main job on a repository: learn it, then say what belongs to a file, and why. The file is one whose partner has
# another name, as aoa init names one, else the one that changes most.
# usage: demo.sh AOA REPO
set -eu
aoa=$1 repo=$2
cd "$repo"
learned=$("$aoa" init --no-transcripts)
printf '%s\n' "$learned"
file=$(printf '%s\n' "$learned" | sed -n 's/^  aoa suggest \([A-Za-z0-9_./@+-]*\)$/\1/p' | head -n 1)
if [ -z "$file" ]; then
  file=$(git log -n 300 --no-merges --diff-filter=M --name-only --format= 2>/dev/null | grep -E '\.[a-z]+$' |
    grep -vE '(^|/)(CHANGE(S|LOG)|README|go\.(mod|sum)|package(-lock)?\.json|[^/]*\.lock)' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
fi
if [ -z "$file" ]; then
  echo "this repository has too little history for a suggestion yet"
  exit 0
fi
printf '\n$ aoa suggest %s\n' "$file"
"$aoa" suggest "$file"
best=$("$aoa" suggest --plain -n 1 "$file")
if [ -n "$best" ]; then
  printf '\n$ aoa why %s --with %s\n' "$best" "$file"
  "$aoa" why "$best" --with "$file"
fi
