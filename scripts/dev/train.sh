#!/bin/sh
# Fits weights and confidence again, half an hour on two cores. The folder of traces has a list, judge.txt, of repositories
# for judging alone; they are refused. EXAMPLES keeps what was replayed, so that fitting again takes minutes.
# usage: train.sh TRACES CLONES ISSUES [EXAMPLES]
set -eu
mkdir -p bin/left
go run ./scripts/dev/train fit -traces "$1" -repos "$2" -issues "$3" -examples "${4-}" -left bin/left -out rank/weights.json
go run ./scripts/dev/train calibrate -traces "$1" -repos "$2" -weights bin/left
go run ./scripts/dev/train changes -traces "$1" -repos "$2"
go run ./scripts/dev/train alone -repos "$2"
go run ./scripts/dev/train begun -repos "$2"
