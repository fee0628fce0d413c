package hooks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestTags(t *testing.T) {
	r := orchard()
	s := &CallContext{Repo: r}
	for _, c := range []struct {
		kind event.Kind
		said string
		file event.Path
		want string
	}{
		{event.KindRead, "", "pick/picker_test.go", "testing reading go"},
		{event.KindEdit, "", "auth/session.py", "authentication editing python"},
		{event.KindRead, "", "internal/session/author.go", "reading go"},
		{event.KindRead, "", "web/user_auth.go", "authentication reading go"},
		{event.KindRead, "", "web/oauth2.ts", "authentication reading typescript"},
		{event.KindRead, "", "README.md", "documentation reading"},
		{event.KindEdit, "", ".github/workflows/test.yml", "ci editing"},
		{event.KindWrite, "", "db/migrations/001_init.sql", "database editing sql"},
		{event.KindEdit, "", "Dockerfile", "deploy editing"},
		{event.KindPrompt, "the bug in the login page", "", "fixing authentication"},
		{event.KindRun, "golangci-lint run", "", "linting running"},
		{event.KindSearch, "refactor", "a/b.xyz", "refactoring searching"},
		{event.KindFailed, "", "", ""},
	} {
		var files []event.Path
		if c.file != "" {
			files = []event.Path{c.file}
		}
		fault.Same(t, fmt.Sprint(c), strings.Join(s.tags(c.kind, index.Terms(c.said, 32), files), " "), c.want)
	}
	many := s.tags(event.KindPrompt, index.Terms("bug refactor test document review release performance", 32), nil)
	if len(many) != MaxTags {
		t.Errorf("%d tags: %v", len(many), many)
	}
}

func TestTagRules(t *testing.T) {
	s := &CallContext{Repo: Repo{Tags: TagRules{"billing/": "#money", "*_gen.go": "generated", "docs/**/*.md": "manual",
		"a/b/": "ab", "word:Invoices": "money", "/top.txt": "top"}}}
	for file, want := range map[event.Path]string{
		"x/billing/y.zz": "money reading", "billing/y.zz": "money reading", "xbilling/y.zz": "reading",
		"x/y_gen.go": "generated reading go", "docs/q/r/c.md": "manual documentation reading",
		"docs/c.md": "manual documentation reading", "z/a/b/c": "ab reading", "za/b/c": "reading", "top.txt": "top reading",
		"x/top.txt": "reading",
	} {
		fault.Same(t, string(file), strings.Join(s.tags(event.KindRead, nil, []event.Path{file}), " "), want)
	}
	if got := s.tags(event.KindPrompt, index.Terms("send the invoices", 9), nil); len(got) != 1 || got[0] != "money" {
		t.Error(got)
	}
}
