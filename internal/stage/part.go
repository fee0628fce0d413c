package stage

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// keyPart is one thing that a key depends on. Contents are hashed, so a part shows that something
// has changed, but not how.
type keyPart struct {
	Kind string // see the package's documentation
	Name string // name of the input, variable or file; "" if the kind alone identifies it
	Sum  string // digest of the content: the first 16 bytes of a SHA-256; "" without a content
}

// The kinds of keyPart. A dependency is one of four kinds, so that a changed bit or a deletion
// shows.
const (
	kindStage, kindCommand, kindFolder, kindOutput = "stage", "command", "folder", "output"
	kindInput, kindEnv, kindNoEnv                  = "input", "env", "env not set"
	kindFile, kindProgram, kindLink, kindAbsent    = "file", "executable file", "link", "absent file"
	kindTemplate, kindTool, kindModel, kindFormat  = "template", "tool", "model", "format"
)

// format is the version of the key and of the record: another one makes every entry a miss.
const format = "aoa stage 4"

// group returns the kind for comparing: a file that became executable is still the same file.
func group(kind string) string {
	switch kind {
	case kindProgram, kindLink, kindAbsent:
		return kindFile
	case kindNoEnv:
		return kindEnv
	}
	return kind
}

// keyParts is all parts of a key, in the order of the key.
type keyParts []keyPart

// keyLen is the number of hexadecimal digits in the name of an entry.
const keyLen = 24

// key hashes the parts. Each field is preceded by its length, so that different lists never give
// the same bytes.
func (m keyParts) key() string {
	h := sha256.New()
	var buf []byte
	for _, p := range m {
		buf = appendText(appendText(appendText(buf[:0], p.Kind), p.Name), p.Sum)
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))[:keyLen]
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// digest returns the Sum of a text.
func digest[T string | []byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:16])
}

// parts returns the parts of a request's key: those that need no disk, then the files, then the
// rest. sum hashes the template's file.
func (r *Request) parts(files keyParts, sum func(file string) (string, error)) (keyParts, error) {
	var words []byte
	for _, w := range r.Command {
		words = appendText(words, w)
	}
	out := keyParts{{kindStage, "", digest(r.Stage)}, {kindCommand, "", digest(words)}, {kindFolder, "", digest(r.Dir)}}
	for _, o := range slices.Compact(slices.Sorted(slices.Values(r.Outputs))) {
		out = append(out, keyPart{Kind: kindOutput, Name: o})
	}
	for _, k := range slices.Sorted(maps.Keys(r.Inputs)) {
		out = append(out, keyPart{kindInput, k, digest(r.Inputs[k])})
	}
	for _, k := range slices.Sorted(maps.Keys(r.Env)) {
		if v := r.Env[k]; v != nil {
			out = append(out, keyPart{kindEnv, k, digest(*v)})
		} else {
			out = append(out, keyPart{Kind: kindNoEnv, Name: k})
		}
	}
	out = append(out, files...)
	if r.Template != "" {
		s, err := sum(r.Template)
		if err != nil {
			return nil, err
		}
		out = append(out, keyPart{kindTemplate, "", s})
	}
	for _, p := range [][2]string{{kindTemplate, r.Text}, {kindTool, r.Tool.Version}, {kindModel, r.Model},
		{kindFormat, format}} {
		if p[1] != "" {
			out = append(out, keyPart{p[0], "", digest(p[1])})
		}
	}
	return out, nil
}

// Change is one difference between the inputs of two runs, in words for people.
type Change struct {
	Kind string `json:"kind"` // stage, command, input, env, file, template, …
	Name string `json:"name,omitempty"`
	What string `json:"what"` // "changed", "is new", "is gone", "was deleted", "is executable now", …
}

func (c Change) String() string {
	if c.Name == "" {
		return c.Kind + " " + c.What
	}
	return c.Kind + " " + c.Name + " " + c.What
}

// differences returns what differs between the parts of an earlier key and those of a later one, in
// the order of the key.
func differences(was, is keyParts) (out []Change) {
	type id struct{ group, name string }
	old := make(map[id]keyPart, len(was))
	for _, p := range was {
		old[id{group(p.Kind), p.Name}] = p
	}
	for _, p := range is {
		at := id{group(p.Kind), p.Name}
		before, known := old[at]
		delete(old, at)
		switch {
		case !known && p.Kind == kindAbsent:
			out = append(out, Change{at.group, p.Name, "is required and missing"})
		case !known:
			out = append(out, Change{at.group, p.Name, "is new"})
		case before.Kind == kindAbsent && p.Kind != kindAbsent:
			out = append(out, Change{at.group, p.Name, "exists now"})
		case before.Kind != p.Kind:
			out = append(out, Change{at.group, p.Name, became[p.Kind]})
		case before.Sum != p.Sum:
			out = append(out, Change{at.group, p.Name, "changed"})
		}
	}
	for _, p := range was { // in the order of the list, because a map has none
		at := id{group(p.Kind), p.Name}
		if _, left := old[at]; left {
			delete(old, at)
			out = append(out, Change{at.group, p.Name, "is gone"})
		}
	}
	return out
}

// became has the words for a dependency or variable that has become another kind.
var became = map[string]string{kindAbsent: "was deleted", kindNoEnv: "is not set any more", kindEnv: "is set now",
	kindProgram: "is executable now", kindFile: "is a plain file now", kindLink: "is a link now"}
