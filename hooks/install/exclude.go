package install

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// excludeNote is the line above ours in info/exclude, so that no other line is taken for ours.
const excludeNote = "# kept out of git by aoa"

// Exclude keeps a file of the worktree out of git by adding a line to info/exclude in the common
// git dir. If the line is already there nothing is added.
func Exclude(commonDir, pattern string) (Change, error) {
	name, old, mode, err := excludeFile(commonDir)
	if err != nil {
		return Change{}, err
	}
	if to := leadsOut(commonDir, filepath.Dir(name)); to != "" {
		return Change{}, &Refusal{File: name, Why: "its folder is a symbolic link to " + to, Snippet: "/" + pattern + "\n"}
	}
	if slices.Contains(lines(old), "/"+pattern) || slices.Contains(lines(old), pattern) {
		return Change{File: name, Done: Unchanged}, nil
	}
	block := excludeNote + "\n/" + pattern
	switch { // Unexclude recognizes by the form of our lines whether the file ended without a line break
	case old == nil || len(old) > 0 && old[len(old)-1] == '\n':
		block += "\n"
	case len(old) > 0:
		block = "\n" + block
	}
	done := Changed
	if old == nil {
		done = Created
	}
	return write(name, old, mode, append(slices.Clone(old), block...), done)
}

// Unexclude removes exactly the bytes that Exclude added.
func Unexclude(commonDir, pattern string) (Change, error) {
	name, old, mode, err := excludeFile(commonDir)
	if err != nil {
		return Change{}, err
	}
	block := []byte(excludeNote + "\n/" + pattern)
	i := bytes.Index(old, block)
	end := i + len(block)
	if leadsOut(commonDir, filepath.Dir(name)) != "" || i < 0 || i > 0 && old[i-1] != '\n' ||
		end < len(old) && old[end] != '\n' {
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
	return write(name, old, mode, slices.Delete(slices.Clone(old), i, end), Changed)
}

// excludeFile reads info/exclude; content is nil if the file does not exist.
func excludeFile(commonDir string) (name string, content []byte, mode fs.FileMode, err error) {
	name = filepath.Join(commonDir, "info", "exclude")
	content, mode, err = readIfThere(name)
	if err != nil {
		err = fmt.Errorf("read exclude file: %w", err)
	}
	return name, content, mode, err
}

func lines(b []byte) []string {
	return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
}
