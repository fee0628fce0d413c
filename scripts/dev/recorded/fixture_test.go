package recorded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/aoa-dev/aoa/internal/eval"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// topics of the invented repository: each has a source, its test, a page and a neighbour that
// changes with them.
var topics = []string{"parser", "lexer", "printer", "server", "client", "cache", "index", "query", "config", "login",
	"upload", "report"}

func filesAbout(topic string) []string {
	return []string{"src/" + topic + "/" + topic + ".go", "src/" + topic + "/" + topic + "_test.go", "docs/" + topic +
		".md", "src/" + topic + "/types.go"}
}

// line of a trace, in the order of the schema.
type fixtureRow struct {
	Repo        string   `json:"repo"`
	Session     string   `json:"session"`
	TS          float64  `json:"ts"`
	Seq         int      `json:"seq"`
	Agent       string   `json:"agent"`
	Kind        string   `json:"kind"`
	Path        *string  `json:"path"`
	Text        *string  `json:"text"`
	OK          *bool    `json:"ok"`
	Call        *int     `json:"call,omitempty"`
	Batch       *int     `json:"batch,omitempty"`
	Results     []string `json:"results,omitempty"`
	ResultsKind string   `json:"results_kind,omitempty"`
	Mentions    []string `json:"mentions,omitempty"`
}

// fixture writes work that was invented by a fixed seed: sessions that search for a topic, read
// what was listed in one batch, edit, test and commit.
type fixture struct {
	sessions, commits bytes.Buffer
	random            *rand.Rand
	now               float64
	id                string
	seq, call, batch  int
}

func newFixture(sessions int) *fixture {
	f := &fixture{random: rand.New(rand.NewPCG(7, 11)), now: 1_700_000_000}
	for i, t := range topics {
		f.commit(fmt.Sprintf("%012x", i+1), "begin the "+t, filesAbout(t)...)
	}
	for i := range sessions {
		f.session(i)
	}
	return f
}

func (f *fixture) session(i int) {
	f.id, f.seq, f.call, f.batch = fmt.Sprintf("s%03d", i), 0, 0, 0
	f.now += 7200
	for range 1 + f.random.IntN(3) {
		topic := topics[f.random.IntN(len(topics))]
		files := filesAbout(topic)
		f.row("prompt", "", "make the "+topic+" faster, and its handling of errors clear")
		if f.random.IntN(3) > 0 {
			f.step()
			f.row("search", "src", topic)
			f.results("listing", files[0], files[1], files[3], filesAbout(topics[f.random.IntN(len(topics))])[0])
		}
		f.step()
		for _, p := range files[:2] {
			f.call++
			f.row("read", p, "")
			f.results("content")
		}
		f.step()
		f.row("edit", files[0], "")
		f.step()
		f.row("bash", "", "go test ./src/"+topic)
		f.results("content", files[1])
		if f.random.IntN(2) == 0 {
			f.step()
			f.row("read", files[2], "")
			f.step()
			f.row("edit", files[2], "")
			f.now += 30
			f.commit(fmt.Sprintf("%012x", 0x1000+i*16+f.seq), "make the "+topic+" faster", files[0], files[2],
				files[1+2*f.random.IntN(2)])
		}
	}
}

// step begins a batch.
func (f *fixture) step() {
	f.call++
	f.batch++
}

func (f *fixture) row(kind, path, text string) {
	f.now += 1 + float64(f.random.IntN(9))
	r := fixtureRow{Repo: "made/up", Session: f.id, TS: f.now, Seq: f.seq, Agent: "claude-code", Kind: kind}
	f.seq++
	yes := true
	call, batch := f.call, f.batch
	if path != "" {
		r.Path = &path
	}
	if text != "" {
		r.Text = &text
	}
	if kind != "prompt" {
		r.OK, r.Call, r.Batch = &yes, &call, &batch
	}
	f.write(&f.sessions, r)
}

// results gives the last row its results.
func (f *fixture) results(kind string, files ...string) {
	lines := bytes.SplitAfter(bytes.TrimSuffix(f.sessions.Bytes(), []byte("\n")), []byte("\n"))
	var r fixtureRow
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		panic(err)
	}
	r.Results, r.ResultsKind = files, kind
	f.sessions.Truncate(f.sessions.Len() - len(lines[len(lines)-1]) - 1)
	f.write(&f.sessions, r)
}

func (f *fixture) commit(id, subject string, files ...string) {
	f.now += 60
	for i, p := range files {
		f.write(&f.commits, fixtureRow{Repo: "made/up", Session: "git:" + id, TS: f.now, Seq: i, Agent: "git",
			Kind: "commit", Path: &p, Text: &subject})
	}
}

func (f *fixture) write(to *bytes.Buffer, r fixtureRow) {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	to.Write(append(raw, '\n'))
}

// source is the fixture as a source.
func (f *fixture) source(t testing.TB) Source {
	t.Helper()
	rows, _, err := decodeRows(bytes.NewReader(f.sessions.Bytes()))
	fault.Check(t, err)
	history, _, err := decodeRows(bytes.NewReader(f.commits.Bytes()))
	fault.Check(t, err)
	s := Source{Source: eval.Source{Name: "made/up", Commits: commitsOf(history)}}
	s.Sessions, s.Repeated = sessionsOf(rows)
	return s
}

// TestFixture: testdata, on which scripts/dev/eval is tested, is what the generator makes.
func TestFixture(t *testing.T) {
	f := newFixture(24)
	for name, want := range map[string][]byte{"made+up.jsonl": f.sessions.Bytes(),
		"made+up.commits.jsonl": f.commits.Bytes()} {
		file := filepath.Join("testdata", name)
		fault.Golden(t, file, string(want))
	}
}
