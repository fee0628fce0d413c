package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
	"github.com/aoa-dev/aoa/scripts/dev/repotest"
)

func TestRun(t *testing.T) {
	r := repotest.New(t)
	r.Commit("first")
	p := Find(r.Env)
	if out, err := p.Run(t.Context(), r.Dir, "log", "--format=%s"); string(out) != "first\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	_, err := p.Run(t.Context(), r.Dir, "rev-parse", "--verify", "none")
	if e, ok := errors.AsType[*Error](err); !ok || e.Verb != "rev-parse" || ExitCode(err) != 128 ||
		!strings.Contains(e.Stderr, "fatal: ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("of a name that git does not know: %v", err)
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
	b, err := p.Blobs(t.Context(), r.Dir)
	fault.Check(t, err)
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
