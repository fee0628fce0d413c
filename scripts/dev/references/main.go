// Command references measures broken references on the histories of clones: it takes the newest
// commits that remove or rename a name and mend its users, leaves each mended file out in turn, and
// counts how often the file is named (recall), and what is named of complete commits (false, unless
// a later commit mends that very line).
//
//	go run ./scripts/dev/references -commits 400 CLONE…
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/watcher"
)

// Limits: how many commits are asked about, and how many later ones may mend what one breaks.
const (
	mostFiles = 60
	later     = 50
)

func main() {
	commits := flag.Int("commits", 400, "newest commits of each clone, merges as their difference to the first parent")
	verbose := flag.Bool("v", false, "print what is named of complete commits, and what is missed")
	flag.Parse()
	log.SetFlags(0)
	debug.SetGCPercent(200)
	fmt.Println("| repository | commits | files left out | named | recall | recall, all at once | complete, something named " +
		"| mended later | false |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	var sum tally
	for _, dir := range flag.Args() {
		h, err := read(context.Background(), dir, *commits)
		if err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
		h.verbose = *verbose
		if err := h.measure(); err != nil {
			log.Fatalf("%s: %v", dir, err)
		}
		h.print(h.name)
		sum.add(h.tally)
	}
	sum.print("all")
}

type tally struct {
	commits, spoke, mended int
	one, every             found // each file left out by itself, and all of a commit at once
}

// found counts files that were left out of commits, and those of them that the check names.
type found struct{ out, named int }

func (f *found) add(o found) { f.out, f.named = f.out+o.out, f.named+o.named }

func (f found) share() float64 { return float64(f.named) / float64(max(1, f.out)) }

func (t *tally) add(o tally) {
	t.commits, t.spoke, t.mended = t.commits+o.commits, t.spoke+o.spoke, t.mended+o.mended
	t.one.add(o.one)
	t.every.add(o.every)
}

func (t *tally) print(name string) {
	fmt.Printf("| %s | %d | %d | %d | %.2f | %.2f | %d | %d | %d (1 in %.0f) |\n", name, t.commits, t.one.out, t.one.named,
		t.one.share(), t.every.share(), t.spoke, t.mended, t.spoke-t.mended, float64(t.commits)/float64(max(1, t.spoke-t.mended)))
}

// history replays the newest commits of a clone, first parents only.
type history struct {
	tally
	name    string
	blobs   *git.Blobs
	commits []watcher.Commit // the commits, oldest first
	held    map[event.Path]string
	world   index.World
	verbose bool
}

func read(ctx context.Context, dir string, most int) (*history, error) {
	for _, sub := range []string{"", "repo"} {
		if _, err := os.Stat(filepath.Join(dir, sub, "HEAD")); err == nil {
			dir = filepath.Join(dir, sub)
			break
		}
	}
	program := git.Find(os.Environ())
	name := filepath.Base(strings.TrimSuffix(dir, "/repo"))
	h := &history{name: strings.ReplaceAll(name, "+", "/"), held: map[event.Path]string{}}
	stop := fmt.Errorf("enough")
	err := watcher.ReadLog(ctx, program, dir, watcher.LogOptions{From: []string{"HEAD"},
		Args: []string{"--no-max-parents", "--first-parent", "--diff-merges=first-parent"}},
		func(c *watcher.Commit) error {
			kept := *c
			kept.Files = slices.Clone(c.Files)
			if h.commits = append(h.commits, kept); len(h.commits) > most {
				return stop
			}
			return nil
		})
	if err != nil && err != stop {
		return nil, err
	}
	slices.Reverse(h.commits)
	out, err := program.Run(ctx, dir, "ls-tree", "-r", "-z", h.commits[0].ID)
	if err != nil {
		return nil, err
	}
	h.commits = h.commits[1:]
	if h.blobs, err = program.Blobs(ctx, dir); err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(out), "\x00") {
		mode, file, found := strings.Cut(line, "\t")
		part := strings.Fields(mode)
		if p, err := event.NewPath(file); err == nil && found && part[1] == "blob" {
			h.held[p] = part[2]
		}
	}
	h.world = index.World{Tree: index.NewTree(nil), Contents: index.NewContents(), Text: h.text}
	for p := range h.held {
		h.world.Tree.Add(p)
		if err := h.set(p, h.text(p)); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *history) set(p event.Path, text []byte) error {
	if text == nil {
		h.world.Contents.Remove(p)
		return nil
	}
	h.world.Contents.Set(p, text)
	return nil
}

func (h *history) text(p event.Path) []byte { return h.blob(h.held[p]) }

func (h *history) blob(oid string) []byte {
	if oid == "" {
		return nil
	}
	data, err := h.blobs.Read(oid, index.MaxEdited)
	if err != nil && err != git.ErrNoBlob {
		log.Fatal(err)
	}
	return data
}

// file is a file of a commit.
type file struct {
	event.Path
	old           string // the id of its content before
	before, after []byte
}

// apply makes a commit the present, and returns it as a change.
func (h *history) apply(c watcher.Commit) (change []index.Changed, all []file) {
	for _, f := range c.Files {
		x := file{Path: f.Path, old: h.held[f.Path], before: h.text(f.Path)}
		if f.Status == 'D' {
			delete(h.held, f.Path)
			h.world.Tree.Remove(f.Path)
			h.world.Contents.Remove(f.Path)
		} else {
			h.held[f.Path] = f.Blob
			h.world.Tree.Add(f.Path)
			if x.after = h.text(f.Path); x.after == nil { // the file is too large, and tells nothing about the earlier one
				x.before, x.after = nil, []byte{}
			}
			h.world.Contents.Set(f.Path, x.after)
		}
		change, all = append(change, index.Compare(f.Path, x.before, x.after)), append(all, x)
	}
	return change, all
}

func (h *history) measure() error {
	for i, c := range h.commits {
		change, files := h.apply(c)
		if len(change) > mostFiles || len(change) == 0 {
			continue
		}
		h.tally.commits++
		if all, _ := h.world.BrokenBy(change); len(all) > 0 {
			h.spoke++
			mended := 0
			for _, b := range all {
				if h.mends(i, b) {
					mended++
				}
			}
			if mended > 0 {
				h.mended++
			}
			for _, b := range all {
				h.say("complete %s (%d of %d mended later) %s:%d: %s\n\t%s, removed in %s: %s", c.ID[:10], mended, len(all),
					b.File, b.Line, b.Text, b.Name, b.In, c.Subject)
			}
		}
		h.leaveOut(c, change, files)
	}
	return nil
}

// leaveOut asks once for each file in which a commit mends a use, without that file, and once without
// all of them.
func (h *history) leaveOut(c watcher.Commit, change []index.Changed, files []file) {
	var mending []int
	for i := range files {
		if files[i].before != nil && files[i].after != nil && h.world.Mends(change[i], slices.Delete(slices.Clone(change), i, i+1)) != "" {
			mending = append(mending, i)
			h.without(c, change, files, []int{i}, &h.one)
		}
	}
	if len(mending) > 0 {
		h.without(c, change, files, mending, &h.every)
	}
}

// without counts the files that the check names if a commit is made without them.
func (h *history) without(c watcher.Commit, change []index.Changed, files []file, out []int, n *found) {
	var rest []index.Changed
	for i := range change {
		if !slices.Contains(out, i) {
			rest = append(rest, change[i])
		}
	}
	now := map[event.Path]string{}
	for _, i := range out {
		now[files[i].Path] = h.held[files[i].Path]
		h.held[files[i].Path] = files[i].old
		h.world.Contents.Set(files[i].Path, files[i].before)
	}
	all, _ := h.world.BrokenBy(rest)
	for _, i := range out {
		name := h.world.Mends(change[i], rest)
		if name == "" {
			continue
		}
		n.out++
		if slices.ContainsFunc(all, func(b index.Broken) bool { return b.File == files[i].Path }) {
			n.named++
		} else {
			h.say("missed %s %s uses %s, %d left out", c.ID[:10], files[i].Path, name, len(out))
		}
	}
	for _, i := range out {
		h.held[files[i].Path] = now[files[i].Path]
		h.world.Contents.Set(files[i].Path, files[i].after)
	}
}

func (h *history) say(format string, args ...any) {
	if h.verbose {
		fmt.Fprintf(io.Writer(os.Stderr), h.name+": "+format+"\n", args...)
	}
}

// mends reports whether one of the next commits removes the reported line from the file.
func (h *history) mends(at int, b index.Broken) bool {
	for _, c := range h.commits[at+1 : min(len(h.commits), at+1+later)] {
		for _, f := range c.Files {
			if f.Path == b.File {
				return f.Status == 'D' || !strings.Contains(string(h.blob(f.Blob)), b.Text)
			}
		}
	}
	return false
}
