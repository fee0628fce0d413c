package git

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

// configure appends to a repository's settings.
func configure(t *testing.T, r *repotest.Repo, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(r.Dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	fault.Check(t, err)
	_, err = f.WriteString(text)
	fault.Check(t, errors.Join(err, f.Close()))
}

// TestGitRunsNoFilter: whatever a filter driver is called, git status does not run it, or is not
// run itself.
func TestGitRunsNoFilter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a shell command")
	}
	for _, c := range []struct {
		section, attribute string
		refused            bool
	}{
		{"plain", "plain", false}, {"with.dots", "with.dots", false}, {"", "", false}, {"ÜBER", "ÜBER", false},
		{`quo\"ted`, `quo"ted`, false},
		{`back\\slash`, `back\slash`, false}, {"$(x)", "$(x)", false}, {".", ".", false}, {".clean", ".clean", false}, {"-c",
			"-c", false},
		{"a=b", "a=b", true}, {"=", "=", true}, {strings.Repeat("long", 2000), strings.Repeat("long", 400), true},
	} {
		r := repotest.New(t)
		ran := filepath.Join(t.TempDir(), "ran")
		for name, text := range map[string]string{"file.x": "content", ".gitattributes": "*.x filter=" + c.attribute + "\n"} {
			r.Write(name, text)
		}
		r.Git("add", "-A")
		configure(t, r, "[filter \""+c.section+"\"]\n\tclean = \"touch '"+ran+"'; cat\"\n\trequired\n")
		at := time.Now().Add(-time.Hour)
		fault.Check(t, os.Chtimes(filepath.Join(r.Dir, "file.x"), at, at))
		_, err := Find(r.Env).Run(t.Context(), r.Dir, "status", "--porcelain")
		if got := errors.Is(err, ErrFilters); got != c.refused || err != nil && !got {
			t.Errorf("filter %.20q: %v", c.section, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("filter %.20q ran", c.section)
		}
		if len(c.attribute) < 100 { // it would have run
			r.Git("status")
			if _, err := os.Stat(ran); err != nil {
				t.Errorf("filter %.20q does not run under plain git either", c.section)
			}
		}
	}
}

// TestGitFindsIncludedFilters: a driver counts wherever git would take it from, under every
// condition.
func TestGitFindsIncludedFilters(t *testing.T) {
	for _, section := range []string{`include`, `includeIf "gitdir:**"`, `includeIf "onbranch:main"`} {
		r := repotest.New(t)
		r.Commit("first")
		r.Write("hostile", "[filter \"x\"]\n\tclean = false\n")
		configure(t, r, "["+section+"]\n\tpath = ../hostile\n")
		got, err := Find(r.Env).settings(t.Context(), r.Dir)
		if err != nil || !slices.Contains(got, "filter.x.clean\nfalse") {
			t.Errorf("%s: %q, %v", section, got, err)
		}
	}
}

// TestGitRefuses: only subcommands on the list are run, and git only from an absolute folder.
func TestGitRefuses(t *testing.T) {
	r := repotest.New(t)
	g := Find(r.Env)
	for _, args := range [][]string{{"fetch"}, {"show"}, {"add", "-A"}, {"commit"}, {"--literal-pathspecs", "checkout"},
		{"submodule"}, {"-c"}, {}} {
		if cmd, err := g.command(t.Context(), r.Dir, args...); err == nil {
			t.Errorf("git %q: %v", args, cmd)
		}
	}
	for _, path := range []string{"", ".", "bin", t.TempDir()} {
		g := Find(append(slices.Clone(r.Env), "PATH="+path))
		if _, err := g.command(t.Context(), r.Dir, "version"); g.Found() || !errors.Is(err, ErrMissing) {
			t.Errorf("PATH %q: %v, %v", path, g.Found(), err)
		}
	}
}

// TestGitEnvironment: of the variables for git only those remain that say where settings lie.
func TestGitEnvironment(t *testing.T) {
	got := gitEnv([]string{"PATH=/bin", "GIT_DIR=/x", "GIT_CONFIG_PARAMETERS='core.fsmonitor'='x'", "GIT_EXTERNAL_DIFF=x",
		"GIT_SSH_COMMAND=x", "GIT_TRACE=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_GLOBAL=/g",
		"LANG=de_DE.UTF-8", "LC_ALL=de"})
	want := []string{"PATH=/bin", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_GLOBAL=/g", "LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func FuzzSettingsOff(f *testing.F) {
	f.Add("filter.lfs.clean\nx\x00filter.lfs.process\x00filter.a.b.smudge\n\x00filter..clean\x00")
	f.Add("filter\x00filter.\x00filter.x\x00core.excludesfile\n~/x\x00core.attributesfile\n/dev/zero\x00mailmap.file\x00")
	f.Fuzz(func(t *testing.T, out string) {
		settings := strings.Split(out, "\x00")
		options, err := settingsOff(settings, t.TempDir(), "/")
		if err != nil {
			return
		}
		for i, o := range options { // git takes what stands before the first "=" for the key
			key, _, _ := strings.Cut(o, "=")
			section := key[:strings.LastIndexByte(key, '.')+1]
			if i%2 == 1 && !slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, section) }) {
				t.Errorf("option %q sets another key", o)
			}
		}
	})
}
