package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/hooktest"
)

// haste is how much faster the clock of the tested daemon runs: sessions end a day after their last
// event, and a test of half an hour should cover that.
const haste = 120

// serveHasty runs the daemon of a repository with such a clock. It is a separate process, so that
// its memory can be measured. Before each sample garbage is collected and returned to the system,
// so that the sample shows only memory in use.
func serveHasty(ctx context.Context, dir string) error {
	begin := time.Now()
	s := &site{dir: dir, env: os.Environ()}
	if err := s.open(ctx); err != nil {
		return err
	}
	go func() {
		for ctx.Err() == nil {
			time.Sleep(time.Second)
			debug.FreeOSMemory()
		}
	}()
	return s.serve(ctx, func() time.Time { return begin.Add(haste * time.Since(begin)) }, func() {})
}

// soakOn plays recorded sessions to one daemon, over and over under new names, and watches its
// memory, goroutines and open files. These must be constant once a day of its clock has passed;
// only the log on disk may grow.
func (o options) soakOn(ctx context.Context, s *site, file, bin string) error {
	if _, err := s.git(ctx, "read-tree", "HEAD"); err != nil {
		return err
	}
	_, _ = s.git(ctx, "checkout-index", "-q", "-f", "-a") // A mirror may lack the largest files.
	s.env = append(s.env, "AOA_REPO_ID=soak")
	x := &soak{site: s, begin: time.Now(), turns: map[string]int{},
		kills: kills{every: o.kill, bin: bin, acked: map[string]time.Time{}, wrote: map[string]time.Time{}}}
	if o.kill > 0 {
		s.env = append(s.env, "AOA_WATCH=on")
		if err := x.command(ctx, "daemon", "start"); err != nil {
			return err
		}
	} else {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		daemon := exec.Command(self, "-daemon", s.dir)
		daemon.Env, daemon.Stderr = s.env, os.Stderr
		if err := daemon.Start(); err != nil {
			return err
		}
		x.haste = haste
		defer func() {
			_ = daemon.Process.Signal(syscall.SIGTERM)
			_ = daemon.Wait()
		}()
	}
	if !s.learned(ctx, patient, 0) {
		return fmt.Errorf("the history is not learned within %s", patient)
	}
	batches, n, err := readBatches(file, s.dir, o.most)
	if err != nil {
		return err
	}
	x.pace = time.NewTicker(time.Second / time.Duration(o.rate))
	defer x.pace.Stop()
	fmt.Printf("%d sessions of %s, %d batches, a clock %d times as fast\n%s\n", n, filepath.Base(file), len(batches),
		max(x.haste, 1), strings.Join(soakNames, "\t"))
	worked := x.work(ctx, o.kill > 0)
	for x.pass = 0; time.Since(x.begin) < o.soak; x.pass++ {
		for _, b := range batches {
			if err := x.batch(ctx, b); err != nil {
				return err
			}
			if time.Since(x.begin) > o.soak {
				break
			}
		}
	}
	return errors.Join(x.verdict(), worked(), x.survived(ctx))
}

// soak is the traffic to the daemon, with the samples that were taken of it.
type soak struct {
	*site
	kills
	begin  time.Time
	haste  time.Duration // 0 means the real clock
	pass   int
	turns  map[string]int
	pace   *time.Ticker
	hooks  int
	looked time.Time
	ticked time.Time

	committed time.Time
	samples   [][]float64
}

// batch runs the hooks of what happened at once, in a session of this pass.
func (x *soak) batch(ctx context.Context, b batch) error {
	b.session = fmt.Sprint(b.session, "-", x.pass)
	var hooks []payload
	if b.prompt != nil {
		if x.turns[b.session]++; x.turns[b.session] == 1 {
			hooks = append(hooks, b.start(x.dir))
		}
	}
	for i := range b.calls {
		b.calls[i].row.Session = b.session // each pass has its own ids
	}
	for _, p := range append(hooks, b.hooks(x.dir, x.turns[b.session])...) {
		if err := x.hook(ctx, p); err != nil {
			return fmt.Errorf("after %d hooks: %w", x.hooks, err)
		}
	}
	// The jobs of the daemon are due by this clock.
	if now := x.begin.Add(x.haste * time.Since(x.begin)); x.haste > 0 && now.Sub(x.ticked) > time.Hour {
		x.ticked = now
		if err := tick(ctx, x.site, now); err != nil {
			return err
		}
	}
	if x.every == 0 && time.Since(x.committed) > time.Minute {
		x.committed = time.Now()
		if err := x.commit(ctx); err != nil {
			return err
		}
	}
	if time.Since(x.looked) < 10*time.Second {
		return nil
	}
	x.looked = time.Now()
	if killed, err := x.kill(ctx); killed || err != nil {
		return err
	}
	s, err := x.sample()
	if err != nil {
		return err
	}
	x.samples = append(x.samples, append([]float64{time.Since(x.begin).Minutes(), float64(x.hooks)}, s...))
	if len(x.samples)%3 == 1 {
		fmt.Println(row(x.samples[len(x.samples)-1]))
	}
	return nil
}

