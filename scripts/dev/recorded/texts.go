package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/rank"
)

// Localization is a question about one text, with its answer. It is valid only during the call.
type Localization struct {
	Repo   string
	ID     string // id of the commit, or of the instance
	Base   string // the commit at which the text was asked
	Text   string
	Branch event.Branch // the branch on which it was asked; see Branches
	Files  []event.Path // the files that the text means
	Fits   []rank.TextFit
	Meant  func(event.Path) bool // reports whether the text can mean a file of this kind; see rank.Ranker.Meant
	Ranked []rank.Scored
	First  func() ([]rank.Scored, error) // asks the same as the first prompt of a session
}

// Limits for the commits whose messages are asked about.
const (
	mostMeant   = 6 // largest number of files that existed before
	leastWords  = 3 // least number of words in the subject
	longestBody = 4000
)

// trailer matches the last lines of a message that are not prose.
var trailer = regexp.MustCompile(
	`(?im)^(co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|cc|fixes|closes|refs?|change-id|pull request|pr-url|reviewed-on|cherry picked|\(cherry picked)[: ].*$`)

// dull matches subjects that do not tell which files changed.
var dull = regexp.MustCompile(
	`(?i)^(merge|revert|release|bump|version|v?\d+\.\d+|update (dependenc|deps|changelog|lock)|prepare (for )?(release|v?\d)|chore\((deps|release)|build\(deps|\[?pre-commit|lint|format|typo)`)

// message returns the text of a commit: its subject and, without trailers, its body.
func message(ctx context.Context, s eval.Source, e event.Event) (string, error) {
	raw, err := runGit(ctx, s.Clone.Dir, "log", "-1", "--format=%b", strings.TrimPrefix(e.ID, "commit:"))
	body := strings.TrimSpace(trailer.ReplaceAllString(string(raw), ""))
	if len(body) > longestBody {
		body = body[:longestBody]
	}
	if body == "" {
		return e.Text(), err
	}
	return e.Text() + "\n\n" + body, err
}

// Subjects replays a history without sessions and asks which files the messages of its commits
// mean, each before it is learned. It asks about at most n commits between the places from and to
// of the history, in [0,1], evenly spaced.
func Subjects(ctx context.Context, s eval.Source, o Options, from, to float64, n int,
	each func(*Localization) error) error {
	w, err := NewWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.Close()
	var fit []int
	for i, e := range s.Commits {
		if part := float64(i) / float64(len(s.Commits)); e.Kind() != event.KindCommit || part < from || part >= to {
			continue
		}
		if len(e.Paths()) >= 1 && len(e.Paths()) <= 3*mostMeant && len(strings.Fields(e.Text())) >= leastWords &&
			!dull.MatchString(e.Text()) {
			fit = append(fit, i)
		}
	}
	ask := map[int]bool{}
	for k := range min(n, len(fit)) {
		ask[fit[k*len(fit)/min(n, len(fit))]] = true
	}
	for i, e := range s.Commits {
		if err := ctx.Err(); err != nil {
			return err
		}
		if float64(i) >= to*float64(len(s.Commits)) {
			break
		}
		if ask[i] {
			l := &Localization{Repo: s.Name, ID: e.ID, Base: strings.TrimPrefix(e.ID, "commit:") + "^"}
			if l.Text, err = message(ctx, s, e); err != nil {
				return err
			}
			for _, p := range e.Paths() {
				if w.Tree.Has(p) {
					l.Files = append(l.Files, p)
				}
			}
			if len(l.Files) > 0 && len(l.Files) <= mostMeant {
				if err := localize(ctx, w, l, e.Time, each); err != nil {
					return fmt.Errorf("evaluate %s: %w", s.Name, err)
				}
			}
		}
		if err := w.Learn(ctx, e); err != nil {
			return fmt.Errorf("evaluate %s: %w", s.Name, err)
		}
	}
	return nil
}

