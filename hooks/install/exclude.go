package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LocalSettings is the personal settings file of Claude Code in a worktree.
const LocalSettings = ".claude/settings.local.json"

// excludeNote stands above our line in info/exclude, so that nobody else's line is ever taken for ours.
const excludeNote = "# kept out of git by aoa"

// Exclude keeps a file of the worktree out of git, by a line in info/exclude of the common git dir. A line
// that is there already, whoever wrote it, is enough.
func Exclude(commonDir, pattern string) (Change, error) {
	name, old, err := excludeFile(commonDir)
	if err != nil {
		return Change{}, err
	}
	if slices.Contains(lines(old), "/"+pattern) || slices.Contains(lines(old), pattern) {
		return Change{File: name, Done: Unchanged}, nil
	}
	block := excludeNote + "\n/" + pattern
	switch {
	case old == nil:
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return Change{}, fmt.Errorf("write %s: %w", name, err)
		}
		return writeExclude(name, nil, []byte(block+"\n"), Created)
	case len(old) > 0 && old[len(old)-1] != '\n' || len(old) == 0:
		// A missing end of line is the mark that there was none before.
		if len(old) > 0 {
			block = "\n" + block
		}
		return writeExclude(name, old, append(slices.Clone(old), block...), Changed)
	}
	return writeExclude(name, old, append(slices.Clone(old), block+"\n"...), Changed)
}

// Unexclude takes exactly those bytes out again.
func Unexclude(commonDir, pattern string) (Change, error) {
	name, old, err := excludeFile(commonDir)
	if err != nil {
		return Change{}, err
	}
	block := []byte(excludeNote + "\n/" + pattern)
	i := bytes.Index(old, block)
	end := i + len(block)
	if i < 0 || i > 0 && old[i-1] != '\n' || end < len(old) && old[end] != '\n' {
		return Change{File: name, Done: Absent}, nil
	}
	switch {
	case end < len(old):
		end++
		if i == 0 && end == len(old) {
			if err := os.Remove(name); err != nil {
				return Change{}, fmt.Errorf("delete %s: %w", name, err)
			}
			return Change{File: name, Done: Deleted}, nil
		}
	case i > 0:
		i--
	}
	return writeExclude(name, old, slices.Delete(slices.Clone(old), i, end), Changed)
}

func excludeFile(commonDir string) (name string, content []byte, err error) {
	name = filepath.Join(commonDir, "info", "exclude")
	content, err = os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil, nil
	}
	if err != nil {
		return name, nil, fmt.Errorf("read exclude file: %w", err)
	}
	if content == nil {
		content = []byte{}
	}
	return name, content, nil
}

func writeExclude(name string, old, content []byte, done string) (Change, error) {
	mode := fs.FileMode(0o644)
	if st, err := os.Stat(name); err == nil {
		mode = st.Mode().Perm()
	}
	if err := replaceFile(name, old, content, mode); err != nil {
		return Change{}, fmt.Errorf("write exclude file: %w", err)
	}
	return Change{File: name, Done: done}, nil
}

func lines(b []byte) []string {
	return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
}
