package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/git"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// The git hooks to which aOa can be added.
const (
	// Makes the daemon look at HEAD at once. Without it the watcher sees what git does, only later.
	GitHook   = "post-commit"
	CheckHook = "pre-commit" // runs aoa check on the commit that is being made
)

// GitHooks has both.
var GitHooks = []string{GitHook, CheckHook}

// The marks around our block in a hook, and the beginning of a hook file that we created.
const (
	blockStart = "# >>> aoa (remove with: aoa remove)\n"
	blockEnd   = "# <<< aoa\n"
	madeFile   = "#!/bin/sh\n# made by aoa hooks install git\n"
)

// commitBlock does nothing if aoa is gone. Otherwise it starts a process in the background with all
// streams closed, because a child that keeps git's stdout open makes git's caller hang.
const commitBlock = blockStart + "if command -v aoa >/dev/null 2>&1; then\n" +
	"  ( aoa hook git " + GitHook + " </dev/null >/dev/null 2>&1 & ) || :\n" + "fi\n" + blockEnd

// checkBlock stops a commit only if the check has findings. If aoa check cannot answer it ends with
// another code.
const checkBlock = blockStart + "if [ \"${AOA-}\" != 0 ] && command -v aoa >/dev/null 2>&1; then\n" +
	"  aoa check --staged || [ $? -ne 1 ] || exit 1\n" + "fi\n" + blockEnd

// blocks has the lines that we add to each hook.
var blocks = map[string]string{GitHook: commitBlock, CheckHook: checkBlock}

// shells matches the first line of scripts in which our block works.
var shells = regexp.MustCompile(
	`^#! *(\S*/)?(env +(-\S+ +)*)?(\S*/)?(sh|bash|dash|ash|ksh|zsh|mksh|busybox)(\.exe)?( [^\r\n]*)?\n`)

// GitRepo is a repository whose hook is edited.
type GitRepo struct {
	Root      string   // the root of the worktree
	CommonDir string   // the git dir that all worktrees share
	Env       []string // the environment for git
}

// AddGit adds our block to one of the repository's GitHooks, after the first line, because many
// hooks end in exec. Adding it twice changes nothing. The error is a *Refusal if the hook cannot
// take the block, or if another program writes the hook.
func AddGit(ctx context.Context, repo GitRepo, hook string) (Change, error) {
	hookBlock := blocks[hook]
	file, err := repo.hook(ctx, hook)
	if err != nil {
		return Change{}, err
	}
	old, mode, err := readHook(file, hookBlock)
	switch {
	case err != nil:
		return Change{}, err
	case old == nil:
		return write(file, nil, 0o755, []byte(madeFile+hookBlock), Created)
	case bytes.Contains(old, []byte(hookBlock)):
		return Change{File: file, Done: Unchanged}, nil
	}
	if m := managerOf("", old); m != nil {
		return Change{}, m.refusal(repo, hook, file)
	}
	first, rest, _ := bytes.Cut(old, []byte("\n"))
	return write(file, old, mode, slices.Concat(first, []byte("\n"+hookBlock), rest), Changed)
}

// RemoveGit removes our block from one of the hooks. A file that has nothing else is deleted;
// otherwise every other byte stays.
func RemoveGit(ctx context.Context, repo GitRepo, hook string) (Change, error) {
	hookBlock := blocks[hook]
	file, err := repo.hook(ctx, hook)
	if refused, ok := errors.AsType[*Refusal](err); ok { // aOa never writes there
		return Change{File: refused.File, Done: Absent}, nil
	}
	if err != nil {
		return Change{}, err
	}
	old, mode, err := readHook(file, hookBlock)
	rest := bytes.Replace(old, []byte(hookBlock), nil, 1)
	switch {
	case len(rest) == len(old): // also if the file cannot be read: then it cannot have our block
		return Change{File: file, Done: Absent}, nil
	case err != nil:
		return Change{}, err
	case string(rest) == madeFile:
		return Change{File: file, Done: Deleted}, os.Remove(file)
	}
	return write(file, old, mode, rest, Changed)
}

// ExamineGit tells which hooks have a block of ours. File is the first of them, or the one that
// would be refused.
func ExamineGit(ctx context.Context, repo GitRepo) (Status, error) {
	st := Status{State: Absent, Events: []string{}}
	for _, name := range GitHooks {
		file, err := repo.hook(ctx, name)
		var hook []byte
		if err == nil {
			hook, _, err = readHook(file, blocks[name])
		}
		refused, ok := errors.AsType[*Refusal](err)
		switch {
		case ok:
			if st.State == Absent {
				st.File, st.State, st.Note = refused.File, Refused, refused.Why
			}
		case err != nil:
			return st, err
		case bytes.Contains(hook, []byte(blocks[name])):
			if st.State != Installed {
				st.File, st.Note = file, ""
			}
			st.State, st.Events = Installed, append(st.Events, name)
		}
	}
	return st, nil
}

