package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

const samples = "../../../testdata/pipelines"

func sample(t testing.TB, name string) []byte {
	t.Helper()
	return fault.Must(os.ReadFile(filepath.Join(samples, filepath.FromSlash(name))))
}

func TestSamplesAreRight(t *testing.T) {
	for _, name := range []string{"create-prd", "create-backlog", "generate-docs"} {
		p := fault.Must(Decode(name+".yaml", sample(t, ".aoa/pipelines/"+name+".yaml")))
		if _, err := p.Plan(); err != nil || p.Name != name || len(p.Stages) < 2 {
			t.Errorf("%s: %v, %d stages", name, err, len(p.Stages))
		}
	}
}

func TestPlan(t *testing.T) {
	p, err := Decode("p.yaml", []byte(`
stages:
  - {stage: last, run: [echo, "${STAGE_left.x}-$STAGE_right", $STAGE_left]}
  - {stage: left, run: [a], output: json, needs: [first]}
  - {stage: right, run: [a], inputs: {deep: [{x: $STAGE_first}]}}
  - {stage: first, run: [a], makes: [out/x.md], sets: {c: .}}
  - {stage: file, run: [a], cache: {file_dependencies: ["out/*.md"]}}
  - {stage: ctx, run: [a, $CONTEXT_c]}
`))
	fault.Check(t, err)
	plan := fault.Must(p.Plan())
	want := [][]int{{1, 2}, {3}, {3}, nil, {3}, {3}}
	for i := range want {
		fault.Same(t, p.Stages[i].Name, plan.Needs[i], want[i])
	}
	if got := plan.Before(0); len(got) != 3 || got[2] != 3 {
		t.Errorf("before the last: %v", got)
	}
	if slices.Index(plan.Order, 3) != 0 || slices.Index(plan.Order, 0) < slices.Index(plan.Order, 2) {
		t.Errorf("order %v", plan.Order)
	}
}

func TestCycle(t *testing.T) {
	p, err := Decode("p.yaml", []byte(`
stages:
  - {stage: before, run: [x]}
  - {stage: a, run: [x], needs: [before, c]}
  - {stage: b, run: [x], needs: [a]}
  - {stage: c, run: [x], needs: [b]}
  - {stage: after, run: [x], needs: [c]}
`))
	fault.Check(t, err)
	if _, err := p.Plan(); !errors.Is(err, ErrCycle) || !strings.HasSuffix(err.Error(), ": a, b, c, after") {
		t.Error(err)
	}
}

// TestRunSideBySide: stages that do not need each other run at once; what needs one that failed
// does not run.
func TestRunSideBySide(t *testing.T) {
	p, err := Decode("p.yaml", []byte(`
stages:
  - {stage: a, run: [x]}
  - {stage: b, run: [x]}
  - {stage: c, run: [x], needs: [a, b]}
  - {stage: opt, run: [x], required: false, needs: [c]}
  - {stage: d, run: [x], needs: [opt]}
  - {stage: bad, run: [x], needs: [d]}
  - {stage: never, run: [x], needs: [bad]}
`))
	fault.Check(t, err)
	plan := fault.Must(p.Plan())
	var mu sync.Mutex
	var ran []string
	var both sync.WaitGroup
	both.Add(2)
	results := plan.Run(t.Context(), 2, func(i int) bool { return p.Stages[i].Must() },
		func(_ context.Context, i int) error {
			name := p.Stages[i].Name
			if name == "a" || name == "b" { // each waits for the other
				both.Done()
				both.Wait()
			}
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, name)
			if name == "opt" || name == "bad" {
				return errors.New("no")
			}
			return nil
		})
	if got := strings.Join(ran[2:], " "); got != "c opt d bad" || !errors.Is(results[6], ErrSkipped) ||
		results[5] == nil || results[4] != nil {
		t.Errorf("ran %v, results %v", ran, results)
	}
}

