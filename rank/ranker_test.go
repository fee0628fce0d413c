package rank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/hot"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// small is a repository with some history: rank.go goes with its test and with docs/rank.md.
func small(t testing.TB) *world {
	w := newWorld(t, "README.md", "rank/rank.go", "rank/rank_test.go", "docs/rank.md", "cold/db.go", "gone.go",
		"auth/session.go")
	for i := range 9 {
		w.commit(epoch.AddDate(0, 0, i-20), "rank: score", "rank/rank.go", "rank/rank_test.go")
		w.commit(epoch.AddDate(0, 0, i-20), "cold: schema", "cold/db.go", "README.md")
	}
	w.commit(epoch.AddDate(0, 0, -5), "document the ranking", "rank/rank.go", "docs/rank.md")
	w.commit(epoch.AddDate(0, 0, -4), "drop it", "rank/rank.go", "gone.go")
	w.tree.Remove("gone.go")
	return w
}

func rankOf(t testing.TB, r *Ranker, q event.Query) event.Answer {
	t.Helper()
	if q.At.IsZero() {
		q.At = epoch
	}
	k := fault.Must(r.Score(context.Background(), q))
	var a event.Answer
	for i := range min(cmp.Or(q.Limit, 5), len(k.Files)) {
		a.Suggestions = append(a.Suggestions, k.Suggestion(context.Background(), i, q.Explain))
	}
	return a
}

func names(a event.Answer) (out []event.Path) {
	for _, s := range a.Suggestions {
		out = append(out, s.File)
	}
	return out
}

func TestPartners(t *testing.T) {
	r := small(t).ranker(Options{Together: func(_ context.Context, a, b event.Path) (event.Together, error) {
		return event.Together{With: a, Both: 9, Of: 60, Recent: 4, OfRecent: 50}, nil
	}})
	a := rankOf(t, r, event.Query{Task: event.TaskOpen, Session: "s", Files: []event.Path{"rank/rank.go"}})
	got := names(a)
	if len(got) < 2 || !slices.Contains(got[:2], "rank/rank_test.go") || !slices.Contains(got[:2], "docs/rank.md") {
		t.Fatalf("suggested %v, want the test and the document", got)
	}
	if slices.Contains(got, "gone.go") || slices.Contains(got, "rank/rank.go") {
		t.Errorf("suggested %v: a deleted file or the current one", got)
	}
	if rs := a.Suggestions[0].Reasons; len(rs) == 0 || len(rs) > maxWhys {
		t.Fatalf("%d reasons, want 1 to %d", len(rs), maxWhys)
	}
	rs := rankOf(t, r, event.Query{Task: event.TaskOpen, Session: "s", Files: []event.Path{"rank/rank.go"}, Explain: true}).Suggestions[0].Reasons
	const want = "in 4 of the last 50 commits to rank/rank.go"
	if !slices.ContainsFunc(rs, func(r event.Reason) bool { return r.Text == want }) {
		t.Errorf("no reason counts commits: %+v", rs)
	}
}

func TestReasonsAddUp(t *testing.T) {
	w := small(t)
	w.prompt("s", epoch.Add(-time.Minute), "the rank score is wrong, see docs/rank.md")
	w.open("s", epoch, "rank/rank.go")
	w.search("s", epoch, "", nil, []event.Path{"rank/rank_test.go", "cold/db.go"})
	r := w.ranker(Options{})
	for _, q := range []event.Query{
		{Task: event.TaskOpen, Files: []event.Path{"rank/rank.go"}}, {Session: "s"}, {Session: "s", Prompt: "rank README.md"}, {},
	} {
		q.Explain, q.Limit = true, 50
		a := rankOf(t, r, q)
		if len(a.Suggestions) == 0 {
			t.Fatalf("nothing for %+v", q)
		}
		for _, s := range a.Suggestions {
			sum := 0.0
			for _, reason := range s.Reasons {
				sum += reason.Value * reason.Weight
				if !(reason.Value >= 0 && reason.Value <= 1) {
					t.Errorf("%s of %s is %v", reason.Signal, s.File, reason.Value)
				}
			}
			p := 1 / (1 + math.Exp(-(s.Scale[0]*sum + s.Scale[1])))
			if math.Abs(sum-s.Logit) > 1e-12 || math.Abs(p-s.Score) > 1e-12 {
				t.Errorf("%s: reasons give %v and %v, the answer says %v and %v", s.File, sum, p, s.Logit, s.Score)
			}
			q.At = epoch
			why, err := r.Why(context.Background(), q, s.File)
			if err != nil || !reflect.DeepEqual(why, s) {
				t.Errorf("why says\n%+v (%v), rank says\n%+v", why, err, s)
			}
		}
	}
}

