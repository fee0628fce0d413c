package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
)

// replay plays the sessions of one repository to the real hook client, with a clone whose HEAD is
// the commit of that time and a daemon in this process whose clock is the recorded one. It measures
// and judges nothing.
type replay struct {
	*site
	bin, texts string
	tally      *tally

	mu   sync.Mutex // guards the clock
	base time.Time  // recorded time …
	set  time.Time  // … at this moment of real time

	commits []pastCommit
	head    int // index of the newest commit in the clone, in commits; -1 before the first
	ticked  time.Time
	turns   map[string]int
	seen    map[string]bool
	edited  map[string]time.Time // files that a session changed and that are not committed yet
}

type pastCommit struct {
	id string
	at time.Time
}

func newReplay(s *site, bin, name, texts string) *replay {
	return &replay{site: s, bin: bin, texts: texts, tally: newTally(name), head: -1, turns: map[string]int{},
		seen:   map[string]bool{},
		edited: map[string]time.Time{}}
}

// readCommits lists the first parents of HEAD, oldest first.
func (r *replay) readCommits(ctx context.Context) error {
	log, err := r.git(ctx, "log", "--first-parent", "--format=%H %ct", "--reverse", "HEAD")
	if err != nil {
		return err
	}
	for line := range strings.Lines(log) {
		id, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return err
		}
		r.commits = append(r.commits, pastCommit{id, time.Unix(seconds, 0)})
	}
	return nil
}

// now returns the recorded time, which proceeds like real time.
func (r *replay) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base.Add(time.Since(r.set))
}

// move sets the clock. It never goes back: if something took longer than recorded, everything after
// it is a little later.
func (r *replay) move(to time.Time) {
	if now := r.now(); to.Before(now) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base, r.set = to, time.Now()
}

// run replays a file.
func (r *replay) run(ctx context.Context, file string, most int) error {
	batches, sessions, err := readBatches(file, r.dir, most)
	if err != nil || len(batches) == 0 {
		return err
	}
	if err := r.readCommits(ctx); err != nil {
		return err
	}
	r.tally.sessions = sessions
	begin := batches[0].at.Add(-time.Minute)
	r.base, r.set = begin, time.Now()
	if err := r.stand(ctx, begin, false); err != nil {
		return err
	}
	ended, stop := r.daemon(ctx)
	err = r.replay(ctx, batches)
	stop()
	if failed := <-ended; err == nil {
		err = failed
	}
	return err
}

// replay gives all batches to the daemon, which runs.
func (r *replay) replay(ctx context.Context, batches []batch) error {
	if !r.learned(ctx, patient, 0) {
		return fmt.Errorf("the history is not learned within %s", patient)
	}
	left := map[string]int{}
	for _, b := range batches {
		left[b.session]++
	}
	for _, b := range batches {
		r.move(b.at)
		if err := r.stand(ctx, b.at, true); err != nil {
			return err
		}
		if err := r.tick(ctx, b.at); err != nil {
			return err
		}
		if err := r.batch(ctx, b); err != nil {
			return err
		}
		if left[b.session]--; left[b.session] == 0 {
			end := b.base(r.dir, "SessionEnd", r.turns[b.session])
			end["reason"] = "other"
			if err := r.hook(ctx, end); err != nil {
				return err
			}
		}
	}
	return r.count(ctx)
}

// batch runs the hooks of what happened at once.
func (r *replay) batch(ctx context.Context, b batch) error {
	if !r.seen[b.session] {
		r.seen[b.session] = true
		if err := r.hook(ctx, b.start(r.dir)); err != nil {
			return err
		}
	}
	if b.prompt != nil {
		r.turns[b.session]++
	}
	for _, p := range b.hooks(r.dir, r.turns[b.session]) {
		if err := r.hook(ctx, p); err != nil {
			return err
		}
	}
	for _, c := range b.calls { // The other sessions do not know what this session wrote.
		if !c.fails && (c.name == "Edit" || c.name == "Write") {
			r.edit(c.input["file_path"].(string), b.at)
			r.edited[c.row.Path] = b.at
		}
	}
	return nil
}

// edit leaves an uncommitted change until a commit of the recording contains the file. The real
// text is not recorded, so a line is added.
func (r *replay) edit(file string, at time.Time) {
	_ = os.MkdirAll(filepath.Dir(file), 0o700)
	if f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString("\n")
		_ = f.Close()
		_ = os.Chtimes(file, at, at)
	}
}

// hook runs the client and counts what the model gets.
func (r *replay) hook(ctx context.Context, p payload) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, r.bin, "hook", "claude")
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = r.dir, r.env, bytes.NewReader(raw), &out
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the hook client failed, which it never may: %w", err)
	}
	r.tally.took(p["hook_event_name"].(string), time.Since(begin))
	var said struct {
		Output struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &said); err != nil {
			return err
		}
	}
	r.tally.spoke(p, said.Output.Text)
	return r.write(p, said.Output.Text)
}

