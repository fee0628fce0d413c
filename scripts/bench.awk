#!/usr/bin/awk -f
# Turns the output of go test -bench into a table: a line per benchmark, its measures behind it. Everything else passes.
/^pkg:/ { sub(/.*\/aoa\//, ""); print "\n" $0; next }
/^(goos|goarch|cpu|PASS|ok)/ { next }
/^Benchmark/ {
	name = $1
	sub(/^Benchmark/, "", name)
	sub(/-[0-9]+$/, "", name)
	line = sprintf("  %-28s", name)
	for (i = 3; i < NF; i += 2)
		if (!($(i + 1) == "ns/op" && $i == 0)) line = line sprintf(" %10s %-16s", $i, $(i + 1))
	print line
	next
}
{ print }