func TestSessionSignals(t *testing.T) {
	w := small(t)
	w.open("s", epoch, "cold/db.go")
	w.prompt("s", epoch, "look at auth/session.go and at README.md")
	w.search("s", epoch, "", []event.Path{"rank/rank.go"}, []event.Path{"docs/rank.md"})
	r := w.ranker(all(Options{}))
	a := rankOf(t, r, event.Query{Session: "s", Limit: 20, Explain: true})
	if slices.Contains(names(a), "cold/db.go") {
		t.Errorf("%v has an open file", names(a))
	}
	for f, want := range map[event.Path]Signal{"auth/session.go": Named, "README.md": Named, "docs/rank.md": Mentioned,
		"rank/rank.go": Mentioned} {
		i := slices.IndexFunc(a.Suggestions, func(s event.Suggestion) bool { return s.File == f })
		if i < 0 || a.Suggestions[i].Unseen ||
			!slices.ContainsFunc(a.Suggestions[i].Reasons, func(r event.Reason) bool {
				return r.Signal == want.String() && r.Text != ""
			}) {
			t.Errorf("%s: %+v, want it seen, with reason %s", f, a.Suggestions, want)
		}
	}
	unseen := rankOf(t, r, event.Query{Session: "s", Prompt: "rank", Limit: 20, Unseen: true})
	if got := names(unseen); slices.Contains(got, "auth/session.go") || slices.Contains(got, "docs/rank.md") ||
		!slices.Contains(got, "rank/rank_test.go") {
		t.Errorf("unseen: %v, want rank_test.go and none that the session named", got)
	}
	now := rankOf(t, r, event.Query{Session: "s", Prompt: "what about `gone.go` and cold/db.go or rank/rank_test.go:12?",
		Limit: 20})
	if got := names(now); !slices.Contains(got, "rank/rank_test.go") || slices.Contains(got, "gone.go") ||
		slices.Contains(got, "cold/db.go") {
		t.Errorf("named in the prompt: %v, want rank/rank_test.go, and neither what is gone nor what is open", got)
	}
}

