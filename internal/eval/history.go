package eval

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/config"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// commit is one commit of a history with the names that its files had at the time, and what they held.
type commit struct {
	sha   string
	event event.Event // Paths, Gone
	body  string      // of the message, behind its subject
	moved event.Event // From → Paths; no Paths if nothing was renamed
	blobs []blob
}

// blob is what a file held from a commit on.
type blob struct {
	path event.Path
	oid  string
}

var errHistory = errors.New("git log printed what its documentation does not know")

// history reads the commits of a repository that are not merges, oldest first by committer time, with the names of
// their time: the importer of the daemon knows today's names, which a replay must not. excluded files are left out.
//
// Renames with changes need contents: where those were not fetched (a partial clone), only exact renames are known.
func history(ctx context.Context, dir string, env []string, excluded func(event.Path) bool) ([]commit, error) {
	commits, err := historyWith(ctx, dir, env, excluded, "-M")
	var failed *exec.ExitError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return historyWith(ctx, dir, env, excluded, "-M100%")
	}
	return commits, err
}

func historyWith(ctx context.Context, dir string, env []string, excluded func(event.Path) bool, renames string) ([]commit, error) {
	cmd, err := config.FindGit(env).Command(ctx, dir, "log", "--reverse", "--no-merges", "--raw", "--no-abbrev",
		renames, "-z", "--format=%x01%H%x00%ct%x00%s%x00%b", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", dir, err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", dir, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("read history of %s: %w", dir, err)
	}
	commits, err := decodeHistory(out, excluded)
	if err != nil {
		_, _ = io.Copy(io.Discard, out)
	}
	if werr := cmd.Wait(); werr != nil {
		err = fmt.Errorf("%w: %s", werr, strings.TrimSpace(said.String()))
	}
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", dir, err)
	}
	slices.SortStableFunc(commits, func(a, b commit) int { return a.event.Time.Compare(b.event.Time) })
	return commits, nil
}

// decodeHistory reads what git log prints for history.
func decodeHistory(in io.Reader, excluded func(event.Path) bool) ([]commit, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	var out []commit
	for {
		token, err := next(r)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		switch sha, begins := strings.CutPrefix(token, "\x01"); {
		case begins:
			c, err := head(r, sha)
			if err != nil {
				return out, err
			}
			out = append(out, c)
		case strings.HasPrefix(token, ":") && len(out) > 0:
			if err := out[len(out)-1].entry(r, token, excluded); err != nil {
				return out, err
			}
		case token != "":
			return out, fmt.Errorf("%w: %.40q", errHistory, token)
		}
	}
}

// next reads to the next NUL.
func next(r *bufio.Reader) (string, error) {
	s, err := r.ReadString(0)
	if err == io.EOF && strings.Trim(s, "\n") != "" {
		err = io.ErrUnexpectedEOF
	}
	return strings.TrimPrefix(strings.TrimSuffix(s, "\x00"), "\n"), err
}

func head(r *bufio.Reader, sha string) (commit, error) {
	at, err := next(r)
	if err != nil {
		return commit{}, noEnd(err)
	}
	subject, err := r.ReadString(0)
	if err != nil {
		return commit{}, noEnd(err)
	}
	subject = strings.ToValidUTF8(strings.TrimSuffix(subject, "\x00"), "")
	body, err := r.ReadString(0)
	if err != nil {
		return commit{}, noEnd(err)
	}
	body = strings.ToValidUTF8(strings.TrimSpace(strings.TrimSuffix(body, "\x00")), "")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || seconds < 0 || seconds > 1e11 {
		return commit{}, fmt.Errorf("%w: time %.40q", errHistory, at)
	}
	when := time.Unix(seconds, 0).UTC()
	return commit{sha: sha, body: body,
		event: event.Event{ID: "commit:" + sha, Time: when, Kind: event.KindCommit, Agent: "git", OK: true, Text: subject, Terms: redact.Terms(subject, event.MaxTerms)},
		moved: event.Event{ID: "rename:" + sha, Time: when, Kind: event.KindRename, Agent: "git", OK: true}}, nil
}

