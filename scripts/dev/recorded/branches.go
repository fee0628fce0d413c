package recorded

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
)

// merges match the subjects of merge commits that name the branch.
var merges = []*regexp.Regexp{
	regexp.MustCompile(`^Merge pull request #\d+ from [^/ ]+/(\S+)`),
	regexp.MustCompile(`^Merge (?:remote(?:-tracking)? )?branch '(?:origin/|upstream/)?([^']+)'`),
}

// noWork matches names of branches that are not one piece of work: main branches, release branches,
// and branches that programs make.
var noWork = regexp.MustCompile(
	`^(main|master|trunk|stable|develop|dev|next|v?[\d.x_-]+|(release|maintenance).*)$|dependabot|renovate|pre-commit-ci|greenkeeper`)

// longestBranch is the largest number of commits, without merges, that a branch may have to be
// asked about.
const longestBranch = 15

// merged is a commit of the default branch, with the commits that it merges, oldest first, and the
// name of their branch.
type merged struct {
	branch  string // "" if the commit does not merge a branch
	commits []string
}

// Branches replays a history as its default branch received it, merge by merge, and asks about at
// most n branches between the places from and to of it, in [0,1], evenly spaced: before the first
// commit of the branch, and before one later commit, which is chosen by its hash. Both are asked
// without a text (Localization.Text is "", Commits counts). The later one is also asked with its
// message, as a text about the branch. The right files are those of that commit. A branch is
// treated as if it had begun just before its merge, so its commits are the newest.
func Branches(ctx context.Context, s eval.Source, o Options, from, to float64, n int,
	each func(*Localization) error) error {
	list, err := mergesOf(ctx, s)
	if err != nil {
		return err
	}
	w, err := NewWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.Close()
	b := branchReplay{World: w, source: s, of: map[string][]event.Event{}, each: each}
	for _, e := range s.Commits {
		id := e.ID[strings.LastIndexByte(e.ID, ':')+1:]
		b.of[id] = append(b.of[id], e)
	}
	var fit []int
	for i, m := range list {
		if at := float64(i) / float64(len(list)); at >= from && at < to && m.branch != "" && len(m.commits) > 1 &&
			len(m.commits) <= longestBranch {
			fit = append(fit, i)
		}
	}
	ask := map[int]bool{}
	for k := range min(n, len(fit)) {
		ask[fit[k*len(fit)/min(n, len(fit))]] = true
	}
	for i, m := range list[:min(len(list), int(math.Ceil(to*float64(len(list)))))] {
		if err := b.merge(ctx, m, ask[i]); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
	}
	return nil
}

// mergesOf reads the commits of the default branch, oldest first.
func mergesOf(ctx context.Context, s eval.Source) ([]merged, error) {
	out, err := runGit(ctx, s.Clone.Dir, "log", "--topo-order", "--reverse", "--format=%H %P%x00%s", "HEAD")
	if err != nil {
		return nil, err
	}
	type node struct {
		subject string
		parents []string
		place   int
	}
	nodes := map[string]*node{}
	var tip string
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		ids, subject, _ := strings.Cut(lines.Text(), "\x00")
		f := strings.Fields(ids)
		tip = f[0]
		nodes[tip] = &node{subject, f[1:], len(nodes)}
	}
	var firsts []string
	for id := tip; nodes[id] != nil; id = nodes[id].parents[0] {
		if firsts = append(firsts, id); len(nodes[id].parents) == 0 {
			break
		}
	}
	slices.Reverse(firsts)
	known := map[string]bool{}
	var list []merged
	for _, id := range firsts {
		var m merged
		if n := nodes[id]; len(n.parents) == 2 {
			for _, r := range merges {
				if found := r.FindStringSubmatch(n.subject); found != nil && !noWork.MatchString(found[1]) {
					m.branch = found[1]
				}
			}
		}
		for next := []string{id}; len(next) > 0; {
			id, next = next[len(next)-1], next[:len(next)-1]
			if n := nodes[id]; n != nil && !known[id] {
				known[id] = true
				next = append(next, n.parents...)
				if len(n.parents) < 2 {
					m.commits = append(m.commits, id)
				}
			}
		}
		slices.SortFunc(m.commits, func(a, b string) int { return cmp.Compare(nodes[a].place, nodes[b].place) })
		list = append(list, m)
	}
	return list, lines.Err()
}

// branchReplay is the state of the replay of a history.
type branchReplay struct {
	*World
	source eval.Source
	of     map[string][]event.Event // the events of each commit
	now    time.Time                // time of the newest commit
	each   func(*Localization) error
}

// merge learns what a commit of the default branch brings, and asks about it.
func (b *branchReplay) merge(ctx context.Context, m merged, ask bool) error {
	drawn := 0
	if ask {
		drawn = 1 + int(m.commits[len(m.commits)-1][0])%(len(m.commits)-1)
	}
	branch := event.Branch{Name: m.branch}
	for k, id := range m.commits {
		if ask && (k == 0 || k == drawn) {
			if err := b.ask(ctx, id, branch); err != nil {
				return err
			}
		}
		branch.Commits++
		for _, e := range b.of[id] {
			if len(m.commits) > 1 && !e.Time.After(b.now) {
				e.Time = b.now.Add(time.Second)
			}
			if e.Time.After(b.now) {
				b.now = e.Time
			}
			if err := b.Learn(ctx, e); err != nil {
				return err
			}
			if e.Kind() == event.KindCommit {
				branch.Files = slices.DeleteFunc(slices.Clone(branch.Files),
					func(p event.Path) bool { return slices.Contains(e.Paths(), p) })
				branch.Files = slices.Concat(e.Paths(), branch.Files)
			}
		}
	}
	return nil
}

// ask asks about a commit of a branch before it is learned.
func (b *branchReplay) ask(ctx context.Context, id string, branch event.Branch) error {
	for _, e := range b.of[id] {
		if e.Kind() != event.KindCommit {
			continue
		}
		l := Localization{Repo: b.source.Name, ID: e.ID, Branch: branch}
		for _, p := range e.Paths() {
			if b.Tree.Has(p) {
				l.Files = append(l.Files, p)
			}
		}
		if len(l.Files) == 0 || len(l.Files) > mostMeant {
			continue
		}
		bare := l
		if err := localize(ctx, b.World, &bare, b.now.Add(time.Second), b.each); err != nil {
			return err
		}
		if branch.Commits == 0 || len(strings.Fields(e.Text())) < leastWords || dull.MatchString(e.Text()) {
			continue
		}
		text, err := message(ctx, b.source, e)
		if err != nil {
			return err
		}
		l.Text = text + "\n\n(this branch)" // Questions about other texts do not use the files of the branch.
		if err := localize(ctx, b.World, &l, b.now.Add(time.Second), b.each); err != nil {
			return err
		}
	}
	return nil
}