func TestFrontMatter(t *testing.T) {
	d, err := Parse(KindAgent, ".claude/agents/product-manager.md", sample(t, ".claude/agents/product-manager.md"))
	if err != nil || d.Model != "opus" || !strings.HasPrefix(d.Body, "You write") {
		t.Errorf("%v: %+v", err, d)
	}
	d, err = Parse(KindCommand, ".claude/commands/x/y.md", []byte("no head\n"))
	if err != nil || d.Name != "x.y" || d.Body != "no head\n" {
		t.Errorf("%v: %+v", err, d)
	}
}

func TestFind(t *testing.T) {
	for kind, name := range map[string]string{KindPipeline: "create-prd", KindAgent: "product-manager"} {
		if _, err := Find(samples, kind, name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Find(samples, KindPipeline, "create-pdr"); err == nil ||
		!strings.Contains(err.Error(), `did you mean "create-prd"`) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"create-prd", "create-backlog", "generate-docs"} {
		f.Add(sample(f, ".aoa/pipelines/"+name+".yaml"))
	}
	f.Add([]byte("stages: [{stage: a, run: [x], needs: [a]}]"))
	f.Add([]byte("stages: &a [*a]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Decode("f.yaml", b)
		if err != nil {
			return
		}
		plan, err := p.Plan()
		if err != nil {
			return
		}
		if len(plan.Order) != len(p.Stages) {
			t.Fatalf("%d of %d stages in order", len(plan.Order), len(p.Stages))
		}
		at := make([]int, len(plan.Order))
		for i, s := range plan.Order {
			at[s] = i
		}
		for s, needs := range plan.Needs {
			for _, n := range needs {
				if at[n] >= at[s] {
					t.Fatalf("%d runs before %d", s, n)
				}
			}
		}
	})
}

func FuzzParseMarkdown(f *testing.F) {
	f.Add(sample(f, ".claude/agents/product-manager.md"))
	f.Add([]byte("---\n---"))
	f.Add([]byte("---\na: [\n---\nb"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Parse(KindAgent, ".claude/agents/a.md", b); err != nil && !errors.Is(err, ErrDefinition) {
			t.Fatal(err)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"$ARG_a", "${STAGE_s.list[0].x}", "$$ARG_a $STAGE_s.", "$ENV_HOME/x $CONTEXT_c.d", "$",
		"$$", "${", "${ARG_a", "$STAGE_s.list.0.x"} {
		f.Add(s)
	}
	s := &Scope{Stages: map[string]any{"s": map[string]any{"list": []any{map[string]any{"x": "y"}}}},
		Context: map[string]any{"c": map[string]any{"d": 1.0}},
		Args:    map[string]string{"a": "$ARG_b"}, Env: map[string]string{"HOME": "/h"}, Allowed: []string{"HOME"}}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := s.Expand(text)
		if err != nil && !errors.Is(err, ErrVariable) {
			t.Fatal(err)
		}
		if len(Refs(text)) == 0 && err == nil && out != dollars(text) {
			t.Fatalf("%q became %q", text, out)
		}
		if _, err := s.Value(text); err != nil && !errors.Is(err, ErrVariable) {
			t.Fatal(err)
		}
	})
}

// TestExpand: what a value holds is not looked through again.
func TestExpand(t *testing.T) {
	s := &Scope{Args: map[string]string{"a": "$ARG_b", "n": "x"}, Stages: map[string]any{"s": "t"},
		Text: map[string]bool{"s": true}}
	for in, want := range map[string]string{"$ARG_a": "$ARG_b", "see $STAGE_s.": "see t.", "$ARG_n.md": "x.md",
		"${ARG_n}y": "xy", "$$ARG_n": "$ARG_n",
		"5$ or $$": "5$ or $$", "$HOME": "$HOME"} {
		if got, err := s.Expand(in); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	for in, hint := range map[string]string{"$ARG_m": "did you mean $ARG_", "$STAGE_s.x": "output: json",
		"$ENV_HOME": "may not read it", "$STAGE_z": "no stage of that name"} {
		if _, err := s.Expand(in); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q: %v", in, err)
		}
	}
}
