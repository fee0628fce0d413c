package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/daemon"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/scripts/fault"
	"github.com/aoa-dev/aoa/watcher"
)

var (
	sessionsDir = flag.String("sessions", "", "folder of recorded sessions: NAME.jsonl.gz")
	reposDir    = flag.String("repos", "", "folder of their repositories: clones or mirrors called NAME (default: that of the sessions)")
	replayMost  = flag.Int("most", 0, "sessions of each repository, spread evenly; 0: all")
	replayOnly  = flag.String("only", "", "replay only the repository of that name")
	replayTexts = flag.String("texts", "", "file to which every text that was said is appended")
	replaySet   = flag.String("set", "", "settings, as AOA_KEY=value separated by spaces")
)

// TestReplaySessions replays recorded sessions through the real hook client, as Claude Code would have run it, against
// a clone that stands at the commit of the moment and a daemon whose clock is the recorded one. It measures and judges
// nothing; make replay SESSIONS=DIR REPOS=DIR prints what docs/evaluation.md explains.
func TestReplaySessions(t *testing.T) {
	if *sessionsDir == "" {
		t.Skip("give -sessions DIR to measure: make replay SESSIONS=DIR")
	}
	files, err := filepath.Glob(filepath.Join(*sessionsDir, "*.jsonl.gz"))
	check(t, err)
	bin := filepath.Join(t.TempDir(), "aoa")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v: %s", err, out)
	}
	all := newTally("all repositories")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
		if strings.HasSuffix(name, ".commits") || *replayOnly != "" && *replayOnly != name {
			continue
		}
		source, ok := mirrorOf(name)
		if !ok {
			t.Logf("%s is left out: no clone of it in -repos", name)
			continue
		}
		r := newReplay(t, bin, source, name)
		r.run(file)
		r.tally.print(t)
		all.join(r.tally)
	}
	all.print(t)
}

// mirrorOf finds the repository of a recording.
func mirrorOf(name string) (string, bool) {
	dir := *reposDir
	if dir == "" {
		dir = *sessionsDir
	}
	for _, place := range []string{name, name + ".git", name + "/repo"} {
		if out, err := exec.Command("git", "-C", filepath.Join(dir, place), "rev-parse", "HEAD").Output(); err == nil && len(out) > 0 {
			return filepath.Join(dir, place), true
		}
	}
	return "", false
}

// replay is one repository with a daemon in this process.
type replay struct {
	*testing.T
	bin, dir string
	env      []string
	place    locate.Place
	tally    *tally

	mu   sync.Mutex // guards the clock
	base time.Time  // recorded time …
	set  time.Time  // … as of this moment

	commits []pastCommit
	head    int // of commits, -1: before the first
	ticked  time.Time
	turns   map[string]int
	seen    map[string]bool
	edited  map[string]time.Time // files that a session changed and nobody has committed yet
}

type pastCommit struct {
	id string
	at time.Time
}

func newReplay(t *testing.T, bin, source, name string) *replay {
	t.Helper()
	top, err := os.MkdirTemp("", "aoa") // a short name: the socket lies in it
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	r := &replay{T: t, bin: bin, dir: filepath.Join(top, "r"), tally: newTally(name), head: -1, turns: map[string]int{},
		seen: map[string]bool{}, edited: map[string]time.Time{}}
	r.env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + top,
		"XDG_CONFIG_HOME=" + top + "/c", "XDG_STATE_HOME=" + top + "/s",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "AOA_IDLE_TIMEOUT=0",
		"AOA_WATCH=off"}, strings.Fields(*replaySet)...)
	if out, err := exec.Command("git", "clone", "-q", "--shared", "--no-checkout", source, r.dir).CombinedOutput(); err != nil {
		t.Fatalf("clone: %v: %s", err, out)
	}
	r.git("remote", "remove", "origin") // what is reachable from there would be known too early
	for line := range strings.Lines(r.git("log", "--first-parent", "--format=%H %ct", "--reverse", "HEAD")) {
		id, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		check(t, err)
		r.commits = append(r.commits, pastCommit{id, time.Unix(seconds, 0)})
	}
	return r
}

func (r *replay) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
	cmd.Env = r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v: %.300s", args, err, out)
	}
	return string(out)
}

