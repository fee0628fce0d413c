package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/watcher"
)

// names finds the files that typed names mean. A name outside of the repository is an error.
func (a *app) names(ctx context.Context, typed ...string) ([]api.NamedFiles, error) {
	if len(typed) == 0 {
		return nil, nil
	}
	ans, err := call(ctx, a, api.Names, api.NamesRequest{Names: typed, Dir: a.dir})
	for _, n := range ans.Names {
		switch n.Is {
		case api.NameRoot:
			if n.Typed == "" {
				return nil, usage("a name is empty")
			}
			return nil, usage("%s is the whole repository, name a file or a folder in it", n.Typed)
		case api.NameOutside:
			return nil, fail(exitUsage, "name a file below "+string(a.root), "%s is not in this repository", n.Typed)
		}
	}
	return ans.Names, err
}

// files returns the files that names mean. A folder means the files in it. An unknown name is an
// error, and so is a deleted file, unless gone is true. If a name means a file with another path,
// files prints that path.
func (a *app) files(found []api.NamedFiles, gone bool) (out []event.Path, err error) {
	for _, n := range found {
		if !gone {
			n = n.Present()
		}
		if n.Is == api.NameFolder && len(n.Files) == 0 {
			hint := ""
			if a.openedRepo.Nested(n.Path+"/.") != "" {
				hint = "cd " + event.ShellWord(n.Typed) + ": it is a repository of its own"
			}
			return nil, fail(exitNoFile, hint, "no file of the folder %s can be suggested", n.Typed)
		}
		if n.Is == api.NameUnknown {
			return nil, n.Unknown(a.near)
		}
		if n.Is == api.NameBase {
			a.talk("%s is %s", n.Typed, a.near(n.Files[0]))
		}
		out = append(out, n.Files...)
	}
	return out, nil
}

// file returns the one file that a name means. A deleted file is an error unless gone is true. A
// folder is an error, too.
func (a *app) file(ctx context.Context, typed string, gone bool) (event.Path, error) {
	found, err := a.names(ctx, typed)
	if err != nil {
		return "", err
	}
	if found[0].Is == api.NameFolder {
		return "", usage("%s is a folder, name a file", typed)
	}
	files, err := a.files(found, gone)
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// place returns the file or the folder that a name means. A folder ends in a slash. With exact, a
// file of that name in another folder is an error, and so is a line of a file.
func (a *app) place(ctx context.Context, typed string, exact bool) (event.Path, error) {
	found, err := a.names(ctx, typed)
	if err != nil {
		return "", err
	}
	n := &found[0]
	if n.Is == api.NameBase && exact {
		n.Is, n.Near = api.NameUnknown, n.Files
	}
	if exact && len(n.Files) == 1 && index.WithoutLine(typed) != typed && filepath.Base(typed) != n.Files[0].Base() {
		return "", usage("%s is a place in %s: name the whole file", typed, a.near(n.Files[0]))
	}
	if n.Is == api.NameFolder {
		return n.Path + "/", nil
	}
	files, err := a.files(found, true)
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// abs returns the absolute name for a file name on the command line.
func (a *app) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.dir, name)
}

// near returns a file's name as seen from the current folder.
func (a *app) near(p event.Path) string {
	if a.from == "" {
		return string(p)
	}
	name, err := filepath.Rel(a.from, a.root.Abs(p))
	if err != nil {
		return string(p)
	}
	return filepath.ToSlash(name)
}

// noteFolder records the repository and the current folder, so that names can be printed as seen
// from there.
func (a *app) noteFolder(repo *watcher.Repo) {
	a.root, a.from = repo.Root, ""
	if dir, err := filepath.EvalSymlinks(a.dir); err == nil && dir != string(repo.Root) {
		a.from = dir
	}
}

// typed returns the name of a file as a person would type it in a shell.
func (a *app) typed(p event.Path) string { return event.ShellWord(a.near(p)) }

// display returns near, made safe for a terminal.
func (a *app) display(p event.Path) string { return event.Path(a.near(p)).Display() }

// readNames reads names from standard input, one per line or ended by a NUL, at most 1 MB. A name
// in quotes is unquoted, because git quotes names with characters outside of ASCII. It is an error
// if there are no names, because the question would then be a different one.
func readNames(in io.Reader) (out []string, err error) {
	const most = 1 << 20
	raw, err := io.ReadAll(io.LimitReader(in, most+1))
	text := string(raw)
	if strings.Contains(text, "\x00") {
		out = slices.DeleteFunc(strings.Split(text, "\x00"), func(name string) bool { return name == "" })
		text = ""
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) == "" {
			continue
		}
		if plain, quoted := strconv.Unquote(line); quoted == nil && line[0] == '"' {
			line = plain
		}
		out = append(out, line)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read names from standard input: %w", err)
	case len(raw) > most:
		return nil, usage("more than 1 MB of names came from standard input")
	case len(out) == 0:
		return nil, usage("no names came from standard input")
	}
	return out, nil
}

// leaveOut drops names that mean no file, and says so. A program that lists files may also list
// submodules and deleted files. If no name would be left, all stay, and the first becomes an error.
func (a *app) leaveOut(found []api.NamedFiles) (out []api.NamedFiles) {
	var no []event.Path
	for _, n := range found {
		if n = n.Present(); len(n.Files) == 0 {
			no = append(no, event.Path(n.Typed))
		} else {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return found
	}
	if len(no) > 0 {
		a.talk("left out %s, which cannot be suggested: %s", plural(len(no), "name"), a.firstNames(no, 5))
	}
	return out
}

// prose reports whether the arguments are really a prompt without --prompt, or the rest of an
// unquoted one: several words, none of them a file, and most of them not even like names.
func prose(prompt string, typed []string, found []api.NamedFiles) bool {
	words, named := len(strings.Fields(prompt)), 0
	for i, t := range typed {
		if found[i].Is != api.NameUnknown {
			return false
		}
		for _, w := range strings.Fields(t) {
			words++
			if strings.ContainsAny(w, `/\`) || strings.Contains(w, ".") && index.LooksNamed(w) {
				named++
			}
		}
	}
	return words > 1 && 2*named < words
}

// sessionFlag adds the flag --session, whose value may be the beginning of a session's id.
func (a *app) sessionFlag(c *cobra.Command, to *string, help string) {
	c.Flags().Var((*given)(to), "session", help)
	c.PreRunE = func(c *cobra.Command, _ []string) (err error) {
		if c.Flags().Changed("session") && *to != "" {
			*to, err = a.oneSession(c.Context(), *to)
		}
		return err
	}
}

// oneSession returns the whole id of a session that a person named by its id, or by a beginning
// that no other id has.
func (a *app) oneSession(ctx context.Context, typed string) (string, error) {
	if typed == "" {
		return "", fail(exitFailed, "aoa session list --archived names them", `no session is called ""`)
	}
	ans, err := call(ctx, a, api.Names, api.NamesRequest{Session: typed})
	return ans.Session, err
}

// ownSessionFlag is sessionFlag for commands that agents run. The default is the agent's own
// session; if that is not known, the daemon takes the newest session that has not ended.
func (a *app) ownSessionFlag(c *cobra.Command, to *string) {
	a.sessionFlag(c, to, "the session (default: CLAUDE_CODE_SESSION_ID, else the newest one)")
	*to = a.getenv("CLAUDE_CODE_SESSION_ID")
}