// hook returns the file in which git looks for a hook. A folder that the user has configured is
// tracked or shared, so it is refused.
func (r GitRepo) hook(ctx context.Context, name string) (string, error) {
	hookBlock, file := blocks[name], filepath.Join(r.CommonDir, "hooks", name)
	if to := leadsOut(r.CommonDir, filepath.Dir(file)); to != "" {
		return "", &Refusal{File: file, Why: "its folder is a symbolic link to " + to, Snippet: hookBlock}
	}
	// Our own calls of git set another value on the command line, so that git runs no hooks.
	// --show-origin distinguishes the two.
	set, err := git.Find(r.Env).Run(ctx, r.Root, "config", "-z", "--show-origin", "--type=path", "--get-all",
		"core.hooksPath")
	if err != nil {
		return "", fmt.Errorf("find the hooks of %s: %w", r.Root, err)
	}
	for fields := strings.Split(string(set), "\x00"); len(fields) >= 2; fields = fields[2:] {
		if fields[0] == "command line:" || from(r.Root, fields[1]) == filepath.Dir(file) {
			continue
		}
		if m := managerOf(fields[1], nil); m != nil {
			return "", m.refusal(r, name, fields[1]+", which is core.hooksPath")
		}
		return "", &Refusal{File: filepath.Join(from(r.Root, fields[1]), name), Why: "core.hooksPath is " + fields[1] +
			", whose scripts may be tracked or shared", Snippet: hookBlock}
	}
	return file, nil
}

// from returns the absolute name of a path that git printed.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readHook reads a hook's file, or returns nil if none exists. It refuses a file to which a block
// cannot be added.
func readHook(file, block string) ([]byte, fs.FileMode, error) {
	st, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("check git hook: %w", err)
	}
	why := unfit(st)
	if why == "" && runtime.GOOS != "windows" && st.Mode().Perm()&0o100 == 0 {
		why = "it is not executable, so git does not run it"
	}
	var b []byte
	if why == "" {
		if b, err = regularfile.Read(file, regularfile.NoLinks, maxSettings); err != nil {
			return nil, 0, fmt.Errorf("read git hook: %w", err)
		}
		if !shells.Match(b) || bytes.IndexByte(b, 0) >= 0 {
			why = "it is not a shell script"
		}
	}
	if why != "" {
		return nil, 0, &Refusal{File: file, Why: why, Snippet: block}
	}
	return b, st.Mode().Perm(), nil
}

// manager is a program that writes git's hooks itself. It would overwrite what we add there, so our
// command has to be in its own configuration.
type manager struct {
	name    string
	mark    string // occurs in the hooks that it writes; "" if it has a folder
	folder  string // the end of core.hooksPath
	file    string // where people add commands; "%" stands for the hook
	snippet string // what to add there; "%" stands for the hook, "$" for the command
}

var managers = []manager{
	// the file is committed
	{name: "husky", folder: ".husky/_", file: ".husky/%", snippet: "if command -v aoa >/dev/null; then $; fi\n"},
	{name: "lefthook", mark: "call_lefthook", file: "lefthook.yml",
		snippet: "%:\n  commands:\n    aoa:\n      run: $\n"},
	{name: "pre-commit", mark: "# File generated by pre-commit", file: ".pre-commit-config.yaml",
		snippet: "repos:\n  - repo: local\n    hooks:\n      - {id: aoa-check, name: aoa, entry: $, language: system, " +
			"pass_filenames: false, always_run: true}\n"},
}

// commands has the command that a manager has to run in each hook.
var commands = map[string]string{GitHook: "aoa hook git " + GitHook, CheckHook: "aoa check --staged"}

// postCommit is how the settings of pre-commit name a hook that does not run before commits. Its
// name for hooks that do differs between versions.
const postCommit = ", stages: [" + GitHook + "]"

// refusal returns the error that tells where users of this manager add our command. why tells what
// belongs to the manager.
func (m *manager) refusal(r GitRepo, hook, why string) *Refusal {
	replace := []string{"%", hook, "$", commands[hook]}
	if hook == GitHook {
		replace = append(replace, "always_run: true", "always_run: true"+postCommit)
	}
	fill := strings.NewReplacer(replace...)
	return &Refusal{File: filepath.Join(r.Root, filepath.FromSlash(fill.Replace(m.file))),
		Why: m.name + " writes " + why, Snippet: fill.Replace(m.snippet)}
}

// managerOf returns the manager that owns a folder of hooks, or has written a hook; nil if none does.
func managerOf(folder string, hook []byte) *manager {
	for i, m := range managers {
		if m.folder != "" && strings.HasSuffix("/"+filepath.ToSlash(filepath.Clean(folder)), "/"+m.folder) ||
			m.mark != "" && bytes.Contains(hook, []byte(m.mark)) {
			return &managers[i]
		}
	}
	return nil
}
