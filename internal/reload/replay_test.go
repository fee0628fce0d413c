package reload

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// A folder of NAME.jsonl.gz (session events) and NAME.commits.jsonl.gz (one row per commit and file). Without the flag
// the measurement is skipped.
var replaySessions = flag.String("sessions", "", "measure on the recorded sessions of this folder")

type row struct {
	Session string     `json:"session"`
	TS      float64    `json:"ts"`
	Seq     int        `json:"seq"`
	Agent   string     `json:"agent"`
	Kind    string     `json:"kind"`
	Path    event.Path `json:"path"`
	Text    string     `json:"text"`
	OK      *bool      `json:"ok"`
}

func rows(t *testing.T, name string) (out []row) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, r)
	}
	return out
}

// recorded is a turn of the recording.
type recorded struct {
	from, to float64
	prompt   string
	files    []event.Path
	entry    *Entry
}

// turns cuts sessions at their prompts; what subagents do is left out, as in the cache.
func turns(all []row) (out []*recorded) {
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Seq, b.Seq)) })
	var now *recorded
	session := ""
	for _, r := range all {
		if r.Session != session {
			session, now = r.Session, nil
		}
		switch {
		case strings.HasSuffix(r.Agent, "-sub"):
		case r.Kind == "prompt":
			now = &recorded{from: r.TS, to: r.TS, prompt: r.Text}
			out = append(out, now)
		case now == nil || r.OK != nil && !*r.OK:
		case r.Path != "" && (r.Kind == "read" || r.Kind == "edit" || r.Kind == "write"):
			if !slices.Contains(now.files, r.Path) {
				now.files = append(now.files, r.Path)
			}
			now.to = r.TS
		}
	}
	slices.SortStableFunc(out, func(a, b *recorded) int { return cmp.Compare(a.from, b.from) })
	return out
}

// tally counts offers of one band of similarity.
type band struct{ offers, right, exact int }

// TestReplaySessions: of how many prompts of recorded sessions an entry would have been offered, and whether the turn
// then opened files of it. A file is unchanged if no session and no commit has changed it since the entry's turn.
func TestReplaySessions(t *testing.T) {
	if *replaySessions == "" {
		t.Skip("-sessions names no folder")
	}
	files, _ := filepath.Glob(filepath.Join(*replaySessions, "*.jsonl.gz"))
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".commits.jsonl.gz") })
	if len(files) == 0 {
		t.Fatal("no recordings")
	}
	for _, hours := range []float64{24, 24 * 30} {
		total := map[int]*band{}
		prompts, worth := 0, 0
		for _, f := range files {
			p, w := replayed(t, f, hours, total)
			prompts, worth = prompts+p, worth+w
		}
		t.Logf("idle %g h: %d prompts, %d with words and files opened", hours, prompts, worth)
		for _, from := range []int{95, 85, 70, 60, 50} {
			b := total[from]
			if b == nil {
				continue
			}
			t.Logf("  similarity from %d%%: %d offers, %d opened a file of it (%d%%), %d opened half of its files", from,
				b.offers, b.right, 100*b.right/max(b.offers, 1), b.exact)
		}
	}
}

func replayed(t *testing.T, file string, hours float64, total map[int]*band) (prompts, worth int) {
	all := rows(t, file)
	history := rows(t, strings.TrimSuffix(file, ".jsonl.gz")+".commits.jsonl.gz")
	changed := map[event.Path][]float64{}
	for _, r := range append(slices.Clone(all), history...) {
		if r.Path != "" && r.Kind != "read" && r.Kind != "search" && r.Kind != "bash" && r.Kind != "failed" {
			changed[r.Path] = append(changed[r.Path], r.TS)
		}
	}
	x, kept := newEntryIndex(), []*recorded{}
	offers, right := 0, 0
	every := turns(all)
	for i, now := range every {
		prompts++
		// What ended before is known; what is too old or too much is gone.
		for _, old := range every[:i] {
			if old.entry == nil && old.to < now.from && len(old.files) > 0 && index.NewRequest(old.prompt).Len() >= 2 &&
				now.from-old.to < hours*3600 {
				old.entry = &Entry{ID: fmt.Sprint(old.from), print: newFingerprint(Trigger{Type: Prompt}, old.prompt, ""), More: i}
				x.add(old.entry)
				kept = append(kept, old)
			}
		}
		slices.SortFunc(kept, func(a, b *recorded) int { return cmp.Compare(a.to, b.to) })
		for len(kept) > 100 || len(kept) > 0 && now.from-kept[0].to > hours*3600 {
			x.remove(kept[0].entry)
			kept = kept[1:]
		}
		if index.NewRequest(now.prompt).Len() < 2 || len(now.files) == 0 {
			continue
		}
		worth++
		s, best := bestOf(x, kept, changed, now)
		if best == nil {
			continue
		}
		hit := 0
		for _, f := range best.files {
			if slices.Contains(now.files, f) {
				hit++
			}
		}
		for _, from := range []int{95, 85, 70, 60, 50} {
			if s*100 >= float64(from) {
				if total[from] == nil {
					total[from] = &band{}
				}
				b := total[from]
				b.offers++
				if hit > 0 {
					b.right++
				}
				if 2*hit >= len(best.files) {
					b.exact++
				}
			}
		}
		if s >= 0.7 {
			offers++
			if hit > 0 {
				right++
			}
		}
	}
	t.Logf("%s, idle %g h: %d prompts, %d offers, %d right", strings.TrimSuffix(filepath.Base(file), ".jsonl.gz"), hours,
		worth, offers, right)
	return prompts, worth
}

func bestOf(x *entryIndex, kept []*recorded, changed map[event.Path][]float64, now *recorded) (most float64, best *recorded) {
	f := newFingerprint(Trigger{Type: Prompt}, event.Clip(now.prompt, maxText), "")
	for _, e := range x.candidates(f) {
		j := x.content(f, e)
		if j == 0 {
			continue
		}
		old := kept[slices.IndexFunc(kept, func(r *recorded) bool { return r.entry == e })]
		same := 0
		for _, p := range old.files {
			if !slices.ContainsFunc(changed[p], func(at float64) bool { return at > old.to && at <= now.from }) {
				same++
			}
		}
		if s, _ := promptSimilarity(j, float64(same)/float64(len(old.files))); s > most {
			most, best = s, old
		}
	}
	return most, best
}
