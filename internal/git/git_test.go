package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
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

func TestRun(t *testing.T) {
	r := repotest.New(t)
	r.Commit("first")
	p := Find(r.Env)
	if out, err := p.Run(t.Context(), r.Dir, "log", "--format=%s"); string(out) != "first\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	_, err := p.Run(t.Context(), r.Dir, "rev-parse", "--verify", "none")
	if e, ok := errors.AsType[*Error](err); !ok || e.Verb != "rev-parse" || ExitCode(err) != 128 ||
		!strings.Contains(e.Stderr, "fatal: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("of a name that git does not know: %v", err)
	}
	name := "--" + strings.Repeat("x", 9<<10)
	if _, err := p.Run(t.Context(), r.Dir, "log", name); err == nil || len(err.Error()) > 3<<10 {
		t.Errorf("the message about a long name is %.80v…", err)
	}
	stop := errors.New("stop")
	if err := p.Stream(t.Context(), r.Dir, "HEAD\n", func(io.Reader) error { return stop }, "rev-list",
		"--stdin"); !errors.Is(err, stop) {
		t.Errorf("the reader's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, r.Dir, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestBlobs(t *testing.T) {
	r := repotest.New(t)
	for name, text := range map[string]string{"a b": "one\n", "empty": "", "large": "more than eight bytes"} {
		r.Write(name, text)
	}
	r.Commit("first")
	b, err := Find(r.Env).Blobs(t.Context(), r.Dir)
	fault.Check(t, err)
	defer b.Close()
	for _, c := range []struct {
		name string
		want []byte
		err  error
	}{
		{"HEAD:a b", []byte("one\n"), nil}, {"HEAD:none", nil, ErrNoBlob}, {"HEAD:large", nil, nil}, {"HEAD", nil, nil},
		{"HEAD:line\nbreak", nil, nil}, {"HEAD:empty", []byte{}, nil},
	} {
		got, err := b.Read(c.name, 8)
		if !bytes.Equal(got, c.want) || (got == nil) != (c.want == nil) || !errors.Is(err, c.err) {
			t.Errorf("%q: %q, %v", c.name, got, err)
		}
	}
}

func FuzzReadBlob(f *testing.F) {
	id := strings.Repeat("0", 40)
	f.Add([]byte(id + " blob 4\none\n\n" + id + " commit 3\nabc\nx missing\n"))
	f.Add([]byte(id + " blob 99999999999\n"))
	f.Add([]byte(id + " blob -1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in := bufio.NewReader(bytes.NewReader(text))
		for range 100 {
			data, err := readBlob(in, 16)
			if len(data) > 16 {
				t.Errorf("%d bytes", len(data))
			}
			if err != nil && !errors.Is(err, ErrNoBlob) {
				return
			}
		}
	})
}

// TestTooLate: a command that waits is ended, and the error says for what it may wait.
func TestTooLate(t *testing.T) {
	r := repotest.New(t)
	bin := t.TempDir()
	fault.Check(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nexec tail -f /dev/null\n"), 0o700))
	p := Find(append(r.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH")))
	p.limit = 200 * time.Millisecond
	if _, err := p.Run(t.Context(), r.Dir, "ls-files"); !errors.Is(err, errLate) {
		t.Errorf("%v", err)
	}
	b := fault.Must(p.Blobs(t.Context(), r.Dir))
	defer b.Close()
	if data, err := b.Read("HEAD:a", 8); err == nil {
		t.Errorf("read %q", data)
	}
}

// TestNewerRepository: of a repository that needs a newer git, the error says what to do.
func TestNewerRepository(t *testing.T) {
	r := repotest.New(t)
	r.Git("config", "core.repositoryFormatVersion", "1")
	r.Git("config", "extensions.unheardOf", "true")
	if _, err := Find(r.Env).Run(t.Context(), r.Dir, "rev-parse", "HEAD"); err == nil || !strings.HasSuffix(err.Error(), "install a newer git, then aoa daemon stop") {
		t.Error(err)
	}
}