// localize asks about one text outside of sessions.
func localize(ctx context.Context, w *World, l *Localization, at time.Time, each func(*Localization) error) error {
	ranking, err := w.Ask(ctx, event.Query{Prompt: l.Text, Branch: l.Branch, At: at})
	if err != nil {
		return err
	}
	l.Ranked = ranking.Files
	l.Fits, l.Meant = w.Ranker.Fits(l.Text), w.Ranker.Meant(l.Text)
	l.First = func() ([]rank.Scored, error) {
		q := FirstPrompt(l.Text, at)
		q.Branch = l.Branch
		first, err := w.Ask(ctx, q)
		if err != nil {
			return nil, err
		}
		return first.Files, nil
	}
	return each(l)
}

// FirstPrompt returns the question at the first prompt of a session.
func FirstPrompt(text string, at time.Time) event.Query {
	return event.Query{Task: event.TaskPrompt, Session: "first", Prompt: text, At: at}
}

// Instance is a text whose files are known, at a commit.
type Instance struct {
	ID    string   `json:"id"`
	Repo  string   `json:"repo"`
	Base  string   `json:"base"`
	Text  string   `json:"text"`
	Files []string `json:"files"`
}

// Instances reads a file of instances, one JSON object a line, gzip or not.
func Instances(name string) (out []Instance, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	for d := json.NewDecoder(in); ; {
		var i Instance
		switch err := d.Decode(&i); err {
		case nil:
			out = append(out, i)
		case io.EOF:
			return out, nil
		default:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
}

// Localize asks which files texts mean: each at its commit, with the files of that commit and the
// history before it.
func Localize(ctx context.Context, s eval.Source, instances []Instance, o Options,
	each func(*Localization) error) error {
	w, err := NewWorld(ctx, s, o)
	if err != nil {
		return err
	}
	defer w.Close()
	type placed struct {
		Instance
		at time.Time
	}
	var order []placed
	for _, i := range instances {
		at, err := commitTime(ctx, s.Clone.Dir, i.Base)
		if err != nil {
			return err
		}
		order = append(order, placed{i, at})
	}
	slices.SortStableFunc(order, func(a, b placed) int { return a.at.Compare(b.at) })
	next := 0
	for _, i := range order {
		for ; next < len(s.Commits) && !s.Commits[next].Time.After(i.at); next++ {
			if err := w.Learn(ctx, s.Commits[next]); err != nil {
				return err
			}
		}
		files, err := FilesOf(ctx, s.Clone.Dir, i.Base)
		if err != nil {
			return err
		}
		w.Checkout(files)
		l := &Localization{Repo: s.Name, ID: i.ID, Text: i.Text, Base: i.Base}
		for _, f := range i.Files {
			l.Files = append(l.Files, event.Path(f))
		}
		if err := localize(ctx, w, l, i.at.Add(time.Minute), each); err != nil {
			return fmt.Errorf("evaluate %s: %w", i.ID, err)
		}
	}
	return nil
}

func commitTime(ctx context.Context, clone, sha string) (time.Time, error) {
	out, err := runGit(ctx, clone, "log", "-1", "--format=%ct", sha)
	if err != nil {
		return time.Time{}, err
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &seconds); err != nil {
		return time.Time{}, err
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func runGit(ctx context.Context, clone string, args ...string) ([]byte, error) {
	out, err := git.Find(os.Environ()).Run(ctx, clone, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", clone, err)
	}
	return out, nil
}

// FilesOf returns the files of a commit, with the id of the object of each.
func FilesOf(ctx context.Context, clone, sha string) (map[event.Path]string, error) {
	out, err := runGit(ctx, clone, "ls-tree", "-r", "-z", sha)
	if err != nil {
		return nil, err
	}
	files := map[event.Path]string{}
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		head, name, found := strings.Cut(string(entry), "\t")
		f := strings.Fields(head)
		if p, err := event.NewPath(name); found && err == nil && len(f) == 3 && f[1] == "blob" {
			files[p] = f[2]
		}
	}
	return files, nil
}
