package recorded

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
)

// Row is one line of a trace: the package comment describes the fields.
type Row struct {
	Repo        string   `json:"repo"`
	Session     string   `json:"session"`
	TS          float64  `json:"ts"`
	Seq         int      `json:"seq"`
	Agent       string   `json:"agent"`
	Kind        string   `json:"kind"`
	Path        string   `json:"path"`
	Text        string   `json:"text"`
	OK          *bool    `json:"ok"`
	Call        *int     `json:"call"`
	Batch       *int     `json:"batch"`
	Results     []string `json:"results"`
	ResultsKind string   `json:"results_kind"`
	Mentions    []string `json:"mentions"`
	Said        string   `json:"said"`
	Tool        string   `json:"tool"`
	Why         string   `json:"why"`
}

const maxLine = 4 << 20 // a line of a trace is a few kilobytes

// ErrNoTraces is returned for a folder without traces.
var ErrNoTraces = errors.New("no NAME.jsonl or NAME.jsonl.gz in it")

// Source is the recorded work on one repository.
type Source struct {
	eval.Source
	Sessions []Session
	Others   []event.Event // events that belong to no session: saves, deletions, branches
	Repeated int           // events left out because a resumed session recorded them again
	Unusable int           // lines of the files that are not rows
}

// Traces reads the traces of a folder: NAME.jsonl[.gz] are the sessions of a repository,
// NAME.commits.jsonl[.gz] its history. Either may be missing.
func Traces(dir string) ([]Source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read traces: %w", err)
	}
	files := map[string][2]string{} // for each repository, the names of its file of sessions and of its file of commits
	for _, e := range entries {
		name, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), ".gz"), ".jsonl")
		if !ok || e.IsDir() {
			continue
		}
		i := 0
		if base, commits := strings.CutSuffix(name, ".commits"); commits {
			name, i = base, 1
		}
		pair := files[name]
		pair[i] = filepath.Join(dir, e.Name())
		files[name] = pair
	}
	var out []Source
	for name, pair := range files {
		s := Source{Source: eval.Source{Name: strings.ReplaceAll(name, "+", "/")}}
		for i, file := range pair {
			if file == "" {
				continue
			}
			rows, unusable, err := Rows(file)
			if err != nil {
				return nil, err
			}
			s.Unusable += unusable
			if i == 0 {
				s.Sessions, s.Repeated = sessionsOf(rows)
			} else {
				s.Commits = commitsOf(rows)
			}
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read traces in %s: %w", dir, ErrNoTraces)
	}
	slices.SortFunc(out, func(a, b Source) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Rows reads one file of rows, gzip or not. Other lines are counted and left out; a file that holds
// nothing else is an error.
func Rows(name string) (rows []Row, unusable int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, fmt.Errorf("read traces: %w", err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, 0, fmt.Errorf("read traces in %s: %w", name, err)
		}
		in = z
	}
	rows, unusable, err = decodeRows(in)
	if len(rows) == 0 && err != nil {
		return nil, 0, fmt.Errorf("read traces in %s: %w", name, err)
	}
	return rows, unusable, nil
}

// decodeRows reads one row a line. Rows without a session, a kind or a sensible time are unusable,
// and so is all that follows where the file cannot be read on (a copy that was cut off); err is the
// first reason.
func decodeRows(in io.Reader) (rows []Row, unusable int, err error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	for n := 1; ; n++ {
		line, end := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			r, bad := decodeRow(line)
			if bad == nil {
				rows = append(rows, r)
			} else {
				unusable++
				err = cmp.Or(err, fmt.Errorf("line %d: %w", n, bad))
			}
		}
		if end == io.EOF {
			return rows, unusable, err
		}
		if end != nil {
			return rows, unusable + 1, cmp.Or(err, fmt.Errorf("after line %d: %w", n, end))
		}
	}
}

func decodeRow(line []byte) (r Row, err error) {
	if len(line) > maxLine {
		return r, fmt.Errorf("%d bytes are not a row", len(line))
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	if r.Session == "" || r.Kind == "" || !(r.TS > 0 && r.TS < 1e11) {
		return r, errors.New("a row needs session, kind and ts in unix seconds")
	}
	return r, nil
}

// Time returns the time of the row.
func (r Row) Time() time.Time { return time.UnixMilli(int64(r.TS * 1000)).UTC() }

// commitsOf joins the rows of each commit, and orders commits by time.
func commitsOf(rows []Row) []event.Event {
	var out []event.Event
	at := map[string]int{}
	for _, r := range rows {
		p, err := event.NewPath(r.Path)
		if err != nil {
			continue
		}
		i, known := at[r.Session]
		if !known {
			i = len(out)
			at[r.Session] = i
			out = append(out, event.Event{ID: "commit:" + strings.TrimPrefix(r.Session, "git:"), Time: r.Time(),
				Agent: "git",
				Body:  event.Commit{Text: r.Text, Terms: redact.Terms(r.Text, event.MaxTerms)}})
		}
		b, _ := out[i].Body.(event.Commit)
		b.Paths = append(b.Paths, p)
		out[i].Body = b
	}
	slices.SortStableFunc(out, func(a, b event.Event) int { return a.Time.Compare(b.Time) })
	for i := range out {
		out[i] = out[i].Normalize(out[i].Time)
	}
	return out
}

// sessionsOf puts the rows of each session into the order in which they were recorded, and turns
// them into events. A resumed session repeats the events of the session before it; each event
// counts only once, where it was recorded first.
func sessionsOf(rows []Row) (out []Session, repeated int) {
	by := map[string][]Row{}
	for _, r := range rows {
		by[r.Session] = append(by[r.Session], r)
	}
	ids := make([]string, 0, len(by))
	for id, rs := range by {
		slices.SortStableFunc(rs, func(a, b Row) int { return cmp.Compare(a.Seq, b.Seq) })
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(by[a][0].TS, by[b][0].TS), cmp.Compare(len(by[a]), len(by[b])), cmp.Compare(a, b))
	})
	seen := map[happening]string{}
	for _, id := range ids {
		var kept []Row
		for _, r := range by[id] {
			h := happening{r.TS, r.Kind, r.Path, r.Text}
			if first, known := seen[h]; known && first != id {
				repeated++
				continue
			}
			seen[h] = id
			kept = append(kept, r)
		}
		if s := eventsOf(id, kept); len(s.Events) > 0 {
			out = append(out, s)
		}
	}
	return out, repeated
}

// happening identifies a recorded event, whatever session it is in.
type happening struct {
	ts               float64
	kind, path, text string
}

// callKey names a call or batch inside a session.
func callKey(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}
