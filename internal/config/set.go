package config

import (
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
	out := d.edit(string(text), key, value)
	if after, err := parseFile(file, out); err != nil || !maps.Equal(after.plain(), want) {
		return fmt.Errorf("%s: the file is written in a way that cannot be changed safely: edit it by hand", file)
	}
	return writeFile(file, out)
}

// plain returns the values without their places.
func (d *document) plain() map[string]string {
	out := map[string]string{}
	for k, v := range d.values() {
		out[k] = v.value
	}
	return out
}

// edit changes the line of a setting. A new one gets a line at the end. What is on several lines, or beside others on
// one, comes out wrong: the caller reads the result again.
func (d *document) edit(text, key string, value *string) []byte {
	lines := strings.SplitAfter(text, "\n")
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	e, set := d.find(key)
	if !set {
		if last := lines[len(lines)-1]; last != "" {
			lines = append(lines, end)
		}
		return []byte(strings.Join(lines, "") + scalar(key) + ": " + scalar(*value) + end)
	}
	line := &lines[e.key.Line-1]
	switch {
	case value != nil:
		indent := string([]rune(*line)[:max(e.key.Column-1, 0)])
		*line = indent + scalar(e.key.Value) + ": " + scalar(*value)
		if comment := follow(e.value).LineComment; comment != "" {
			*line += " " + comment
		}
		*line += end
	default:
		*line = ""
		d.dropGroup(e, lines)
	}
	return []byte(strings.Join(lines, ""))
}

// dropGroup removes the line of a group whose only setting is removed.
func (d *document) dropGroup(e entry, lines []string) {
	for i := 0; e.parent != d.top && len(e.parent.Content) == 2 && i+1 < len(d.top.Content); i += 2 {
		if follow(d.top.Content[i+1]) == e.parent {
			lines[d.top.Content[i].Line-1] = ""
		}
	}
}

// scalar writes a text as YAML. It is quoted where a reader might take it for something else.
func scalar(s string) string {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if s == "" || s == "~" || strings.ContainsAny(s, "#:{}[],&*?|>%@`\"'!") {
		n.Style = yaml.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(n)
	if err != nil {
		return s // it is a text without control characters; the result is read again
	}
	return strings.TrimSuffix(string(out), "\n")
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