func TestRefusals(t *testing.T) {
	r := newWorld(t).ranker(Options{})
	if _, err := r.Score(context.Background(), event.Query{}); !errors.Is(err, ErrNoTime) {
		t.Errorf("no time: %v, want %v", err, ErrNoTime)
	}
	if _, err := r.Why(context.Background(), event.Query{At: epoch}, ""); !errors.Is(err, event.ErrPath) {
		t.Errorf("why of no file: %v, want %v", err, event.ErrPath)
	}
	if _, err := r.Score(context.Background(), event.Query{Task: "lunch", At: epoch}); err == nil ||
		!strings.Contains(err.Error(), "lunch") {
		t.Errorf("unknown task: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Score(ctx, event.Query{Task: event.TaskOpen, Files: []event.Path{"a"}, At: epoch}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestHostileQuery(t *testing.T) {
	w := small(t)
	var many []event.Path
	for i := range 2000 {
		many = append(many, event.Path(fmt.Sprintf("big/f%d.go", i)))
	}
	w.tree.Add(many...)
	r := w.ranker(Options{})
	prompt := strings.Repeat("rank/rank.go \x1b[31m ../../etc/passwd \x00 "+strings.Repeat("a/", 3000)+" ", 200)
	a := rankOf(t, r, event.Query{Files: append(many, "rank/rank.go"), Prompt: prompt, Limit: 1 << 30,
		Tags: event.Strings(many), Explain: true})
	if len(a.Suggestions) == 0 || len(a.Suggestions) > maxScored {
		t.Fatalf("%d suggestions, want some and at most %d", len(a.Suggestions), maxScored)
	}
	hostile := event.Path("evil\x1b[2Jname.go")
	w.commit(epoch, "", "rank/rank.go", hostile)
	for _, s := range rankOf(t, w.ranker(Options{}), event.Query{Task: event.TaskOpen, Current: hostile, Explain: true}).Suggestions {
		for _, reason := range s.Reasons {
			if strings.ContainsRune(reason.Text, 0x1b) {
				t.Errorf("control character in %q", reason.Text)
			}
		}
	}
}

// TestReadsWhatIsKept: members behind those that a family says are read may go at a tick, so no
// question asks for more.
func TestReadsWhatIsKept(t *testing.T) {
	for _, c := range []struct {
		family *hot.Family
		asked  int
	}{{hot.Comod, maxPartners}, {hot.Coaccess, maxPartners}, {hot.TermFiles, maxTermFiles}, {hot.TagFiles, maxPerTag}} {
		if c.asked > c.family.Read {
			t.Errorf("%s: %d are asked for, %d are sure to be there", c.family.Name, c.asked, c.family.Read)
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestFormulas has numbers that were worked out by hand, so that a constant cannot change without
// being seen here.
func TestFormulas(t *testing.T) {
	now := epoch
	stamp := func(ago time.Duration) float64 { return float64(now.Add(-ago).UnixMilli()) / 1000 }
	several := func(p ...float64) float64 {
		var or noisyOr
		for _, p := range p {
			or.add(p)
		}
		return or.value()
	}
	many := slices.Repeat([]float64{1}, 50)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"recency of now", recency(stamp(0), now, time.Hour), 1},
		{"recency after a half-life", recency(stamp(time.Hour), now, time.Hour), .5},
		{"recency after two half-lives", recency(stamp(48*time.Hour), now, 24*time.Hour), .25},
		{"recency of the future", recency(stamp(-time.Hour), now, time.Hour), 1},
		{"recency of never", recency(0, now, time.Hour), 0},
		{"no commits", logShare(0), 0},
		{"one commit", logShare(1), 0.150190},
		{"a hundred commits", logShare(100), 1},
		{"more than a hundred", logShare(1000), 1},
		{"two changes of four, together", share(2, 4, comodSmooth), 0.478049},
		{"two sessions of four, together", share(2, 4, coaccessSmooth), 0.435556},
		{"two uses of four", share(2, 4, termSmooth), 0.392},
		{"more than all", share(9, 4, comodSmooth), .98},
		{"of nothing", share(0, 0, 0), 0},
		{"two halves", several(.5, .5), .75},
		{"none", several(), 0},
		{"calls of one name", calls(1), .5},
		{"calls of three", calls(3), .75},
		{"opened nothing", opened(0), 0},
		{"opened six", opened(6), 0.486478},
		{"opened a million", opened(1_000_000), 1},
		{"no tags asked", tags(many, 0), 0},
		{"one of two tags", tags([]float64{1}, 2), .25},
		{"a tag that was used nine times", tags([]float64{9}, 1), .9},
		{"of fifty tags five count", tags(many, 3), 0.833333},
		{"of fifty asked three count", tags([]float64{1}, 50), 0.166667},
	} {
		near(t, c.what, c.got, c.want)
	}
}

// TestPlus: after a search that failed, the weights of both kinds are added.
func TestPlus(t *testing.T) {
	one := Model{Weights: Values{Comod: 1, Tags: 2}, UnseenWeights: Values{Comod: 3}}
	sum := one.plus(Model{Weights: Values{Comod: 10}, UnseenWeights: Values{Comod: 20, Text: 5}})
	fault.Same(t, "sum", sum, Model{Weights: Values{Comod: 11, Tags: 2}, UnseenWeights: Values{Comod: 23, Text: 5}})
	fault.Same(t, "one of both", one.Weights[Comod], 1.0)
}

func TestProbabilityOfNonsense(t *testing.T) {
	for _, z := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308} {
		if p := (Scale{1, 0}).Probability(z); !(p >= 0 && p <= 1) {
			t.Errorf("probability of %v = %v", z, p)
		}
	}
}
