package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/prefetch"
)

// tally sums up a replay.
type tally struct {
	name     string
	sessions int
	late     int                        // moves of HEAD that were not learned in time
	times    map[string][]time.Duration // by event: durations of the whole client process
	silent   map[string][2]int          // by event: number of calls, and of those that printed nothing
	tokens   map[string]int             // by session: the tokens of its texts
	hints    []prefetch.Record
}

func newTally(name string) *tally {
	return &tally{name: name, times: map[string][]time.Duration{}, silent: map[string][2]int{}, tokens: map[string]int{}}
}

func (y *tally) took(ev string, d time.Duration) { y.times[ev] = append(y.times[ev], d) }

// spoke counts one call of a hook.
func (y *tally) spoke(p payload, text string) {
	ev := p["hook_event_name"].(string)
	n := y.silent[ev]
	n[0]++
	if text == "" {
		n[1]++
	}
	y.silent[ev] = n
	if text != "" {
		y.tokens[p["session_id"].(string)] += index.Tokens(text)
	}
}

// join adds the tally of another repository.
func (y *tally) join(o *tally) {
	y.sessions, y.late = y.sessions+o.sessions, y.late+o.late
	for k, v := range o.times {
		y.times[k] = append(y.times[k], v...)
	}
	for k, v := range o.silent {
		y.silent[k] = [2]int{y.silent[k][0] + v[0], y.silent[k][1] + v[1]}
	}
	for k, v := range o.tokens {
		y.tokens[o.name+k] += v
	}
	for _, k := range o.hints {
		i := slices.IndexFunc(y.hints, func(x prefetch.Record) bool { return x.Kind == k.Kind })
		if i < 0 {
			y.hints = append(y.hints, k)
			continue
		}
		x := &y.hints[i]
		x.Shown, x.Withheld, x.Shadow = x.Shown.Plus(k.Shown), x.Withheld.Plus(k.Withheld), x.Shadow.Plus(k.Shadow)
		x.Tokens += k.Tokens
	}
}

// print prints all results.
func (y *tally) print(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: %d sessions\n", y.name, y.sessions)
	calls, silent, awaited, awaitedSilent := 0, 0, 0, 0
	var all []time.Duration
	for _, ev := range slices.Sorted(maps.Keys(y.silent)) {
		n := y.silent[ev]
		calls, silent = calls+n[0], silent+n[1]
		all = append(all, y.times[ev]...)
		if ev != "PostToolUse" && ev != "PostToolUseFailure" && ev != "SessionEnd" {
			awaited, awaitedSilent = awaited+n[0], awaitedSilent+n[1]
		}
		fmt.Fprintf(&b, "  %-20s %6d hooks, %5.1f %% silent, process p50 %s, p99 %s\n", ev, n[0], percent(n[1], n[0]),
			quantile(y.times[ev], .5), quantile(y.times[ev], .99))
	}
	fmt.Fprintf(&b, "  all %d hooks: %.1f %% silent (%.1f %% of the %d that may speak), process p50 %s, p99 %s; HEAD "+
		"learned late %d times\n", calls, percent(silent, calls),
		percent(awaitedSilent, awaited), awaited, quantile(all, .5), quantile(all, .99), y.late)
	spent := make([]int, 0, y.sessions)
	for _, n := range y.tokens {
		spent = append(spent, n)
	}
	spent = append(spent, make([]int, max(0, y.sessions-len(spent)))...)
	slices.Sort(spent)
	if len(spent) > 0 {
		fmt.Fprintf(&b, "  tokens a session: median %d, p95 %d\n", spent[len(spent)/2], spent[len(spent)*95/100])
	}
	for _, k := range y.hints {
		fmt.Fprintf(&b, "  %-10s %4d files shown, %3.0f %% of %d used; withheld %d, %3.0f %% of %d used; "+
			"shadow %d, %.0f %% used; %d tokens\n", k.Kind,
			k.Shown.Decided, percent(k.Shown.Right, k.Shown.Resolved), k.Shown.Resolved,
			k.Withheld.Decided, percent(k.Withheld.Right, k.Withheld.Resolved), k.Withheld.Resolved,
			k.Shadow.Decided, percent(k.Shadow.Right, k.Shadow.Decided), k.Tokens)
	}
	fmt.Fprint(w, b.String())
}

func percent[N int | int64](n, of N) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func quantile[D cmp.Ordered](ds []D, q float64) (zero D) {
	if len(ds) == 0 {
		return zero
	}
	s := slices.Clone(ds)
	slices.Sort(s)
	return s[min(len(s)-1, int(q*float64(len(s))))]
}
