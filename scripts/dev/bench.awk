#!/usr/bin/awk -f
# Makes one table of what go test -bench prints: a row per measurement, its budget and whether it keeps it. Times are
# milliseconds. Everything that is no benchmark and no noise of go test passes.
function label(name,    part, n) {
	n = split(name, part, "/")
	if (part[1] == "Query") return "query through the socket, " files(part[2]) ": " part[3]
	if (part[1] == "Events") return part[2] == "hook" ? "learn, as hooks" : "learn, batches of 500"
	if (part[1] == "Start") return "start to first answer, " files(part[2])
	if (part[1] == "Memory") return part[2] == 1000 ? "resident memory, idle" : "resident memory, " files(part[2])
	if (part[1] == "Stage") return "whole process: a hit of aoa stage run"
	if (part[1] == "Hook") return "whole process: " (part[2] ~ /hint|learn/ ? "aoa-hook, " part[2] : part[2] == "aoa" ? "aoa hook, hint" : "an empty Go program")
	return name
}
function files(n) { return n " files" }
function short(x) { return x == "" ? "" : x >= 1000 ? sprintf("%.0f", x) : x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x) }
function row(name, p50, p99, allocs, other, budget, share) {
	if (!head++) printf "%-62s %9s %9s %8s  %-44s %-12s %s\n", "what", "p50 ms", "p99 ms", "allocs", "", "budget", "of it"
	printf "%-62s %9s %9s %8s  %-44s %-12s %s\n", label(name), short(p50), short(p99), allocs, other, budget, share == "" ? "" : sprintf("%.2f %s", share, share <= 1 ? "ok" : "MISS")
	fflush()
	if (share != "") { judged++; kept += share <= 1 }
}
/^(goos|goarch|cpu|pkg|PASS|ok)/ { next }
/^Benchmark[^ \t]*[ \t]*$/ { next }
/^Benchmark/ {
	name = $1
	sub(/^Benchmark/, "", name)
	sub(/-[0-9]+$/, "", name)
	split("", m)
	split("", group)
	for (i = 3; i < NF; i += 2) {
		unit = $(i + 1)
		m[unit] = $i
		if (match(unit, /-(p50-ms|p99-ms|\/empty|p50\/budget)$/)) group[substr(unit, 1, RSTART - 1)] = 1
	}
	n = 0
	split("empty hint learn aoa", order, " ")
	for (i = 1; i in order; i++) if (order[i] in group) {
		g = order[i]; n++
		row(name "/" g, m[g "-p50-ms"], m[g "-p99-ms"], "", g "-/empty" in m ? sprintf("%.2f x an empty one", m[g "-/empty"]) : "", g "-p50/budget" in m ? "2.5 x empty" : "", m[g "-p50/budget"])
	}
	if (n) next
	other = budget = share = ""
	p50 = "p50-ms" in m ? m["p50-ms"] : m["ns/op"] > 0 ? m["ns/op"] / 1e6 : ""
	if ("events/s" in m) { other = sprintf("%.0f events/s", m["events/s"]) (m["cpu-µs/event"] > 0 ? sprintf(", %.0f µs each", m["cpu-µs/event"]) : ""); share = m["events/budget"]; budget = "10000/s" }
	if (m["cpu-ms"] > 0) other = sprintf("%.0f ms of processor", m["cpu-ms"])
	if ("person-ms" in m) other = sprintf("%.0f ms to a person with files read; ", m["person-ms"]) other
	if ("MB" in m) { other = sprintf("%.1f MB", m["MB"]) (m["mapped-MB"] > 0 ? sprintf(", %.1f of them the program's file", m["mapped-MB"]) : ""); if ("MB/budget" in m) { share = m["MB/budget"]; budget = sprintf("%.0f MB", m["MB"] / share) } }
	if ("p50/budget" in m && m["p50/budget"] > 0) { share = m["p50/budget"]; budget = sprintf("%.3g ms", p50 / share) }
	row(name, p50, m["p99-ms"], m["allocs/op"], other, budget, share)
	next
}
/^--- BENCH/ || /^ +[a-z_]+\.go:[0-9]+:/ { next }
{ print }
END { if (judged) printf "\n%d of %d budgets are kept. A shared machine is slower and less even than an idle one: compare the rows of one run.\n", kept, judged }
