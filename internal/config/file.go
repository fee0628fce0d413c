package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// maxFile is the largest settings file that is read, in bytes.
const maxFile = 1 << 20

// readFile reads a settings file with lines of the form "key: value". It returns warnings about
// unknown keys. A setting given twice, a value that is not a scalar, and YAML that does not parse
// are errors. A missing file sets nothing.
func readFile(name string) (text []byte, set map[string]yaml.Node, warnings []string, err error) {
	text, err = regularfile.Read(name, regularfile.FollowLinks, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil, nil
	case errors.Is(err, regularfile.ErrKind) || errors.Is(err, regularfile.ErrSize):
		return nil, nil, nil, fmt.Errorf("%s: not a file of at most 1 MB: remove it, or put a YAML file there", name)
	case err != nil:
		return nil, nil, nil, err
	}
	set, warnings, err = parse(name, text)
	return text, set, warnings, err
}

// parse parses the text of a settings file. A key without a value is ignored.
func parse(file string, text []byte) (set map[string]yaml.Node, warnings []string, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&set); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: %w: write lines of the form 'key: value', or remove the file", file, err)
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: more than one document: keep the first, remove the others", file)
	}
	for _, name := range sortedKeys(set) {
		n := set[name]
		if n.Kind == yaml.AliasNode {
			n = *n.Alias
			set[name] = n
		}
		k, known := FindKey(name)
		switch {
		case !known:
			warnings = append(warnings, fmt.Sprintf("%s:%d: %v", file, n.Line, unknownKey(name)))
		case n.Kind != yaml.ScalarNode:
			return nil, nil, fmt.Errorf("%s:%d: %s: a list is given; allowed is %s", file, n.Line, name, k.Allowed)
		}
		if !known || n.Tag == "!!null" && n.Value == "" {
			delete(set, name)
		}
	}
	return set, warnings, nil
}

// Set writes one setting into a file, after checking its value. It makes the file (0600) and its
// folder (0700) if they are missing. Comments, blank lines and the order of everything else are
// kept. The new text is written to a temporary file, which is then renamed.
func Set(file, key, value string) error {
	into := &Config{Tags: map[string]string{}}
	k, ok := find(table(into), into, key)
	if !ok || key == anyPattern {
		return unknownKey(key)
	}
	for _, s := range []string{key, value} { // YAML cannot represent these in one line
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
			return unicode.IsControl(r) || strings.ContainsRune("\ufeff\ufffe\uffff", r)
		}) {
			return fmt.Errorf("%s: %q: control characters and bytes that are not UTF-8 are not allowed", key, s)
		}
	}
	if err := k.parse(value); err != nil {
		return err
	}
	return change(file, key, &value)
}

// Unset removes a setting from a file, so that the value of the next layer takes effect. A missing
// file or key is not an error.
func Unset(file, key string) error {
	if _, ok := FindKey(key); !ok {
		return unknownKey(key)
	}
	return change(file, key, nil)
}

// change edits the file. A nil value removes the key. A symbolic link to the file stays a link.
func change(file, key string, value *string) error {
	text, set, _, err := readFile(file)
	if err != nil {
		return err
	}
	before := values(set)
	want := maps.Clone(before)
	delete(want, key)
	if value != nil {
		want[key] = *value
	}
	if maps.Equal(before, want) {
		return nil
	}
	out := edit(string(text), set, key, value)
	if after, _, err := parse(file, out); err != nil || !maps.Equal(values(after), want) {
		return fmt.Errorf("%s: the file is written in a way that cannot be changed safely: edit it by hand", file)
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(file, atomicfile.Options{}, out)
}

func values(set map[string]yaml.Node) map[string]string {
	out := map[string]string{}
	for name, n := range set {
		out[name] = n.Value
	}
	return out
}

// edit changes the line of a setting, or appends a line for a new one. The result is wrong if the
// value takes several lines or shares its line with another; the caller therefore parses the result
// again.
func edit(text string, set map[string]yaml.Node, key string, value *string) []byte {
	lines := strings.SplitAfter(text, "\n")
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	line := ""
	if value != nil {
		line = scalar(key) + ": " + scalar(*value)
	}
	n, there := set[key]
	switch {
	case !there && lines[len(lines)-1] != "":
		lines = append(lines, end, line, end)
	case !there:
		lines = append(lines, line, end)
	case value == nil:
		lines[n.Line-1] = ""
	default:
		lines[n.Line-1] = strings.TrimRight(line+" "+n.LineComment, " ") + end
	}
	return []byte(strings.Join(lines, ""))
}

// scalar writes a text as YAML. It quotes a text that a YAML reader would take for something else.
func scalar(s string) string {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if s == "" || strings.ContainsAny(s, "#:{}[],&*?|>%@`\"'!") {
		n.Style = yaml.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(n)
	if err != nil {
		return s // a text without control characters always encodes; the result is read again
	}
	return strings.TrimSuffix(string(out), "\n")
}
