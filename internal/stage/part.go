package stage

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
)

// keyPart is one thing that a key depends on. Contents are digested: a part shows that something changed, not how.
type keyPart struct {
	Kind string // see the package's documentation
	Name string // of the input, variable, file; "" where the kind is enough
	Sum  Sum
}

// Sum is a SHA-256.
type Sum [sha256.Size]byte

// The kinds of keyPart. A dependency is one of five, so that a changed bit or a deletion shows.
const (
	kindStage, kindCommand, kindFolder, kindOutput, kindStdin = "stage", "command", "folder", "output", "stdin"
	kindInput, kindEnv, kindNoEnv                             = "input", "env", "env not set"
	kindFile, kindProgram, kindLink, kindAbsent, kindDir      = "file", "executable file", "link", "absent file", "folder itself"
	kindTemplate, kindTool, kindModel, kindFormat             = "template", "tool", "model", "format"
)

// format is the version of the key and of the record: another one makes every entry a miss.
const format = "aoa stage 2"

// group is what a kind is compared with: a file that became executable is the same file.
func group(kind string) string {
	switch kind {
	case kindProgram, kindLink, kindAbsent, kindDir:
		return kindFile
	case kindNoEnv:
		return kindEnv
	}
	return kind
}

// keyParts is all parts of a key, in the order of the key.
type keyParts []keyPart

// keyLen is the number of hexadecimal digits that name an entry.
const keyLen = 24

// Key digests the material. Each field is preceded by its length, so that no two lists give the same bytes.
func (m keyParts) Key() string {
	h := sha256.New()
	var buf []byte
	for _, p := range m {
		buf = appendText(buf, p.Kind)
		buf = appendText(buf, p.Name)
		buf = append(buf, p.Sum[:]...)
		if len(buf) > 1<<14 {
			h.Write(buf)
			buf = buf[:0]
		}
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))[:keyLen]
}

// Change is one difference between two materials, in words for people.
type Change struct {
	Kind string // stage, command, input, env, file, template, …
	Name string
	What string // "changed", "added", "removed", "deleted", "appeared", "now executable", …
}

func (c Change) String() string {
	if c.Name == "" {
		return c.Kind + " " + c.What
	}
	return c.Kind + " " + c.Name + " " + c.What
}

// differences lists what differs between an earlier material and a later one, in the order of the key.
func differences(was, is keyParts) (out []Change) {
	old := make(map[[2]string]keyPart, len(was))
	for _, p := range was {
		old[[2]string{group(p.Kind), p.Name}] = p
	}
	for _, p := range is {
		id := [2]string{group(p.Kind), p.Name}
		before, known := old[id]
		delete(old, id)
		switch {
		case !known && p.Kind == kindAbsent:
			out = append(out, Change{id[0], p.Name, "is asked for and absent"})
		case !known:
			out = append(out, Change{id[0], p.Name, "is new"})
		case before.Kind != p.Kind:
			out = append(out, Change{id[0], p.Name, turned(before.Kind, p.Kind)})
		case before.Sum != p.Sum:
			out = append(out, Change{id[0], p.Name, "changed"})
		}
	}
	for _, p := range was { // in their order, not in the map's
		id := [2]string{group(p.Kind), p.Name}
		if _, left := old[id]; left {
			delete(old, id)
			out = append(out, Change{id[0], p.Name, "is gone"})
		}
	}
	return out
}

// turned describes a change of kind.
func turned(was, is string) string {
	switch is {
	case kindAbsent:
		return "was deleted"
	case kindNoEnv:
		return "is not set any more"
	case kindEnv:
		return "is set now"
	case kindProgram:
		if was == kindFile {
			return "is executable now"
		}
	case kindFile:
		if was == kindProgram {
			return "is not executable any more"
		}
	}
	if was == kindAbsent {
		return "exists now"
	}
	return "is a " + is + " now"
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// kept is how many bytes of a digest are stored: enough to distinguish two.
const kept = 12

// pack makes the stored form: names and shortened digests.
func (m keyParts) pack() []byte {
	raw := binary.AppendUvarint(nil, uint64(len(m)))
	for _, p := range m {
		raw = append(appendText(appendText(raw, p.Kind), p.Name), p.Sum[:kept]...)
	}
	return raw
}

var errPacked = errors.New("the stored list of inputs is damaged")

// unpack reads what pack made; the digests are shortened ones, see short.
func unpack(b []byte) (keyParts, error) {
	n, raw, ok := cutUint(b)
	if !ok || n > uint64(len(raw)/(kept+2)) {
		return nil, errPacked
	}
	m := make(keyParts, n)
	for i := range m {
		var a, b bool
		m[i].Kind, raw, a = cutText(raw)
		m[i].Name, raw, b = cutText(raw)
		if !a || !b || len(raw) < kept {
			return nil, errPacked
		}
		copy(m[i].Sum[:kept], raw)
		raw = raw[kept:]
	}
	return m, nil
}

// short is the material as unpack would return it, to be compared with stored ones.
func (m keyParts) short() keyParts {
	out := make(keyParts, len(m))
	for i, p := range m {
		out[i] = keyPart{Kind: p.Kind, Name: p.Name}
		copy(out[i].Sum[:kept], p.Sum[:kept])
	}
	return out
}

func cutUint(b []byte) (uint64, []byte, bool) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > math.MaxInt32 {
		return 0, nil, false
	}
	return n, b[w:], true
}

func cutText(b []byte) (string, []byte, bool) {
	n, b, ok := cutUint(b)
	if !ok || n > uint64(len(b)) {
		return "", nil, false
	}
	return string(b[:n]), b[n:], true
}
