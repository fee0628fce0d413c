package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Loader keeps parsed definitions as long as the contents of their files are the same. It is safe for concurrent use.
type Loader struct {
	now    func() time.Time
	digest func(file string) ([32]byte, error)

	mu    sync.Mutex
	known map[string]parsed // absolute name
	stats LoaderStats
}

type parsed struct {
	Sum [32]byte
	Def *Definition
}

// LoaderStats counts what was asked of a loader.
type LoaderStats struct {
	Hits   int64 `json:"hits"`
	Parsed int64 `json:"parsed"`
}

// maxDefinitions bounds what is kept.
const maxDefinitions = 4096

// NewLoader returns an empty loader. digest gives the SHA-256 of a file's content, and is cheap when the file did not
// change; its error for a file that is not there is fs.ErrNotExist.
func NewLoader(now func() time.Time, digest func(file string) ([32]byte, error)) *Loader {
	return &Loader{now: now, digest: digest, known: map[string]parsed{}}
}

// maxDefinition bounds a file of definitions, in bytes.
const maxDefinition = 4 << 20

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
	if k, ok := l.known[abs]; ok && k.Sum == sum && k.Def.Kind == kind {
		l.stats.Hits++
		l.mu.Unlock()
		return k.Def, nil
	}
	l.mu.Unlock()
	data, err := regularfile.Read(abs, regularfile.FollowLinks, maxDefinition)
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
	l.stats.Parsed++
	l.known[abs] = parsed{sum, d}
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

// Broken is a definition that could not be read.
type Broken struct {
	File  string `json:"file"`
	Error string `json:"error"`
}

// All returns every definition of a repository, by kind and name, and those that are broken.
func (l *Loader) All(root string) (out []*Definition, broken []Broken, err error) {
	for _, kind := range []string{KindPipeline, KindCommand, KindAgent} {
		files, err := filesOf(root, kind)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			d, err := l.Load(root, kind, f)
			if err != nil {
				broken = append(broken, Broken{f, err.Error()})
				continue
			}
			out = append(out, d)
		}
	}
	return out, broken, nil
}

// filesOf lists the files of a kind, relative to root, sorted.
func filesOf(root, kind string) (out []string, err error) {
	where := Folders[kind]
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(where.Dir)),
		func(name string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || e.IsDir() || !slices.Contains(where.Ends, filepath.Ext(name)) {
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
	return nil, fmt.Errorf("%w: no %s is called %q in %s%s", ErrDefinition, kind, name, Folders[kind].Dir,
		didYouMean(name, names, "%q"))
}

// Stats returns the counts so far.
func (l *Loader) Stats() LoaderStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// Export returns the definitions below root in the form that Restore takes.
func (l *Loader) Export(root string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]parsed{}
	for abs, p := range l.known {
		if strings.HasPrefix(abs, root+string(filepath.Separator)) {
			out[abs] = p
		}
	}
	return json.Marshal(out)
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
