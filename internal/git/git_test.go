package git

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// gitFolder is a repository without the settings of a user.
func gitFolder(t *testing.T) (dir string, env []string, git func(args ...string)) {
	t.Helper()
	dir = t.TempDir()
	env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	return dir, env, git
}

// configure appends to a repository's settings.
func configure(t *testing.T, dir, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	fault.Check(t, err)
	_, err = f.WriteString(text)
	fault.Check(t, errors.Join(err, f.Close()))
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	fault.Check(t, os.WriteFile(name, []byte(text), 0o600))
}

// TestGitRunsNoFilter: whatever a filter driver is called, git status does not run it, or is not run itself.
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
		dir, env, git := gitFolder(t)
		ran := filepath.Join(t.TempDir(), "ran")
		for name, text := range map[string]string{"file.x": "content", ".gitattributes": "*.x filter=" + c.attribute + "\n"} {
			writeFile(t, filepath.Join(dir, name), text)
		}
		git("add", "-A")
		configure(t, dir, "[filter \""+c.section+"\"]\n\tclean = \"touch '"+ran+"'; cat\"\n\trequired\n")
		at := time.Now().Add(-time.Hour)
		fault.Check(t, os.Chtimes(filepath.Join(dir, "file.x"), at, at))
		_, err := Find(env).Run(t.Context(), dir, "status", "--porcelain")
		if got := errors.Is(err, ErrFilters); got != c.refused || err != nil && !got {
			t.Errorf("filter %.20q: %v", c.section, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("filter %.20q ran", c.section)
		}
		if len(c.attribute) < 100 { // it would have run
			git("status")
			if _, err := os.Stat(ran); err != nil {
				t.Errorf("filter %.20q does not run under plain git either", c.section)
			}
		}
	}
}

// TestGitFindsIncludedFilters: a driver counts wherever git would take it from, under every condition.
func TestGitFindsIncludedFilters(t *testing.T) {
	for _, section := range []string{`include`, `includeIf "gitdir:**"`, `includeIf "onbranch:main"`} {
		dir, env, git := gitFolder(t)
		git("commit", "-q", "--allow-empty", "-m", "first")
		writeFile(t, filepath.Join(dir, "hostile"), "[filter \"x\"]\n\tclean = false\n")
		configure(t, dir, "["+section+"]\n\tpath = ../hostile\n")
		got, err := Find(env).settings(t.Context(), dir)
		if err != nil || !slices.Contains(got, "filter.x.clean\nfalse") {
			t.Errorf("%s: %q, %v", section, got, err)
		}
	}
}

// TestGitRefuses: only subcommands on the list are run, and git only from an absolute folder.
func TestGitRefuses(t *testing.T) {
	dir, env, _ := gitFolder(t)
	g := Find(env)
	for _, args := range [][]string{{"fetch"}, {"show"}, {"add", "-A"}, {"commit"}, {"--literal-pathspecs", "checkout"},
		{"submodule"}, {"-c"}, {}} {
		if cmd, err := g.command(t.Context(), dir, args...); err == nil {
			t.Errorf("git %q: %v", args, cmd)
		}
	}
	for _, path := range []string{"", ".", "bin", t.TempDir()} {
		g := Find(append(slices.Clone(env), "PATH="+path))
		if _, err := g.command(t.Context(), dir, "version"); g.Found() || !errors.Is(err, ErrMissing) {
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
