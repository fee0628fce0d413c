package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

var (
	soakFor  = flag.Duration("soak", 0, "how long recorded sessions are given to one daemon")
	soakPlot = flag.String("plot", "", "file of the plot of the daemon's memory, an SVG")
	soakRate = flag.Int("rate", 60, "hooks per second")
)

// haste is how much faster the clock of a soaked daemon runs: sessions end a day after their last event, and half an
// hour is to see that.
const haste = 120

// hasty is the daemon with such a clock.
func hasty() {
	begin := time.Now()
	a := &app{in: os.Stdin, out: os.Stderr, err: os.Stderr, env: os.Environ(), dir: ".", now: func() time.Time {
		return begin.Add(haste * time.Since(begin))
	}}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := a.serve(ctx, false, false); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFailed)
	}
}

// TestSoak gives one daemon recorded sessions, over and over under new names, and looks at what it holds: memory,
// goroutines, open files. All that must be level once a day of its clock has passed; the log on disk grows with what
// happened. make soak SESSIONS=DIR REPOS=DIR TIME=1h prints the samples and draws bin/soak.svg.
func TestSoak(t *testing.T) {
	if *soakFor == 0 || *sessionsDir == "" {
		t.Skip("give -soak TIME -sessions DIR: make soak")
	}
	files, err := filepath.Glob(filepath.Join(*sessionsDir, "*.jsonl.gz"))
	check(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		source, ok := mirrorOf(name)
		if strings.HasSuffix(name, ".commits") || *replayOnly != "" && *replayOnly != name || !ok {
			continue
		}
		soakOn(t, source, file)
		return
	}
	t.Fatalf("no recording in %s has a clone in -repos", *sessionsDir)
}

func soakOn(t *testing.T, source, file string) {
	d := newSandbox(t, 0)
	d.git("fetch", "-q", source, "HEAD")
	d.git("reset", "-q", "--hard", "FETCH_HEAD")
	d.env = append(d.env, "AOA_IDLE_TIMEOUT=0", "AOA_REPO_ID=soak")
	d.must("init")
	d.must("daemon", "stop")
	bin, err := exec.LookPath("aoa-hasty")
	check(t, err)
	daemon := exec.Command(bin)
	daemon.Dir, daemon.Env, daemon.Stderr = d.dir, d.env, os.Stderr
	begin := time.Now()
	check(t, daemon.Start())
	t.Cleanup(func() { d.kill(daemon) })
	d.until("it listens", func() bool { _, err := d.sample(); return err == nil })
	batches, n := readRecorded(t, file, d.dir, *replayMost)
	x := &soak{sandbox: d, begin: begin, turns: map[string]int{}, pace: time.NewTicker(time.Second / time.Duration(*soakRate))} // load
	t.Logf("%d sessions of %s, %d batches, a clock %d times as fast", n, filepath.Base(file), len(batches), haste)
	t.Logf("%s", strings.Join(soakNames, "\t"))
	for x.pass = 0; time.Since(begin) < *soakFor; x.pass++ {
		for _, b := range batches {
			if x.batch(b); time.Since(begin) > *soakFor {
				break
			}
		}
	}
	x.verdict()
}

// soak is the traffic and what was seen of the daemon.
type soak struct {
	*sandbox
	begin   time.Time
	pass    int
	turns   map[string]int
	pace    *time.Ticker
	hooks   int
	looked  time.Time
	ticked  time.Time
	samples [][]float64
}

// batch runs the hooks of what happened at once, in a session of this pass.
func (x *soak) batch(b recordedBatch) {
	x.Helper()
	b.session = fmt.Sprint(b.session, "-", x.pass)
	if b.prompt != nil {
		if x.turns[b.session]++; x.turns[b.session] == 1 {
			start := b.base(x.dir, "SessionStart", 0)
			start["source"] = "startup"
			x.hook(start)
		}
	}
	for i := range b.calls {
		b.calls[i].row.Session = b.session // each has its own ids
	}
	for _, p := range b.hooks(x.dir, x.turns[b.session]) {
		x.hook(p)
	}
	if now := x.begin.Add(haste * time.Since(x.begin)); now.Sub(x.ticked) > time.Hour { // the cron's, by that clock
		x.ticked = now
		mustCall(x.sandbox, api.Events,
			[]event.Event{{ID: fmt.Sprint("tick:", now.Unix()), Time: now, Kind: event.KindTick, Agent: "cron"}})
	}
	if time.Since(x.looked) > 10*time.Second {
		x.looked = time.Now()
		s, err := x.sample()
		check(x.T, err)
		x.samples = append(x.samples, append([]float64{time.Since(x.begin).Minutes(), float64(x.hooks)}, s...))
		if len(x.samples)%6 == 1 {
			x.Logf("%s", row(x.samples[len(x.samples)-1]))
		}
	}
}

