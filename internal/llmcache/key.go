package llmcache

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"net/url"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// Key is the name of an item: {session}_{task}_{turn}. Each part is escaped so that it contains no
// underscore.
type Key struct{ Session, Task, Turn string }

// maxID is the longest ID of a session, a task or a turn, in bytes after escaping.
const maxID = 96

// String returns the key in the form that is stored and printed.
func (k Key) String() string { return escape(k.Session) + "_" + escape(k.Task) + "_" + escape(k.Turn) }

// parseKey is the inverse of String.
func parseKey(s string) (Key, error) {
	parts := strings.Split(s, "_")
	if len(parts) != 3 {
		return Key{}, event.BadRequest("take the key from a label, or from aoa cache list",
			"%.100q is not a key: it has %d parts, not 3", s, len(parts))
	}
	var ids [3]string
	for i, p := range parts {
		id, err := url.QueryUnescape(p)
		if err != nil || id == "" || len(p) > maxID || escape(id) != p {
			return Key{}, event.BadRequest("take the key from a label, or from aoa cache list",
				"%.100q is not a key: its part %d is %.100q", s, i+1, p)
		}
		ids[i] = id
	}
	return Key{ids[0], ids[1], ids[2]}, nil
}

// complete makes missing IDs from the id of the call (random ones if that is "") and checks the
// length of the others.
func (k Key) complete(call string) (Key, error) {
	if k.Session == "" {
		return k, event.BadRequest("name a session", "an item needs a session")
	}
	sum := sha256.Sum256([]byte(cmp.Or(call, rand.Text())))
	made := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	k.Task, k.Turn = cmp.Or(k.Task, made[:8]), cmp.Or(k.Turn, made[8:16])
	for _, id := range []string{k.Session, k.Task, k.Turn} {
		if n := len(escape(id)); n > maxID {
			return k, event.BadRequest("use shorter ids", "the id %.40q… has %d bytes, at most %d are allowed", id, n, maxID)
		}
	}
	return k, nil
}

// escape keeps letters, digits, dots, dashes and tildes, and escapes every other byte as in the
// query of a URL.
func escape(id string) string { return strings.ReplaceAll(url.QueryEscape(id), "_", "%5F") }