// write appends a text to the file of texts, which people read.
func (r *replay) write(p payload, text string) error {
	if r.texts == "" || text == "" {
		return nil
	}
	f, err := os.OpenFile(r.texts, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(f, "## %s, %s, session %s\n", r.tally.name, p["hook_event_name"], p["session_id"])
	if prompt, ok := p["prompt"]; ok {
		fmt.Fprintf(f, "> %.300q\n", prompt)
	}
	_, err = fmt.Fprintf(f, "%s\n\n", text)
	return err
}

// stand moves HEAD and the files to the newest commit at the recorded time, and tells the daemon.
func (r *replay) stand(ctx context.Context, at time.Time, tell bool) error {
	to := sort.Search(len(r.commits), func(i int) bool { return r.commits[i].at.After(at) }) - 1
	if to = max(to, 0); to <= r.head {
		return nil
	}
	before := r.head
	r.head = to
	if err := r.checkout(ctx, before, to); err != nil || !tell {
		return err
	}
	cmd := exec.CommandContext(ctx, r.bin, "hook", "git", "post-merge")
	cmd.Dir, cmd.Env = r.dir, r.env
	if err := cmd.Run(); err != nil {
		return err
	}
	n, err := r.git(ctx, "rev-list", "--count", "--no-merges", "HEAD")
	if err != nil {
		return err
	}
	want, err := strconv.ParseInt(strings.TrimSpace(n), 10, 64)
	if err != nil {
		return err
	}
	if !r.learned(ctx, 3*time.Second, want) { // A difference in the number of commits is not a reason to stop.
		r.tally.late++
	}
	return nil
}

// checkout sets the index and the files to those of a commit, with its time. A mirror may lack the
// largest files; they are left out.
func (r *replay) checkout(ctx context.Context, from, to int) error {
	id, at := r.commits[to].id, r.commits[to].at
	list := []string{"ls-files", "-z"}
	if from >= 0 {
		list = []string{"diff", "--name-only", "-z", "--no-renames", r.commits[from].id, id}
	}
	var names, tracked string
	for _, step := range []struct {
		args []string
		out  *string
	}{{args: []string{"update-ref", "HEAD", id}}, {args: []string{"read-tree", id}}, {list,
		&names}, {[]string{"ls-files", "-z"}, &tracked}} {
		out, err := r.git(ctx, step.args...)
		if err != nil {
			return err
		}
		if step.out != nil {
			*step.out = out
		}
	}
	cmd := exec.CommandContext(ctx, "git", "-C", r.dir, "checkout-index", "-q", "-f", "-z", "--stdin")
	cmd.Env, cmd.Stdin = r.env, strings.NewReader(names)
	_ = cmd.Run() // git checkout-index skips files that it cannot write.
	kept := map[string]bool{}
	for f := range strings.SplitSeq(tracked, "\x00") {
		kept[f] = true
	}
	for f := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		file := filepath.Join(r.dir, filepath.FromSlash(f))
		if !kept[f] && f != "" {
			_ = os.Remove(file)
			continue
		}
		when := at
		if own, ok := r.edited[f]; ok { // The commit contains exactly the present files, so it changes none.
			when = own
			delete(r.edited, f)
		}
		_ = os.Chtimes(file, when, when) // A file that is missing has no time.
	}
	return nil
}

// tick runs the daemon's hourly job at the recorded time.
func (r *replay) tick(ctx context.Context, at time.Time) error {
	hour := at.UTC().Truncate(time.Hour)
	if !hour.After(r.ticked) {
		return nil
	}
	r.ticked = hour
	return tick(ctx, r.site, hour)
}

func tick(ctx context.Context, s *site, at time.Time) error {
	_, err := api.Call(ctx, s.client(), api.Events,
		[]event.Event{{ID: fmt.Sprintf("tick:%d", at.Unix()), Time: at, Agent: "cron", Body: event.Tick{}}})
	return err
}

// count gives the hints that still wait for an outcome one, and asks for all outcomes.
func (r *replay) count(ctx context.Context) error {
	r.move(r.now().Add(3 * time.Hour))
	if err := r.tick(ctx, r.now()); err != nil {
		return err
	}
	for range 4 { // Each question waits for the events before it.
		stats, err := api.Call(ctx, r.client(), api.Stats, api.StatsRequest{Table: "hints"})
		if err != nil {
			return err
		}
		r.tally.hints = stats.Hints
	}
	return nil
}

// daemon starts a daemon in this process, with the recorded clock. stop stops it, and ended
// receives its result.
func (r *replay) daemon(ctx context.Context) (ended <-chan error, stop func()) {
	ctx, stop = context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- r.serve(ctx, r.now, func() {}) }()
	return done, stop
}
