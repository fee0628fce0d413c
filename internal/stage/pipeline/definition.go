package pipeline

import (
	"bytes"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The kinds of Definition.
const (
	KindAgent    = "agent"
	KindCommand  = "command"
	KindPipeline = "pipeline"
)

// folders are where the definitions of a kind are, and the extensions of their files.
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
	Name     string    `json:"name"` // folders become dots: context/load.md is context.load
	File     string    `json:"file"` // relative to the root
	Model    string    `json:"model,omitempty"`
	Body     string    `json:"body,omitempty"`
	Pipeline *Pipeline `json:"pipeline,omitempty"`
}

// Parse reads a definition of a kind.
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

// definitionName is what a file's definition is called: its path below the folder of its kind, with dots.
func definitionName(kind, file string) string {
	name := strings.TrimPrefix(file, folders[kind].dir+"/")
	return strings.ReplaceAll(strings.TrimSuffix(name, path.Ext(name)), "/", ".")
}

// frontMatter separates the head, between two lines "---", from the body. Heads often have a colon in a description,
// which YAML refuses: then each line is a name and a text.
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
