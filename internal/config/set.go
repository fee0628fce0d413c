package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/internal/atomicfile"
)

// Set writes one setting into a file. It makes the file (0600) and its folder (0700) if they are missing. The value
// is checked first. Comments, blank lines and the order of everything else stay. The new text is written to another
// file, which is renamed.
func Set(file, key, value string) error {
	k, ok := lookup(key)
	if !ok || key == anyPattern {
		return fmt.Errorf("set config: %w", unknownKey(key))
	}
	for _, s := range []string{key, value} { // YAML cannot hold these in one line
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
			return unicode.IsControl(r) || strings.ContainsRune("\ufeff\ufffe\uffff", r)
		}) {
			return fmt.Errorf("set config: %s: %q: control characters and bytes that are not UTF-8 are not allowed", key, s)
		}
	}
	err := k.set(&Config{}, value)
	if err == nil {
		err = change(file, key, &value)
	}
	if err != nil {
		return fmt.Errorf("set config: %w", err)
	}
	return nil
}

// Unset removes a setting from a file, so that the next layer below counts. A missing file or key is no error.
func Unset(file, key string) error {
	if _, ok := lookup(key); !ok {
		return fmt.Errorf("unset config: %w", unknownKey(key))
	}
	if err := change(file, key, nil); err != nil {
		return fmt.Errorf("unset config: %w", err)
	}
	return nil
}

// change edits the file. A nil value removes the key.
func change(file, key string, value *string) error {
	text, err := readFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, err := parseFile(file, text)
	if err != nil {
		return err
	}
	want := d.plain()
	delete(want, key)
	if value != nil {
		want[key] = *value
	}
	if maps.Equal(d.plain(), want) {
		return nil
	}
	// The parser drops blank lines. As comments they stay. Inside a text over several lines they would change it: then
	// they go.
	for _, from := range [][]byte{markBlank(text), text} {
		d, err := parseFile(file, from)
		if err != nil {
			continue
		}
		out, err := d.edit(from, key, value)
		if err != nil {
			continue
		}
		if out = bytes.ReplaceAll(out, []byte(blank), nil); bytes.Contains(text, []byte("\r\n")) {
			out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
		}
		if after, err := parseFile(file, out); err == nil && maps.Equal(after.plain(), want) {
			return writeFile(file, out)
		}
	}
	return fmt.Errorf("%s: the file is written in a way that cannot be changed safely: edit it by hand", file)
}

// plain returns the values without their places.
func (d *document) plain() map[string]string {
	out := map[string]string{}
	for k, v := range d.values() {
		out[k] = v.value
	}
	return out
}

// blank is the comment that stands for a blank line.
const blank = "#aoa: a blank line"

func markBlank(text []byte) []byte {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, l := range lines[:len(lines)-1] {
		if strings.TrimSpace(l) == "" {
			lines[i] = blank
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// edit changes the parsed file, and prints it.
func (d *document) edit(text []byte, key string, value *string) ([]byte, error) {
	before := ""
	if d.top == nil { // the parser keeps no comments of a file without settings
		before, d.root = lines(string(text)), &yaml.Node{Kind: yaml.MappingNode}
		d.top = d.root
	}
	e, set := d.find(key)
	switch {
	case value == nil:
		if d.remove(e); len(d.top.Content) == 0 {
			return []byte(lines(d.top.FootComment)), nil
		}
	case set:
		n := scalar(*value)
		n.HeadComment, n.LineComment, n.FootComment = e.value.HeadComment, e.value.LineComment, e.value.FootComment
		*e.value = *n
	default:
		d.add(key, *value)
	}
	var b bytes.Buffer
	b.WriteString(before)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(d.indent())
	err := enc.Encode(d.root)
	return b.Bytes(), errors.Join(err, enc.Close())
}

// lines ends a text that is not empty with a line break.
func lines(s string) string {
	if s = strings.TrimRight(s, "\n"); s != "" {
		s += "\n"
	}
	return s
}

// indent is how far the file indents its first group.
func (d *document) indent() int {
	for _, n := range d.top.Content {
		if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0 && n.Content[0].Column > 1 {
			return n.Content[0].Column - 1
		}
	}
	return 2
}

// remove removes a setting, and its group if that is empty then. The comments above it stay.
func (d *document) remove(e entry) {
	drop(e.parent, e.key)
	for i := 0; len(e.parent.Content) == 0 && i+1 < len(d.top.Content); i += 2 {
		if follow(d.top.Content[i+1]) == e.parent {
			drop(d.top, d.top.Content[i])
		}
	}
}

// drop removes a key and its value from a mapping. Its comments go to the next key, else to the one before, else to
// the mapping.
func drop(m, key *yaml.Node) {
	i := 0
	for m.Content[i] != key {
		i += 2
	}
	value := m.Content[i+1]
	m.Content = append(m.Content[:i], m.Content[i+2:]...)
	comments := joined(key.HeadComment, value.HeadComment, value.FootComment, key.FootComment)
	switch {
	case i < len(m.Content):
		m.Content[i].HeadComment = joined(comments, m.Content[i].HeadComment)
	case i > 0:
		m.Content[i-2].FootComment = joined(m.Content[i-2].FootComment, comments)
	default:
		m.FootComment = joined(comments, m.FootComment)
	}
}

// joined joins comments that are not empty, each on its line.
func joined(comments ...string) string {
	return strings.Join(slices.DeleteFunc(comments, func(c string) bool { return c == "" }), "\n")
}

// add adds a setting to its group, or the group too.
func (d *document) add(key, value string) {
	into := d.top
	prefix, name, grouped := strings.Cut(key, ".")
	if _, known := lookup(prefix); known {
		grouped = false // a setting is called as its group: both stand side by side
	}
	if !grouped {
		name = key
	}
	for i := 0; grouped && i+1 < len(d.top.Content); i += 2 {
		if k, g := d.top.Content[i], d.top.Content[i+1]; k.Value == prefix {
			if into = follow(g); into.Kind != yaml.MappingNode { // "kinds:" with nothing below it
				*g = yaml.Node{Kind: yaml.MappingNode, HeadComment: joined(k.LineComment, g.LineComment)}
				k.LineComment, into = "", g
			}
		}
	}
	if grouped && into == d.top {
		into = &yaml.Node{Kind: yaml.MappingNode}
		d.top.Content = append(d.top.Content, scalar(prefix), into)
	}
	into.Content = append(into.Content, scalar(name), scalar(value))
}

// scalar makes the node of a text. It is quoted where a reader might take it for something else.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if s == "" || s == "~" || strings.ContainsAny(s, "#:{}[],&*?|>%@`\"'!") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// writeFile writes to another file and renames it. A symbolic link to a file stays a link.
func writeFile(file string, text []byte) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(file, atomicfile.Options{}, text)
}
