package pipeline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Loader keeps parsed definitions as long as the contents of their files are the same. It is safe for concurrent use.
type Loader struct {
	digest func(file string) (string, error)

	mu    sync.Mutex
	known map[string]parsed // absolute name
	fresh bool              // something was parsed since Export
}

type parsed struct {
	Sum []byte // digest of the file
	Def *Definition
}

// maxDefinitions bounds what is kept.
const maxDefinitions = 4096

// NewLoader returns an empty loader. digest identifies a file's content, and is cheap when the file did not change; its
// error for a file that is not there is fs.ErrNotExist.
func NewLoader(digest func(file string) (string, error)) *Loader {
	return &Loader{digest: digest, known: map[string]parsed{}}
}

// Load returns the definition of a file, parsed at most once per content. file is relative to root or absolute. The
// definition is shared: do not write to it.
func (l *Loader) Load(root, kind, file string) (*Definition, error) {
	abs := filepath.FromSlash(file)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(root, abs)
	}
	sum, err := l.digest(abs)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDefinition, file, plainError(err))
	}
	l.mu.Lock()
	k, ok := l.known[abs]
	l.mu.Unlock()
	if ok && string(k.Sum) == sum && k.Def.Kind == kind {
		return k.Def, nil
	}
	data, err := regularfile.Read(abs, regularfile.FollowLinks, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDefinition, file, plainError(err))
	}
	d, err := Parse(kind, file, data)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxDefinitions {
		clear(l.known)
	}
	l.known[abs], l.fresh = parsed{[]byte(sum), d}, true
	return d, nil
}

// plainError removes the call and the name from an error: the caller adds them.
func plainError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// filesOf lists the files of a kind, relative to root, sorted.
func filesOf(root, kind string) (out []string, err error) {
	where := folders[kind]
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(where.dir)),
		func(name string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || e.IsDir() || !slices.Contains(where.ends, filepath.Ext(name)) {
				return err
			}
			rel, err := filepath.Rel(root, name)
			if len(out) < maxDefinitions {
				out = append(out, filepath.ToSlash(rel))
			}
			return err
		})
	return out, err
}

// Find returns the definition of that kind and name.
func (l *Loader) Find(root, kind, name string) (*Definition, error) {
	files, err := filesOf(root, kind)
	if err != nil {
		return nil, err
	}
	var names []string
	want := strings.NewReplacer("/", ".", ":", ".").Replace(name)
	for _, f := range files {
		if definitionName(kind, f) == want {
			return l.Load(root, kind, f)
		}
		names = append(names, definitionName(kind, f))
	}
	if kind == KindAgent { // an agent may call itself something else than its file
		for _, f := range files {
			if d, err := l.Load(root, kind, f); err == nil && d.Name == name {
				return d, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: no %s is called %q in %s%s; there is: %s", ErrDefinition, kind, name, folders[kind].dir,
		didYouMean(name, names, "%q"), cmp.Or(strings.Join(names, ", "), "none"))
}

// Export returns the definitions in the form that Restore takes, nil if none was parsed since the last call.
func (l *Loader) Export() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.fresh {
		return nil, nil
	}
	l.fresh = false
	return json.Marshal(l.known)
}

// Restore takes back what Export returned. Each definition is used only while its file holds what it was parsed from.
func (l *Loader) Restore(data []byte) error {
	in := map[string]parsed{}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("restore definitions: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for abs, p := range in {
		if _, known := l.known[abs]; !known && p.Def != nil && len(l.known) < maxDefinitions {
			l.known[abs] = p
		}
	}
	return nil
}
