package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// document is a parsed settings file.
type document struct {
	file     string
	root     *yaml.Node // nil if the file has no YAML
	top      *yaml.Node // its mapping, nil if it has none
	entries  []entry
	warnings []Warning // about unknown keys
}

// entry is a setting in a file.
type entry struct {
	name       string // dotted
	key, value *yaml.Node
	parent     *yaml.Node // the mapping that holds it
}

// parseFile parses the text of a settings file. Unknown keys are warnings. A setting given twice, a value that is not
// a scalar, and YAML that does not parse are errors.
func parseFile(file string, text []byte) (*document, error) {
	d := &document{file: file}
	root, dec := &yaml.Node{}, yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(root); errors.Is(err, io.EOF) {
		return d, nil
	} else if err != nil {
		return d, fmt.Errorf("%s: %w: correct the file, or remove it to return to the defaults", file, err)
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return d, fmt.Errorf("%s: more than one document: keep the first, remove the others", file)
	}
	d.root = root
	switch top := follow(root.Content[0]); {
	case top.Kind == yaml.MappingNode:
		d.top = top
		return d, d.walk("", top)
	case top.Kind != yaml.ScalarNode || top.Tag != "!!null":
		return d, fmt.Errorf("%s: not a list of settings: write lines of the form 'key: value'", d.at(top))
	}
	return d, nil
}

// at is the place of a node, for messages.
func (d *document) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", d.file, n.Line) }

// walk collects the settings of a mapping. Groups may be written as mappings or with dots.
func (d *document) walk(prefix string, m *yaml.Node) error {
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], follow(m.Content[i+1])
		name := prefix + key.Value
		at := d.at(key)
		k, known := lookup(name)
		empty := value.Tag == "!!null" && value.Value == "" // "key:" with nothing after it
		switch {
		case key.Kind != yaml.ScalarNode:
			return fmt.Errorf("%s: the key is not a word: remove it", at)
		case known && value.Kind != yaml.ScalarNode:
			return fmt.Errorf("%s: %s: a list is given: allowed is %s", at, name, k.Allowed)
		case known:
			if first, twice := d.find(name); twice {
				return fmt.Errorf("%s: %s is set twice, first at %s: remove one", at, name, d.at(first.key))
			}
			d.entries = append(d.entries, entry{name, key, m.Content[i+1], m})
		case prefix == "" && group(name) && value.Kind == yaml.MappingNode:
			if err := d.walk(name+".", value); err != nil {
				return err
			}
		case prefix == "" && group(name) && empty:
		case prefix == "" && group(name):
			return fmt.Errorf("%s: %s: not a mapping: write its settings below it, indented", at, name)
		default:
			d.warnings = append(d.warnings, Warning{at, unknownKey(name).Error()})
		}
	}
	return nil
}

// find returns the entry of a setting.
func (d *document) find(name string) (entry, bool) {
	for _, e := range d.entries {
		if e.name == name {
			return e, true
		}
	}
	return entry{}, false
}

// values returns what the file sets. A key without a value sets nothing.
func (d *document) values() layer {
	out := layer{}
	for _, e := range d.entries {
		if v := follow(e.value); v.Tag != "!!null" || v.Value != "" {
			out[e.name] = found{v.Value, d.file, d.at(e.key)}
		}
	}
	return out
}

// follow resolves an alias.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}
