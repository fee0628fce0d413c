#!/bin/sh
# The tests of faults, many rounds of each, and in the end a table of what the rounds came to. ROUNDS is per seed.
# whole: all was there and right. rebuilt: from the history, with a warning. refused: an exit code and a way on.
set -u
out=$(mktemp)
trap 'rm -f "$out"' EXIT
run() {
  { go test -count=1 -timeout 6h -parallel 4 -v -run "$1" "$2" -args -rounds "${ROUNDS:-100}" || echo "FAILED $2"; } | tee -a "$out"
}
run 'TestKilled|TestPowerCut|TestCorrupted|TestStopOnFullDisk|TestLimits|TestRemoveBesideHooks|TestStoreReplaced' ./cmd/aoa
run TestRestoreUnderSwaps ./internal/stage
run 'TestFullDisk|TestReadOnlyDisk|TestBadRows|TestCutLog|TestKilled|TestForgetDropsCopy' ./internal/cold
run 'TestCheckoutOfManyFiles|TestFormatterIsOneEvent' ./watcher # 10,000 files
run TestClock ./internal/daemon
run 'TestRulesEqualGit' ./watcher # 10 trees a round
printf '\n%-34s %7s %7s %7s %7s %7s %7s\n' fault rounds whole rebuilt refused lost wrong
awk -F'|' '/verdicts\|/ {
  n = split($3, part, " ")
  for (i = 1; i <= n; i++) { split(part[i], kv, "="); v[$2, kv[1]] += kv[2] }
  if (!($2 in seen)) { seen[$2] = 1; order[++kinds] = $2 }
}
END {
  for (i = 1; i <= kinds; i++) { k = order[i]
    printf "%-34s %7d %7d %7d %7d %7d %7d\n", k, v[k, "rounds"], v[k, "whole"], v[k, "rebuilt"], v[k, "refused"], v[k, "lost"], v[k, "wrong"] }
}' "$out"
grep -h '^ *--- SKIP' "$out" | sed 's/^ *--- SKIP: /skipped: /'
! grep -q '^FAILED' "$out"
