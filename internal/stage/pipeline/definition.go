package pipeline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// The kinds of Definition.
const (
	KindAgent    = "agent"
	KindCommand  = "command"
	KindPipeline = "pipeline"
)

// folders has the folder with the definitions of each kind, and the extensions of their files.
var folders = map[string]struct {
	dir  string
	ends []string
}{
	KindAgent:    {".claude/agents", []string{".md"}},
	KindCommand:  {".claude/commands", []string{".md"}},
	KindPipeline: {".aoa/pipelines", []string{".yaml", ".yml"}},
}

// Definition is one parsed file.
type Definition struct {
	Kind     string    `json:"kind"`
	Name     string    `json:"name"` // dots stand for folders: context/load.md is context.load
	File     string    `json:"file"` // relative to the root
	Model    string    `json:"model,omitempty"`
	Body     string    `json:"body,omitempty"`
	Pipeline *Pipeline `json:"pipeline,omitempty"`
}

// Parse parses a definition.
func Parse(kind, file string, data []byte) (*Definition, error) {
	d := &Definition{Kind: kind, File: file, Name: definitionName(kind, file)}
	if kind == KindPipeline {
		p, err := Decode(file, data)
		if err != nil {
			return nil, err
		}
		d.Pipeline = p
		return d, nil
	}
	head, body := frontMatter(data)
	d.Body = strings.TrimSpace(string(body)) + "\n"
	for k, v := range head {
		switch k {
		case "name":
			if kind == KindAgent && v != nil {
				d.Name = Text(v)
			}
		case "model":
			d.Model = Text(v)
		}
	}
	return d, nil
}

// definitionName returns the name of a definition: its file's path below the folder of its kind,
// with dots.
func definitionName(kind, file string) string {
	name := strings.TrimPrefix(file, folders[kind].dir+"/")
	return strings.ReplaceAll(strings.TrimSuffix(name, path.Ext(name)), "/", ".")
}

// frontMatter separates the head, between two lines "---", from the body. Descriptions in heads
// often contain a colon, which YAML refuses; then each line is read as a name and a text.
func frontMatter(data []byte) (head map[string]any, body []byte) {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(data, []byte("---\n"))
	if !ok {
		return nil, data
	}
	raw, body, ok := bytes.Cut(append([]byte("\n"), append(rest, '\n')...), []byte("\n---\n"))
	if !ok {
		return nil, data
	}
	if yaml.Unmarshal(raw, &head) == nil {
		return head, body
	}
	head = map[string]any{}
	for line := range strings.Lines(string(raw)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			head[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return head, body
}

// maxDefinitions is the largest number of files of one kind.
const maxDefinitions = 4096

// Load reads the definition of a file, which is relative to root or absolute.
func Load(root, kind, file string) (*Definition, error) {
	abs := filepath.FromSlash(file)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(root, abs)
	}
	data, err := regularfile.Read(abs, regularfile.FollowLinks, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDefinition, file, regularfile.Reason(err))
	}
	return Parse(kind, file, data)
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

// Find returns the definition with a kind and name.
func Find(root, kind, name string) (*Definition, error) {
	files, err := filesOf(root, kind)
	if err != nil {
		return nil, err
	}
	var names []string
	want := strings.NewReplacer("/", ".", ":", ".").Replace(name)
	for _, f := range files {
		if definitionName(kind, f) == want {
			return Load(root, kind, f)
		}
		names = append(names, definitionName(kind, f))
	}
	if kind == KindAgent { // an agent may have another name than its file
		for _, f := range files {
			if d, err := Load(root, kind, f); err == nil && d.Name == name {
				return d, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: no %s is called %q in %s (there is: %s)%s", ErrDefinition, kind, name, folders[kind].dir,
		cmp.Or(strings.Join(names, ", "), "none"), didYouMean(name, names, "%q"))
}
