package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Set writes one setting into a file, making the file (0600) and its folder (0700) if they are missing. The value
// is checked first. Comments, order and layout of everything else stay: one line is changed or added where the file allows it. The new
// text is written to another file, which is renamed.
func Set(file, key, value string) error {
	k, ok := lookup(key)
	if !ok || key == tagsPrefix+"PATTERN" {
		return fmt.Errorf("set config: %w", unknownKey(key))
	}
	if err := printable(key, value); err != nil {
		return fmt.Errorf("set config: %s: %w", key, err)
	}
	c := empty()
	if err := k.parse(&c, value); err != nil {
		return fmt.Errorf("set config: %w", badValue(key, value, err))
	}
	return change("set config", file, key, &value)
}

// Unset removes a setting from a file, so that the next layer below counts. A missing file or key is no error.
func Unset(file, key string) error {
	if _, ok := lookup(key); !ok {
		return fmt.Errorf("unset config: %w", unknownKey(key))
	}
	return change("unset config", file, key, nil)
}

// printable refuses what YAML cannot hold in one line.
func printable(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\ufeff' || r == '\ufffe' || r == '\uffff' }) {
			return fmt.Errorf("%q: control characters and bytes that are not UTF-8 are not allowed", s)
		}
	}
	return nil
}

// change edits the file. A nil value removes the key.
func change(what, file, key string, value *string) error {
	text, err := readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", what, err)
	}
	before, _, err := parseFile(file, text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if old, set := before[key]; value == nil && !set || value != nil && set && old.value == *value {
		return nil
	}
	after, err := edit(file, text, before, key, value)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := writeFile(file, after); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// edit changes one line. If the result is not as asked (a value over several lines, a mapping in braces), it changes the parsed tree,
// which keeps comments and order but not blank lines.
func edit(file string, text []byte, before layer, key string, value *string) ([]byte, error) {
	want := map[string]string{}
	for k, v := range before {
		want[k] = v.value
	}
	delete(want, key)
	if value != nil {
		want[key] = *value
	}
	for _, try := range []func(string, []byte, string, *string) ([]byte, error){editLine, editTree} {
		out, err := try(file, text, key, value)
		if err != nil {
			continue
		}
		got := map[string]string{}
		after, _, err := parseFile(file, out)
		for k, v := range after {
			got[k] = v.value
		}
		if err == nil && maps.Equal(got, want) {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s: the file is written in a way that cannot be changed safely: edit it by hand", file)
}

var errNotHere = errors.New("not possible in this way")

// locate finds a key in the parsed file.
func locate(file string, top *yaml.Node, key string) (entry, bool) {
	list, _, err := entries(file, top)
	if err != nil {
		return entry{}, false
	}
	for _, e := range list {
		if e.name == key {
			return e, true
		}
	}
	return entry{}, false
}

// editLine changes, adds or removes one line.
func editLine(file string, text []byte, key string, value *string) ([]byte, error) {
	_, top, err := parseDoc(file, text)
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(string(text), "\n")
	if top != nil {
		if e, ok := locate(file, top, key); ok {
			return editFound(lines, e, value)
		}
	}
	if value == nil {
		return nil, errNotHere
	}
	prefix, name := splitKey(key)
	if prefix == "" || top == nil {
		return appendLine(lines, prefix, name, *value), nil
	}
	if _, g := child(top, prefix); g != nil && g.Kind == yaml.MappingNode && len(g.Content) > 0 && g.Style&yaml.FlowStyle == 0 {
		first, last := g.Content[0], g.Content[len(g.Content)-1]
		line := strings.Repeat(" ", first.Column-1) + quote(name) + ": " + quote(*value) + "\n"
		return insertLine(lines, last.Line, line), nil
	} else if g != nil {
		return nil, errNotHere
	}
	return appendLine(lines, prefix, name, *value), nil
}

// splitKey divides a key into its group ("" if none) and its name inside it.
func splitKey(key string) (prefix, name string) {
	if prefix, name, ok := strings.Cut(key, "."); ok {
		return prefix, name
	}
	return "", key
}

// child returns the key and the value of a name in a mapping.
func child(m *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

// editFound replaces the value in its line, or removes the line.
func editFound(lines []string, e entry, value *string) ([]byte, error) {
	if e.value.Kind != yaml.ScalarNode || e.value.Line != e.key.Line || e.value.Line > len(lines) || e.value.Anchor != "" ||
		e.parent.Style&yaml.FlowStyle != 0 {
		return nil, errNotHere
	}
	line := lines[e.value.Line-1]
	at := byteAt(line, e.value.Column)
	end, ok := scalarEnd(line, at, e.value)
	if !ok {
		return nil, errNotHere
	}
	if value != nil {
		lines[e.value.Line-1] = line[:at] + quote(*value) + line[end:]
		return []byte(strings.Join(lines, "")), nil
	}
	if rest := strings.TrimSpace(line[end:]); rest != "" && rest[0] != '#' || strings.TrimSpace(line[:byteAt(line, e.key.Column)]) != "" {
		return nil, errNotHere
	}
	if len(e.parent.Content) == 2 && e.key.Column > 1 {
		return nil, errNotHere // the last setting of the group: editTree removes the group, too
	}
	lines[e.value.Line-1] = ""
	return []byte(strings.Join(lines, "")), nil
}

// byteAt turns a column of the parser, counted in characters from 1, into an offset in the line.
func byteAt(line string, column int) int {
	at := 0
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// scalarEnd returns where a value ends in its line.
func scalarEnd(line string, at int, v *yaml.Node) (int, bool) {
	if at >= len(line) {
		return 0, false
	}
	if q := line[at]; q == '"' || q == '\'' {
		for i := at + 1; i < len(line); i++ {
			switch {
			case q == '"' && line[i] == '\\', q == '\'' && line[i] == q && i+1 < len(line) && line[i+1] == q:
				i++
			case line[i] == q:
				return i + 1, true
			}
		}
		return 0, false
	}
	if !strings.HasPrefix(line[at:], v.Value) {
		return 0, false
	}
	return at + len(v.Value), true
}

func insertLine(lines []string, after int, line string) []byte {
	var b bytes.Buffer
	for i, l := range lines {
		b.WriteString(l)
		if i+1 == after {
			if !strings.HasSuffix(l, "\n") {
				b.WriteByte('\n')
			}
			b.WriteString(line)
		}
	}
	return b.Bytes()
}

// appendLine adds a setting, and its group, at the end of the file.
func appendLine(lines []string, prefix, name, value string) []byte {
	text := strings.Join(lines, "")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if prefix != "" {
		text += prefix + ":\n  "
	}
	return []byte(text + quote(name) + ": " + quote(value) + "\n")
}

// editTree changes the parsed tree and prints it.
func editTree(file string, text []byte, key string, value *string) ([]byte, error) {
	doc, top, err := parseDoc(file, text)
	if err != nil {
		return nil, err
	}
	if top == nil {
		return nil, errNotHere
	}
	e, ok := locate(file, top, key)
	switch {
	case ok && value == nil:
		remove(top, e)
	case ok:
		var head, line, foot = e.value.HeadComment, e.value.LineComment, e.value.FootComment
		*e.value = *scalar(*value)
		e.value.HeadComment, e.value.LineComment, e.value.FootComment = head, line, foot
	case value != nil:
		addNode(top, key, *value)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// remove removes a setting, and its group if that is empty then.
func remove(top *yaml.Node, e entry) {
	drop := func(m *yaml.Node, is func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if is(m.Content[i], m.Content[i+1]) {
				m.Content = append(m.Content[:i], m.Content[i+2:]...)
				return
			}
		}
	}
	drop(e.parent, func(key, _ *yaml.Node) bool { return key == e.key })
	if len(e.parent.Content) == 0 && e.parent != top {
		drop(top, func(_, value *yaml.Node) bool { return follow(value) == e.parent })
	}
}

func addNode(top *yaml.Node, key, value string) {
	prefix, name := splitKey(key)
	into := top
	if prefix != "" {
		k, g := child(top, prefix)
		switch {
		case g == nil:
			g = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
			top.Content = append(top.Content, scalar(prefix), g)
		case follow(g).Kind != yaml.MappingNode:
			*g = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: k.LineComment}
			k.LineComment = ""
		}
		into = follow(g)
	}
	into.Content = append(into.Content, scalar(name), scalar(value))
}

// scalar makes the node of a text as quote would write it.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if quote(s) != s {
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	}
	return n
}

// quote writes a text as YAML reads it back, without quotes where they are not needed.
func quote(s string) string {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("k: "+s+"\n"), &doc); err == nil && len(doc.Content) == 1 && s != "" {
		if m := doc.Content[0]; m.Kind == yaml.MappingNode && len(m.Content) == 2 {
			if v := m.Content[1]; v.Kind == yaml.ScalarNode && v.Style == 0 && v.Value == s && v.Tag != "!!null" && v.Anchor == "" &&
				v.LineComment == "" && v.FootComment == "" && !strings.ContainsAny(s, "#:{}[],&*?|>%@`\"'") {
				return s
			}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always has a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeFile writes to another file and renames it. A symbolic link to a file stays a link.
func writeFile(file string, text []byte) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".config-*.yaml") // CreateTemp makes it 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
