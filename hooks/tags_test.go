package hooks

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/aoa"
)

func TestTags(t *testing.T) {
	r := orchard()
	s := &scene{repo: r}
	for _, c := range []struct {
		kind aoa.Kind
		said string
		file aoa.Path
		want string
	}{
		{aoa.KindRead, "", "pick/picker_test.go", "testing reading go"},
		{aoa.KindEdit, "", "auth/session.py", "authentication editing python"},
		{aoa.KindRead, "", "README.md", "documentation reading"},
		{aoa.KindEdit, "", ".github/workflows/test.yml", "ci editing"},
		{aoa.KindWrite, "", "db/migrations/001_init.sql", "database editing sql"},
		{aoa.KindEdit, "", "Dockerfile", "deploy editing"},
		{aoa.KindPrompt, "the bug in the login page", "", "fixing authentication"},
		{aoa.KindRun, "golangci-lint run", "", "linting running"},
		{aoa.KindSearch, "refactor", "a/b.xyz", "refactoring searching"},
		{aoa.KindFailed, "", "", ""},
	} {
		var files []aoa.Path
		if c.file != "" {
			files = []aoa.Path{c.file}
		}
		if got := strings.Join(s.tags(c.kind, aoa.Terms(c.said, 32), files), " "); got != c.want {
			t.Errorf("%v: %q", c, got)
		}
	}
	many := s.tags(aoa.KindPrompt, aoa.Terms("bug refactor test document review release performance", 32), nil)
	if len(many) != MaxTags {
		t.Errorf("%d tags: %v", len(many), many)
	}
}

func TestTagRules(t *testing.T) {
	s := &scene{repo: Repo{Tags: TagRules{"billing/": "#money", "*_gen.go": "generated", "docs/**/*.md": "manual", "a/b/": "ab", "word:Invoices": "money", "/top.txt": "top"}}}
	for file, want := range map[aoa.Path]string{
		"x/billing/y.zz": "money reading", "billing/y.zz": "money reading", "xbilling/y.zz": "reading", "x/y_gen.go": "generated reading go", "docs/q/r/c.md": "manual documentation reading",
		"docs/c.md": "manual documentation reading", "z/a/b/c": "ab reading", "za/b/c": "reading", "top.txt": "top reading", "x/top.txt": "reading",
	} {
		if got := strings.Join(s.tags(aoa.KindRead, nil, []aoa.Path{file}), " "); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if got := s.tags(aoa.KindPrompt, aoa.Terms("send the invoices", 9), nil); len(got) != 1 || got[0] != "money" {
		t.Error(got)
	}
}