// commit changes a file and commits it. The daemon then lists the files again.
func (x *soak) commit(ctx context.Context) error {
	err := os.WriteFile(filepath.Join(x.dir, "soak.txt"), []byte(x.committed.String()), 0o600)
	for _, args := range [][]string{{"add", "-f", "soak.txt"}, {"-c", "user.name=soak", "-c",
		"user.email=soak@example.com", "commit", "-qnm", "soak: one more minute"}} {
		if err == nil {
			_, err = x.git(ctx, args...)
		}
	}
	return err
}

func (x *soak) hook(ctx context.Context, p payload) error {
	<-x.pace.C
	x.hooks++
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	learning := strings.HasPrefix(p["hook_event_name"].(string), "PostToolUse")
	at := time.Now()
	_, err = hooktest.Send(ctx, x.place, api.Hook{Agent: "claude", Dir: x.dir, Payload: raw, Wait: !learning})
	if x.every > 0 {
		return x.note(ctx, p, raw, at, err)
	}
	return err
}

// soakNames are the columns of a sample.
var soakNames = []string{"minute", "hooks", "resident MB", "live heap MB", "goroutines", "open files", "store MB"}

// sample asks the daemon for its metrics, and measures the store on the disk.
func (x *soak) sample() ([]float64, error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return api.Dial(ctx, x.place)
		}}}
	res, err := c.Get("http://aoa/v1/metrics")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	m := map[string]float64{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if name, v, ok := strings.Cut(lines.Text(), " "); ok {
			m[name], _ = strconv.ParseFloat(v, 64) // Comments are not numbers.
		}
	}
	size := int64(0)
	err = filepath.WalkDir(x.place.Store, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil { // The file may be gone.
				size += st.Size()
			}
		}
		return nil
	})
	const mb = 1 << 20
	// The collector begins when the heap is twice as large as after the last collection.
	return []float64{m["process_resident_memory_bytes"] / mb, m["go_memstats_next_gc_bytes"] / 2 / mb,
		m["go_goroutines"],
		m["process_open_fds"], float64(size) / mb}, err
}

// slope returns by how much a column grows in a minute, by least squares.
func slope(samples [][]float64, column int) float64 {
	var n, x, y, xx, xy float64
	for _, s := range samples {
		n, x, y, xx, xy = n+1, x+s[0], y+s[column], xx+s[0]*s[0], xy+s[0]*s[column]
	}
	return (n*xy - x*y) / max(n*xx-x*x, 1e-9)
}

func row(values []float64) string {
	var cells []string
	for _, v := range values {
		cells = append(cells, strconv.FormatFloat(v, 'f', 1, 64))
	}
	return strings.Join(cells, "\t")
}

// verdict compares the last quarter with the second one, in which sessions have begun to end.
func (x *soak) verdict() error {
	quarter := len(x.samples) / 4
	if quarter < 3 {
		return fmt.Errorf("too short for a verdict: %d samples", len(x.samples))
	}
	median := func(rows [][]float64, column int) float64 {
		var vs []float64
		for _, r := range rows {
			vs = append(vs, r[column])
		}
		slices.Sort(vs)
		return vs[len(vs)/2]
	}
	var grows []string
	for i, name := range soakNames[2:] {
		second, last := median(x.samples[quarter:2*quarter], i+2), median(x.samples[3*quarter:], i+2)
		fmt.Printf("%s: %.1f in the second quarter, %.1f in the last: %+.0f %%\n", name, second, last,
			100*(last/max(second, 1e-9)-1))
		if name != "store MB" && last > 1.25*second+2 {
			grows = append(grows, name)
		}
	}
	last := x.samples[len(x.samples)-1]
	tail := slices.DeleteFunc(slices.Clone(x.samples), func(s []float64) bool { return last[0]-s[0] > 10 })
	for _, column := range []int{2, 3} {
		fmt.Printf("%s: %+.2f a minute over the last %.1f minutes\n", soakNames[column], slope(tail, column),
			last[0]-tail[0][0])
	}
	fmt.Printf("%d times through the recording, %.0f hooks in %.1f minutes; the store took %.0f bytes for each\n",
		x.pass,
		last[1], last[0], last[6]*(1<<20)/last[1])
	if len(grows) > 0 {
		return fmt.Errorf("what grows: %s", strings.Join(grows, ", "))
	}
	return nil
}