// now is the recorded time, going on as real time does.
func (r *replay) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base.Add(time.Since(r.set))
}

// move sets the clock. It never goes back: what took longer than recorded makes the rest a little later.
func (r *replay) move(to time.Time) {
	if now := r.now(); to.Before(now) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.set = to, time.Now()
}

// run replays a file.
func (r *replay) run(file string) {
	r.Helper()
	batches, sessions := readRecorded(r.T, file, r.dir, *replayMost)
	if len(batches) == 0 {
		return
	}
	r.tally.sessions = sessions
	r.tally.follow(batches)
	r.base, r.set = batches[0].at.Add(-time.Minute), time.Now()
	r.stand(batches[0].at.Add(-time.Minute), false)
	stop := r.daemon()
	left := map[string]int{}
	for _, b := range batches {
		left[b.session]++
	}
	for _, b := range batches {
		r.move(b.at)
		r.stand(b.at, true)
		r.tick(b.at)
		r.batch(b)
		if left[b.session]--; left[b.session] == 0 {
			end := b.base(r.dir, "SessionEnd", r.turns[b.session])
			end["reason"] = "other"
			r.hook(end)
		}
	}
	r.settle()
	stats, err := api.Call(r.Context(), r.client(), api.Stats, api.StatsRequest{Table: "kinds"})
	check(r.T, err)
	r.tally.kinds = stats.Kinds
	stop()
}

// batch runs the hooks of what happened at once.
func (r *replay) batch(b recordedBatch) {
	if !r.seen[b.session] {
		r.seen[b.session] = true
		start := b.base(r.dir, "SessionStart", 0)
		start["source"] = "startup"
		delete(start, "agent_id")
		r.hook(start)
	}
	if b.prompt != nil {
		r.turns[b.session]++
	}
	for _, p := range b.hooks(r.dir, r.turns[b.session]) {
		r.tally.answer(b, p, r.hook(p))
	}
	for _, c := range b.calls { // what the session wrote is new to the others
		if !c.fails && (c.name == "Edit" || c.name == "Write") {
			r.edit(c.input["file_path"].(string), b.at)
			r.edited[c.row.Path] = b.at
		}
	}
}

// edit leaves a change that is not committed, until a commit of the record takes the file over. What was really written is
// not on record: a line is added.
func (r *replay) edit(file string, at time.Time) {
	_ = os.MkdirAll(filepath.Dir(file), 0o700)
	if f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString("\n")
		_ = f.Close()
		_ = os.Chtimes(file, at, at)
	}
}

// hook runs the client and returns what the model gets.
func (r *replay) hook(p payload) string {
	r.Helper()
	raw, err := json.Marshal(p)
	check(r.T, err)
	cmd := exec.Command(r.bin, "hook", "claude")
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = r.dir, r.env, bytes.NewReader(raw), &out
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		r.Fatalf("the hook client failed, which it never may: %v", err)
	}
	r.tally.took(p["hook_event_name"].(string), time.Since(begin))
	var said struct {
		Output struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if out.Len() > 0 {
		check(r.T, json.Unmarshal(out.Bytes(), &said))
	}
	r.tally.spoke(p, said.Output.Text)
	r.write(p, said.Output.Text)
	return said.Output.Text
}

