package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// settingsFile is a settings file that is about to be edited.
type settingsFile struct {
	name    string // the name that the caller gave
	target  string // with symlinks resolved
	old     []byte // nil if the file does not exist
	mode    fs.FileMode
	within  string // a link must not lead out of this folder
	snippet string
}

func (f *settingsFile) refuse(why string) error {
	return &Refusal{File: f.name, Why: why, Snippet: f.snippet}
}

// open reads the file. It refuses a file that must not be replaced: a link that leads elsewhere, a
// file with a hard link, or one that is read-only or too large.
func open(a agents.Agent, name string, o Options) (*settingsFile, error) {
	within := o.Within
	if within == "" {
		within = filepath.Dir(filepath.Dir(name))
	}
	f := &settingsFile{name: name, target: name, mode: 0o644, within: within, snippet: Snippet(a, o)}
	_, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if to := leadsOut(within, filepath.Dir(name)); to != "" {
			return f, f.refuse("its folder is a symbolic link to " + to)
		}
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check settings: %w", err)
	}
	if f.target, err = filepath.EvalSymlinks(name); err != nil {
		return nil, f.refuse("it is a symbolic link to a missing file")
	}
	if !inside(within, f.target) {
		return nil, f.refuse("it is a symbolic link to " + f.target)
	}
	st, err := os.Stat(f.target)
	if err != nil {
		return nil, fmt.Errorf("check settings: %w", err)
	}
	why := unfit(st)
	if why == "" && st.Mode().Perm()&0o200 == 0 {
		why = "it is read-only"
	}
	if why != "" {
		return nil, f.refuse(why)
	}
	if f.old, f.mode, err = readIfThere(f.target); err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return f, nil
}

// leadsOut returns where symbolic links lead to if they take a folder out of another one, "" if
// they do not or the folder is missing.
func leadsOut(within, dir string) string {
	to, err := filepath.EvalSymlinks(dir)
	if err != nil || inside(within, to) {
		return ""
	}
	return to
}

// inside reports whether name, with symlinks resolved, is in dir.
func inside(dir, name string) bool {
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		dir = d
	}
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

func (f *settingsFile) write(done string, b []byte) (Change, error) {
	c, err := write(f.target, f.old, f.mode, b, done)
	if err == nil {
		c.File = f.name
	}
	return c, err
}

// delete removes the file, and then the folders above it that are empty, up to but not including
// within.
func (f *settingsFile) delete() (Change, error) {
	if err := os.Remove(f.target); err != nil {
		return Change{}, fmt.Errorf("delete settings: %w", err)
	}
	for dir := filepath.Dir(f.target); inside(f.within, filepath.Dir(dir)); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break
		}
	}
	return Change{File: f.name, Done: Deleted}, nil
}

// maxSettings is the largest settings file or hook that is edited, in bytes. 300,000 keys would take
// 2.6 s.
const maxSettings = 1 << 20

// unfit returns why a file cannot be replaced by another one, "" if it can.
func unfit(st fs.FileInfo) string {
	switch {
	case !st.Mode().IsRegular():
		return "it is not a regular file"
	case hardLinked(st):
		return "it has a hard link: the other name would not change with it"
	case st.Size() > maxSettings:
		return "it is larger than 1 MB"
	}
	return ""
}

// readIfThere reads a file. If the file does not exist, content is nil, and mode is the mode for a
// new file. For an empty file content is not nil.
func readIfThere(name string) (content []byte, mode fs.FileMode, err error) {
	content, err = regularfile.Read(name, regularfile.FollowLinks, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o644, nil
	}
	if err != nil {
		return nil, 0, err
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	return append([]byte{}, content...), st.Mode().Perm(), nil
}

// write replaces the content of a file, and creates the folder of a new one. It refuses if the content
// is no longer old (nil: if the file exists by now), because someone else has just written it. After an
// error the created folders are removed again.
func write(name string, old []byte, mode fs.FileMode, content []byte, done string) (Change, error) {
	var missing []string // folders to create, the deepest first
	for dir := filepath.Dir(name); old == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		unchanged := func() error {
			now, _, err := readIfThere(name)
			if err == nil && (!bytes.Equal(now, old) || (now == nil) != (old == nil)) {
				err = fmt.Errorf("%s was changed by someone else meanwhile; try again", name)
			}
			return err
		}
		err = atomicfile.WriteBytes(name, atomicfile.Options{Mode: mode, Check: unchanged}, content)
	}
	if err != nil {
		for _, dir := range missing {
			_ = os.Remove(dir) // fails if someone has put something into it, which is right
		}
		return Change{}, fmt.Errorf("write %s: %w", name, err)
	}
	return Change{File: name, Done: done}, nil
}

// kept has the bytes of a settings file before Add edited it. As long as the file is what Add
// wrote, Remove restores these bytes; otherwise it only removes our entries.
type kept struct {
	File   string `json:"file"`
	Before []byte `json:"before"` // nil if there was no file
	Wrote  string `json:"wrote"`  // SHA-256 of what Add wrote
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// keptFile returns where the bytes of a settings file are kept, "" if nowhere.
func (o Options) keptFile(target string) string {
	if o.Kept == "" {
		return ""
	}
	return filepath.Join(o.Kept, sum([]byte(target))[:16]+".json")
}

// readKept returns the kept bytes of the file. ok is false if none exist, or if someone else
// has changed the file since.
func (o Options) readKept(f *settingsFile) (k kept, ok bool) {
	k, ok = loadKept(o.keptFile(f.target))
	return k, ok && k.File == f.target && k.Wrote == sum(f.old)
}

func loadKept(name string) (k kept, ok bool) {
	b, err := regularfile.Read(name, regularfile.NoLinks, 2*maxSettings)
	return k, err == nil && json.Unmarshal(b, &k) == nil
}

// keep stores the present bytes before a file is written. A failure is not an error, because Remove
// can still remove only our entries.
func (o Options) keep(f *settingsFile, before, wrote []byte) {
	name := o.keptFile(f.target)
	if name == "" || os.MkdirAll(o.Kept, 0o700) != nil {
		return
	}
	o.sweep()
	if b, err := json.Marshal(kept{f.target, before, sum(wrote)}); err == nil {
		_ = atomicfile.WriteBytes(name, atomicfile.Options{}, b)
	}
}

// sweep deletes the kept bytes of files that no longer exist.
func (o Options) sweep() {
	names, _ := filepath.Glob(filepath.Join(o.Kept, "*.json")) // a bad pattern finds nothing
	for _, name := range names {
		if k, ok := loadKept(name); ok {
			if _, err := os.Lstat(k.File); errors.Is(err, fs.ErrNotExist) {
				_ = os.Remove(name)
			}
		}
	}
}

// drop deletes the kept bytes of a file, and their folder if it is then empty.
func (o Options) drop(f *settingsFile) {
	if name := o.keptFile(f.target); name != "" {
		_ = os.Remove(name) // it may be missing
		_ = os.Remove(o.Kept)
	}
}
