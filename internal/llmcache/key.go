package llmcache

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
)

// Key names an item: {session}_{task}_{turn}, each part escaped so that no id can pretend to be two.
type Key struct{ Session, Task, Turn string }

// maxID is the longest id of a session, a task or a turn, in bytes as escaped.
const maxID = 96

// String is the key as it is stored and printed.
func (k Key) String() string { return escape(k.Session) + "_" + escape(k.Task) + "_" + escape(k.Turn) }

// parseKey is the inverse of String.
func parseKey(s string) (Key, error) {
	parts := strings.Split(s, "_")
	if len(parts) != 3 {
		return Key{}, bad("take the key from a label, or from aoa cache list", "%.100q is no key: it has %d parts, not 3", s,
			len(parts))
	}
	var ids [3]string
	for i, p := range parts {
		id, err := url.PathUnescape(p)
		if err != nil || id == "" || len(p) > maxID || escape(id) != p {
			return Key{}, bad("take the key from a label, or from aoa cache list", "%.100q is no key: its part %d is %.100q", s,
				i+1, p)
		}
		ids[i] = id
	}
	return Key{ids[0], ids[1], ids[2]}, nil
}

// complete gives missing ids a random one and checks the length of the others.
func (k Key) complete() (Key, error) {
	if k.Session == "" {
		return k, bad("name a session", "an item needs a session")
	}
	for _, id := range []*string{&k.Task, &k.Turn} {
		if *id == "" {
			*id = newID()
		}
	}
	for _, id := range []string{k.Session, k.Task, k.Turn} {
		if n := len(escape(id)); n > maxID {
			return k, bad("use shorter ids", "the id %.40q… has %d bytes, at most %d are allowed", id, n, maxID)
		}
	}
	return k, nil
}

// alphabet of random ids: 36 characters.
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

// newID is 8 characters, each of the 36 equally likely (41 bits in all): bytes of 252 and more are drawn again, since
// taking all modulo 36 would favour the first four.
func newID() string {
	const fair = 256 / len(alphabet) * len(alphabet)
	out := make([]byte, 0, 8)
	for buf := [16]byte{}; len(out) < cap(out); {
		_, _ = rand.Read(buf[:]) // never fails
		for _, b := range buf {
			if int(b) < fair && len(out) < cap(out) {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}

// escape keeps letters, digits, dots and dashes, and writes every other byte as % and two hex digits.
func escape(id string) string {
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func plain(c byte) bool {
	return c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