// write appends a text to the file of texts, for reading by eye.
func (r *replay) write(p payload, text string) {
	if *replayTexts == "" || text == "" {
		return
	}
	f, err := os.OpenFile(*replayTexts, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(r.T, err)
	defer f.Close()
	fmt.Fprintf(f, "## %s, %s, session %s\n", r.tally.name, p["hook_event_name"], p["session_id"])
	if prompt, ok := p["prompt"]; ok {
		fmt.Fprintf(f, "> %.300q\n", prompt)
	}
	fmt.Fprintf(f, "%s\n\n", text)
}

// stand moves HEAD and the files to the newest commit of that time.
func (r *replay) stand(at time.Time, tell bool) {
	r.Helper()
	to := sort.Search(len(r.commits), func(i int) bool { return r.commits[i].at.After(at) }) - 1
	if to = max(to, 0); to <= r.head {
		return
	}
	before := r.head
	r.head = to
	r.checkout(before, to)
	if !tell {
		return
	}
	cmd := exec.Command(r.bin, "hook", "git", "post-merge")
	cmd.Dir, cmd.Env = r.dir, r.env
	check(r.T, cmd.Run())
	r.learned()
}

// checkout makes index and files those of a commit, with its time. A mirror may lack the largest files: they are left out.
func (r *replay) checkout(from, to int) {
	r.Helper()
	id, at := r.commits[to].id, r.commits[to].at
	r.git("update-ref", "HEAD", id)
	r.git("read-tree", id)
	list := []string{"ls-files", "-z"}
	if from >= 0 {
		list = []string{"diff", "--name-only", "-z", "--no-renames", r.commits[from].id, id}
	}
	names := r.git(list...)
	cmd := exec.Command("git", "-C", r.dir, "checkout-index", "-q", "-f", "-z", "--stdin")
	cmd.Env, cmd.Stdin = r.env, strings.NewReader(names)
	_ = cmd.Run() // it goes on past what it cannot write
	kept := map[string]bool{}
	for f := range strings.SplitSeq(r.git("ls-files", "-z"), "\x00") {
		kept[f] = true
	}
	for f := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		file := filepath.Join(r.dir, filepath.FromSlash(f))
		if !kept[f] && f != "" {
			_ = os.Remove(file)
			continue
		}
		when := at
		if own, ok := r.edited[f]; ok { // committing what stands there changes no file
			when = own
			delete(r.edited, f)
		}
		_ = os.Chtimes(file, when, when) // one that is lacking has no time
	}
}

// learned waits until the history is.
func (r *replay) learned() {
	r.Helper()
	want, err := strconv.ParseInt(strings.TrimSpace(r.git("rev-list", "--count", "--no-merges", "HEAD")), 10, 64)
	check(r.T, err)
	if !fault.Within(3*time.Second, func() bool { // a history that is counted otherwise is no reason to stop
		st, err := api.Call(r.Context(), r.client(), api.Status, api.None{})
		return err == nil && st.Import.State == "done" && st.Commits >= want
	}) {
		r.tally.late++
	}
}

// tick is the cron's, by the recorded clock.
func (r *replay) tick(at time.Time) {
	r.Helper()
	hour := at.UTC().Truncate(time.Hour)
	if !hour.After(r.ticked) {
		return
	}
	r.ticked = hour
	_, err := api.Call(r.Context(), r.client(), api.Events,
		[]event.Event{{ID: fmt.Sprintf("tick:%d", hour.Unix()), Time: hour, Kind: event.KindTick, Agent: "cron"}})
	check(r.T, err)
}

// settle ends what still waits for an outcome.
func (r *replay) settle() {
	r.Helper()
	r.move(r.now().Add(3 * time.Hour))
	r.tick(r.now())
	for range 3 { // each question waits for what came before it
		_, err := api.Call(r.Context(), r.client(), api.Stats, api.StatsRequest{Table: "kinds"})
		check(r.T, err)
	}
}

func (r *replay) client() *api.Client { return &api.Client{Place: r.place, Dir: r.dir} }

// daemon starts one in this process, with the recorded clock, and waits for the history.
func (r *replay) daemon() (stop func()) {
	r.Helper()
	repo, err := watcher.OpenRepo(r.Context(), r.dir, r.env)
	check(r.T, err)
	r.place, err = locate.Create(repo.CommonDir, config.Lookup(r.env))
	check(r.T, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	ready, done := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		done <- daemon.Run(ctx, daemon.Options{Repo: repo, Place: r.place, Env: r.env, Version: "replay", Build: "replay",
			Log: slog.New(slog.NewTextHandler(r.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), Now: r.now,
			Ready: func() { once.Do(func() { close(ready) }) }})
	}()
	select {
	case <-ready:
	case err := <-done:
		cancel()
		r.Fatalf("run: %v", err)
	}
	fault.Until(r, patient, "the history is learned", func() bool {
		st, err := api.Call(r.Context(), r.client(), api.Status, api.None{})
		return err == nil && st.Import.State == "done"
	})
	return func() {
		cancel()
		check(r.T, <-done)
	}
}
