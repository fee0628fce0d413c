package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// parseDoc parses the text of a settings file into its top mapping, nil if the file has none.
func parseDoc(file string, text []byte) (doc, top *yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	doc = &yaml.Node{}
	if err := dec.Decode(doc); errors.Is(err, io.EOF) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: correct the file, or remove it to return to the defaults", file, err)
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: more than one document: keep the first, remove the others", file)
	}
	top = follow(doc.Content[0])
	switch {
	case top.Kind == yaml.ScalarNode && top.Tag == "!!null":
		return doc, nil, nil
	case top.Kind != yaml.MappingNode:
		return nil, nil, fmt.Errorf("%s:%d: not a list of settings: write lines of the form 'key: value'", file, top.Line)
	}
	return doc, top, nil
}

// follow resolves an alias.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// entry is a setting in a file.
type entry struct {
	name       string // dotted
	key, value *yaml.Node
	parent     *yaml.Node // the mapping that holds it
}

// parseFile returns what a file sets. Unknown keys are warnings.
func parseFile(file string, text []byte) (layer, []Warning, error) {
	_, top, err := parseDoc(file, text)
	if err != nil || top == nil {
		return nil, nil, err
	}
	list, warnings, err := entries(file, top)
	if err != nil {
		return nil, warnings, err
	}
	values := layer{}
	for _, e := range list {
		at := fmt.Sprintf("%s:%d", file, e.key.Line)
		if first, twice := values[e.name]; twice {
			return nil, warnings, fmt.Errorf("%s: %s is set twice, first at %s: remove one", at, e.name, first.exact)
		}
		v := follow(e.value)
		if v.Kind != yaml.ScalarNode {
			k, _ := lookup(e.name)
			return nil, warnings, fmt.Errorf("%s: %s: a list is given: allowed is %s", at, e.name, k.Allowed)
		}
		if v.Tag == "!!null" && v.Value == "" {
			continue // "key:" with nothing after it
		}
		values[e.name] = found{v.Value, place{file, at}}
	}
	return values, warnings, nil
}

// entries returns the settings of a file. Groups may be written as mappings or with dots.
func entries(file string, top *yaml.Node) (out []entry, warnings []Warning, err error) {
	var walk func(prefix string, m *yaml.Node) error
	walk = func(prefix string, m *yaml.Node) error {
		for i := 0; i+1 < len(m.Content); i += 2 {
			key, value := m.Content[i], m.Content[i+1]
			name := prefix + key.Value
			if key.Kind != yaml.ScalarNode {
				return fmt.Errorf("%s:%d: a key that is no word: remove it", file, key.Line)
			}
			if _, known := lookup(name); known {
				out = append(out, entry{name, key, value, m})
				continue
			}
			below := follow(value)
			switch {
			case prefix == "" && group(name) && below.Kind == yaml.MappingNode:
				if err := walk(name+".", below); err != nil {
					return err
				}
			case prefix == "" && group(name) && below.Tag == "!!null":
				// "kinds:" with nothing below it yet
			case prefix == "" && group(name):
				return fmt.Errorf("%s:%d: %s: not a mapping: write its settings below it, indented", file, key.Line, name)
			default:
				warnings = append(warnings, Warning{fmt.Sprintf("%s:%d", file, key.Line), unknownKey(name).Error()})
			}
		}
		return nil
	}
	err = walk("", top)
	return out, warnings, err
}