// entry reads one changed file: ":100644 100644 old new M" and its path, or two for a rename.
func (c *commit) entry(r *bufio.Reader, token string, excluded func(event.Path) bool) error {
	f := strings.Fields(token)
	if len(f) != 5 || len(f[4]) == 0 {
		return fmt.Errorf("%w: %.80q", errHistory, token)
	}
	name, err := r.ReadString(0)
	if err != nil {
		return noEnd(err)
	}
	from, to := strings.TrimSuffix(name, "\x00"), ""
	if f[4][0] == 'R' || f[4][0] == 'C' {
		if to, err = r.ReadString(0); err != nil {
			return noEnd(err)
		}
		to = strings.TrimSuffix(to, "\x00")
	}
	if to == "" {
		from, to = "", from
	}
	p, err := event.NewPath(to)
	if err != nil || f[1] == "160000" || f[0] == "160000" || excluded != nil && excluded(p) {
		return nil // a submodule is no file
	}
	switch f[4][0] {
	case 'D':
		c.event.Gone = append(c.event.Gone, p)
		return nil
	case 'R':
		if old, err := event.NewPath(from); err == nil {
			c.moved.From, c.moved.Paths = append(c.moved.From, old), append(c.moved.Paths, p)
		}
	}
	c.event.Paths = append(c.event.Paths, p)
	c.blobs = append(c.blobs, blob{p, f[3]})
	return nil
}

func noEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// events are the commits as the daemon gets them: a rename before the commit that made it.
func events(commits []commit) []event.Event {
	out := make([]event.Event, 0, len(commits))
	for _, c := range commits {
		if len(c.moved.Paths) > 0 {
			out = append(out, c.moved.Normalize(c.moved.Time))
		}
		if len(c.event.Paths)+len(c.event.Gone) > 0 {
			out = append(out, c.event.Normalize(c.event.Time))
		}
	}
	return out
}

// History is a source of a repository's commits alone.
func History(ctx context.Context, name, dir string, env []string, excluded func(event.Path) bool) (Source, error) {
	commits, err := history(ctx, dir, env, excluded)
	if err != nil {
		return Source{}, err
	}
	s := Source{Name: name, Commits: events(commits)}
	s.attach(dir, env, commits)
	return s, nil
}

// LastQuarter is the share of a history that teaches. The commits behind it judge.
const LastQuarter = 0.75

// HistoryIn is History of the clone of OWNER/NAME in a folder.
func HistoryIn(ctx context.Context, dir, name string) (Source, error) {
	clone := CloneOf(dir, name)
	if clone == "" {
		return Source{}, fmt.Errorf("no clone of %s in %s", name, dir)
	}
	return History(ctx, name, clone, os.Environ(), nil)
}

// CloneOf finds the clone of OWNER/NAME in a folder: OWNER+NAME, OWNER/NAME or NAME, bare or not; "" if there is none.
func CloneOf(dir, name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, n := range []string{strings.ReplaceAll(name, "/", "+"), name, base} {
		for _, sub := range []string{"", ".git", "repo"} {
			at := filepath.Join(dir, n, sub)
			if sub == ".git" {
				at = filepath.Join(dir, n) + ".git"
			}
			for _, sign := range []string{"HEAD", ".git"} {
				if _, err := os.Stat(filepath.Join(at, sign)); err == nil {
					return at
				}
			}
		}
	}
	return ""
}

// Clone completes a source from a clone of its repository: what commits deleted and renamed, and what files held. A
// source without commits gets those of the clone.
func (s *Source) Clone(ctx context.Context, dir string, env []string) error {
	commits, err := history(ctx, dir, env, nil)
	if err != nil {
		return err
	}
	if len(s.Commits) == 0 {
		s.Commits = events(commits)
	} else {
		s.merge(commits)
	}
	s.attach(dir, env, commits)
	return nil
}

// shaLength is what a trace keeps at least of a commit's name.
const shaLength = 12

// merge adds to the commits of a trace what only git knows of them.
func (s *Source) merge(commits []commit) {
	by := map[string]commit{}
	for _, c := range commits {
		by[c.sha[:min(shaLength, len(c.sha))]] = c
	}
	var out []event.Event
	for _, e := range s.Commits {
		sha := strings.TrimPrefix(e.ID, "commit:")
		c, known := by[sha[:min(shaLength, len(sha))]]
		if known && len(c.moved.Paths) > 0 {
			out = append(out, c.moved.Normalize(c.moved.Time))
		}
		if known {
			e.Gone = c.event.Gone
			e.Paths = slices.DeleteFunc(slices.Clone(e.Paths), func(p event.Path) bool { return slices.Contains(c.event.Gone, p) })
		}
		out = append(out, e)
	}
	s.Commits = out
}

// attach notes where contents are to be had.
func (s *Source) attach(dir string, env []string, commits []commit) {
	s.git, s.env, s.blobs, s.bodies = dir, env, map[string][]blob{}, map[string]string{}
	for _, c := range commits {
		s.blobs[c.sha[:min(shaLength, len(c.sha))]] = c.blobs
		s.bodies["commit:"+c.sha] = c.body
	}
}