func (x *soak) hook(p payload) {
	x.Helper()
	<-x.pace.C
	x.hooks++
	raw, err := json.Marshal(p)
	check(x.T, err)
	ev := p["hook_event_name"].(string)
	if _, err := x.send(api.Hook{Agent: "claude", Dir: x.dir, Payload: raw, Wait: !strings.HasPrefix(ev, "PostToolUse")}); err != nil {
		x.Fatalf("after %d hooks: %v", x.hooks, err)
	}
}

// soakNames are the columns of a sample.
var soakNames = []string{"minute", "hooks", "resident MB", "live heap MB", "goroutines", "open files", "store MB"}

// sample asks the daemon for its metrics and the disk for the store.
func (d *sandbox) sample() ([]float64, error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return api.Dial(ctx, d.place())
		}}}
	res, err := c.Get("http://aoa/v1/metrics")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	m := map[string]float64{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if name, v, ok := strings.Cut(lines.Text(), " "); ok {
			m[name], _ = strconv.ParseFloat(v, 64) // comments are no numbers
		}
	}
	size := int64(0)
	err = filepath.WalkDir(d.place().Store, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil { // it may be gone
				size += st.Size()
			}
		}
		return nil
	})
	const mb = 1 << 20
	// The collector begins when the heap is twice what was alive after the last time.
	return []float64{m["process_resident_memory_bytes"] / mb, m["go_memstats_next_gc_bytes"] / 2 / mb, m["go_goroutines"],
		m["process_open_fds"], float64(size) / mb}, err
}

func row(values []float64) string {
	var cells []string
	for _, v := range values {
		cells = append(cells, strconv.FormatFloat(v, 'f', 1, 64))
	}
	return strings.Join(cells, "\t")
}

// verdict compares the last quarter with the second, by which everything has begun to end.
func (x *soak) verdict() {
	x.Helper()
	if *soakPlot != "" {
		check(x.T, os.WriteFile(*soakPlot, []byte(plot(soakNames, x.samples)), 0o644))
	}
	quarter := len(x.samples) / 4
	if quarter < 3 {
		x.Logf("too short for a verdict: %d samples", len(x.samples))
		return
	}
	median := func(rows [][]float64, column int) float64 {
		var vs []float64
		for _, r := range rows {
			vs = append(vs, r[column])
		}
		slices.Sort(vs)
		return vs[len(vs)/2]
	}
	for i, name := range soakNames[2:] {
		second, last := median(x.samples[quarter:2*quarter], i+2), median(x.samples[3*quarter:], i+2)
		x.Logf("%s: %.1f in the second quarter, %.1f in the last: %+.0f %%", name, second, last, 100*(last/max(second, 1e-9)-1))
		if name != "store MB" && last > 1.25*second+2 {
			x.Errorf("%s grows", name)
		}
	}
	last := x.samples[len(x.samples)-1]
	x.Logf("%d times through the recording, %.0f hooks in %.1f minutes; the store took %.0f bytes for each", x.pass,
		last[1], last[0], last[6]*(1<<20)/last[1])
}

// plot draws each column over the first one, one under the other.
func plot(names []string, rows [][]float64) string {
	const wide, high, left, step = 640.0, 90.0, 120.0, 120.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="11">`, wide+left+20, step*float64(len(names)-2)+20)
	end := rows[len(rows)-1][0]
	for c := 2; c < len(names); c++ {
		top, most := step*float64(c-2)+15, 0.0
		for _, r := range rows {
			most = max(most, r[c])
		}
		fmt.Fprintf(&b, `<text x="4" y="%.0f">%s</text><text x="4" y="%.0f">0 to %.1f</text><path fill="none" stroke="#bbb" d="M%.0f %.0fv%.0fh%.0f"/><polyline fill="none" stroke="#06c" points="`,
			top+12, names[c], top+28, most, left, top, high, wide)
		for _, r := range rows {
			fmt.Fprintf(&b, "%.1f,%.1f ", left+wide*r[0]/end, top+high*(1-r[c]/max(most, 1e-9)))
		}
		b.WriteString(`"/>`)
	}
	fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" text-anchor="end">%.0f minutes</text></svg>`+"\n", left+wide,
		step*float64(len(names)-2)+14, end)
	return b.String()
}
