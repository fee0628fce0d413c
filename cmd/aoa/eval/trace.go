package eval

import (
	"bufio"
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

	"github.com/aoa-dev/aoa/internal/aoa"
)

// row is one line of a trace: docs/evaluation.md describes the fields.
type row struct {
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
	Tool        string   `json:"tool"`
	Why         string   `json:"why"`
}

const maxLine = 4 << 20 // a line of a trace is a few kilobytes

// ErrNoTraces is returned for a folder without traces.
var ErrNoTraces = errors.New("no NAME.jsonl or NAME.jsonl.gz in it")

// Traces reads the traces of a folder: NAME.jsonl[.gz] are the sessions of a repository, NAME.commits.jsonl[.gz] its
// history. Either may be missing.
func Traces(dir string) ([]Source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read traces: %w", err)
	}
	files := map[string][2]string{} // name → sessions, commits
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
		s := Source{Name: strings.ReplaceAll(name, "+", "/")}
		for i, file := range pair {
			if file == "" {
				continue
			}
			rows, err := readTrace(file)
			if err != nil {
				return nil, err
			}
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

// readTrace reads one file of rows.
func readTrace(name string) ([]row, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read traces: %w", err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("read traces in %s: %w", name, err)
		}
		in = z
	}
	rows, err := decodeRows(in)
	if err != nil {
		return nil, fmt.Errorf("read traces in %s: %w", name, err)
	}
	return rows, nil
}

// decodeRows reads one row a line. Rows without a session, a kind or a sensible time are refused: a trace that is
// read half measures something else.
func decodeRows(in io.Reader) ([]row, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	var rows []row
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if r.Session == "" || r.Kind == "" || !(r.TS > 0 && r.TS < 1e11) {
			return nil, fmt.Errorf("line %d: a row needs session, kind and ts in unix seconds", n)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

func (r row) time() time.Time { return time.UnixMilli(int64(r.TS * 1000)).UTC() }

// commitsOf joins the rows of each commit, and orders commits by time.
func commitsOf(rows []row) []aoa.Event {
	var out []aoa.Event
	at := map[string]int{}
	for _, r := range rows {
		p, err := aoa.NewPath(r.Path)
		if err != nil {
			continue
		}
		i, known := at[r.Session]
		if !known {
			i = len(out)
			at[r.Session] = i
			out = append(out, aoa.Event{ID: "commit:" + strings.TrimPrefix(r.Session, "git:"), Time: r.time(), Kind: aoa.KindCommit,
				Agent: "git", Text: r.Text, Terms: aoa.Terms(r.Text, aoa.MaxTerms), OK: true})
		}
		out[i].Paths = append(out[i].Paths, p)
	}
	slices.SortStableFunc(out, func(a, b aoa.Event) int { return a.Time.Compare(b.Time) })
	for i := range out {
		out[i] = out[i].Normalize(out[i].Time)
	}
	return out
}

// sessionsOf orders the rows of each session as recorded and turns them into events. A resumed session tells what the
// one before it did once more: the same happening counts once, where it was told first.
func sessionsOf(rows []row) (out []Session, repeated int) {
	by := map[string][]row{}
	for _, r := range rows {
		by[r.Session] = append(by[r.Session], r)
	}
	ids := make([]string, 0, len(by))
	for id, rs := range by {
		slices.SortStableFunc(rs, func(a, b row) int { return cmp.Compare(a.Seq, b.Seq) })
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(by[a][0].TS, by[b][0].TS), cmp.Compare(len(by[a]), len(by[b])), cmp.Compare(a, b))
	})
	told := map[happening]string{}
	for _, id := range ids {
		var kept []row
		for _, r := range by[id] {
			h := happening{r.TS, r.Kind, r.Path, r.Text}
			if first, known := told[h]; known && first != id {
				repeated++
				continue
			}
			told[h] = id
			kept = append(kept, r)
		}
		if s := eventsOf(id, kept); len(s.Events) > 0 {
			out = append(out, s)
		}
	}
	return out, repeated
}

// happening is what tells an event from another one, whichever session tells of it.
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
