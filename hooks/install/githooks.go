package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// GitHooks are the hooks that make the daemon check HEAD. Git runs none of them for reset, fetch or
// update-ref, and other programs that commit may run none at all: they are hints, the watcher is the truth.
var GitHooks = []string{"post-commit", "post-checkout", "post-merge", "post-rewrite"}

// GitOptions are for AddGit; the zero value works.
type GitOptions struct {
	Env    []string // of git; default os.Environ()
	Blocks bool     // blocks in files even where git knows configured hooks: an editor may bring an older git
}

// AddGit enters our command into the repository's hooks: as configured hooks where git knows them (2.54
// and later), else as a block in each hook's file, after the first line, since many hooks end in exec.
// Twice is once. Files that cannot take a block are left alone and reported as *Refusal, joined in the error;
// the other hooks are installed all the same.
func AddGit(ctx context.Context, dir string, o GitOptions) ([]Change, error) {
	g, err := openGit(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if g.configured {
		if _, err := g.removeBlocks(); err != nil { // a newer git must not run both kinds
			return nil, err
		}
		return g.installConfig(ctx)
	}
	if why := g.foreignDir(); why != "" {
		return nil, &Refusal{File: g.hooks, Why: why, Snippet: hookBlock("post-commit", false)}
	}
	var out []Change
	var errs []error
	for _, name := range GitHooks {
		c, err := installBlock(g.hooks, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, c)
	}
	return out, errors.Join(errs...)
}

// RemoveGit takes both kinds out; what we made is deleted, every other byte is as it was.
func RemoveGit(ctx context.Context, dir string, o GitOptions) ([]Change, error) {
	g, err := openGit(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	out, err := g.removeConfig(ctx)
	if err != nil {
		return out, err
	}
	blocks, err := g.removeBlocks()
	return append(out, blocks...), err
}

// ExamineGit says for each hook what is there.
func ExamineGit(ctx context.Context, dir string, o GitOptions) ([]Status, error) {
	g, err := openGit(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	var out []Status
	own := g.readOwn(ctx)
	for _, name := range GitHooks {
		st := Status{File: filepath.Join(g.hooks, name), State: Absent, Events: []string{name}}
		if cmd := own[configKey(name)+".command"]; cmd != "" {
			st.File, st.State = g.configFile(), Outdated
			if cmd == configCommand(name) {
				st.State = Installed
			}
		} else if b, err := regularfile.Read(st.File, regularfile.NoLinks, maxHook); err == nil &&
			bytes.Contains(b, []byte(blockStart)) {
			st.State = Outdated
			_, made := withoutBlock(b)
			if strings.Contains(string(b)+"\n", hookBlock(name, made)) {
				st.State = Installed
			}
		}
		if why := g.foreignDir(); why != "" && st.State == Absent && !g.configured {
			st.State, st.Note = Refused, why
		}
		out = append(out, st)
	}
	return out, nil
}

// The marks of our block. made says that the whole file is ours, so that it goes with the block.
const (
	blockStart = "# >>> aoa "
	blockEnd   = "# <<< aoa\n"
)

// hookBlock is what a hook runs: nothing if aoa is gone, else a process in the background with all streams
// closed (a child that holds git's stdout hangs its caller), and always success, since the exit status of
// post-checkout is the command's.
func hookBlock(name string, made bool) string {
	whose := "managed"
	if made {
		whose = "managed, the file too"
	}
	return blockStart + "(" + whose + "; remove with: aoa remove)\n" +
		"if command -v aoa >/dev/null 2>&1; then\n" +
		"  ( aoa hook git " + name + ` "$@" </dev/null >/dev/null 2>&1 & ) || :` + "\n" +
		"fi\n" + blockEnd
}

const madeShebang = "#!/bin/sh\n"

func installBlock(dir, name string) (Change, error) {
	file := filepath.Join(dir, name)
	old, mode, err := readHook(file)
	if err != nil {
		return Change{}, err
	}
	if old == nil {
		return write(file, nil, 0o755, []byte(madeShebang+hookBlock(name, true)), Created)
	}
	rest, made := withoutBlock(old)
	block := []byte(hookBlock(name, made))
	i := bytes.IndexByte(rest, '\n') + 1
	if i == 0 { // the first line has no end: the block brings one, and leaves its own last one out
		rest, block = append(rest, '\n'), bytes.TrimSuffix(block, []byte("\n"))
		i = len(rest)
	}
	out := bytes.Join([][]byte{rest[:i], rest[i:]}, block)
	if bytes.Equal(out, old) {
		return Change{File: file, Done: Unchanged}, nil
	}
	return write(file, old, mode, out, Changed)
}

// maxHook is how large a hook may be that takes a block, in bytes.
const maxHook = 1 << 20

// readHook reads a hook's file, nil if there is none, and refuses what cannot take a block.
func readHook(file string) ([]byte, fs.FileMode, error) {
	no := func(why string) ([]byte, fs.FileMode, error) {
		return nil, 0, &Refusal{File: file, Why: why, Snippet: hookBlock(filepath.Base(file), false)}
	}
	st, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, nil
	case err != nil:
		return nil, 0, fmt.Errorf("check git hook: %w", err)
	case st.Mode()&fs.ModeSymlink != 0:
		return no("it is a symbolic link")
	case !st.Mode().IsRegular():
		return no("it is not a regular file")
	case st.Size() > maxHook:
		return no("it is larger than 1 MB")
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o100 == 0:
		return no("it is not executable, so git does not run it")
	}
	b, err := regularfile.Read(file, regularfile.NoLinks, maxHook)
	if err != nil {
		return nil, 0, fmt.Errorf("read git hook: %w", err)
	}
	if !shellScript(b) {
		return no("it is not a shell script")
	}
	return b, st.Mode().Perm(), nil
}

// shellScript reports whether the first line names a shell that understands our block.
func shellScript(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	line, _, _ := strings.Cut(string(b), "\n")
	words, ok := strings.CutPrefix(line, "#!")
	fields := strings.Fields(words)
	if !ok || len(fields) == 0 || strings.HasSuffix(line, "\r") {
		return false
	}
	if filepath.Base(fields[0]) == "env" {
		for fields = fields[1:]; len(fields) > 0 && strings.HasPrefix(fields[0], "-"); fields = fields[1:] {
		}
		if len(fields) == 0 {
			return false
		}
	}
	switch filepath.Base(fields[0]) {
	case "sh", "bash", "dash", "ash", "ksh", "zsh", "mksh", "busybox", "sh.exe", "bash.exe":
		return true
	}
	return false
}

// withoutBlock takes our block out of a hook. made says that we had made the file.
func withoutBlock(b []byte) (rest []byte, made bool) {
	i := bytes.Index(b, []byte(blockStart))
	if i <= 0 || b[i-1] != '\n' {
		return bytes.Clone(b), false
	}
	first, _, _ := bytes.Cut(b[i:], []byte("\n"))
	made = bytes.Contains(first, []byte("the file too"))
	n := bytes.Index(b[i:], []byte(blockEnd))
	if n < 0 {
		short := strings.TrimSuffix(blockEnd, "\n")
		if bytes.HasSuffix(b[i:], []byte(short)) { // the file had no last end of line
			return bytes.Clone(b[:i-1]), made
		}
		return bytes.Clone(b), false // half a block is somebody's edit
	}
	return append(bytes.Clone(b[:i]), b[i+n+len(blockEnd):]...), made
}

func (g *gitRepo) removeBlocks() ([]Change, error) {
	var out []Change
	var errs []error
	for _, name := range GitHooks {
		file := filepath.Join(g.hooks, name)
		st, err := os.Lstat(file)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		old, err := regularfile.Read(file, regularfile.NoLinks, maxHook)
		if errors.Is(err, regularfile.ErrSize) {
			continue // aOa enters no block into such a file
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("read git hook: %w", err))
			continue
		}
		rest, made := withoutBlock(old)
		if bytes.Equal(rest, old) {
			continue
		}
		c := Change{File: file, Done: Deleted}
		if made && string(rest) == madeShebang {
			err = os.Remove(file)
		} else {
			c, err = write(file, old, st.Mode().Perm(), rest, Changed)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("remove git hook: %w", err))
			continue
		}
		out = append(out, c)
	}
	return out, errors.Join(errs...)
}
