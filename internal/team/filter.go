package team

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Filter describes events of one origin that are to be forgotten: those of a path, those of a
// session, or those since a time. Paths and sessions are digests, because the server must not keep
// the names of what is to be forgotten.
type Filter struct {
	Path    string `json:"path,omitempty"`    // digest of a file or folder
	Session string `json:"session,omitempty"` // digest of a session's id
	Since   int64  `json:"since,omitempty"`   // unix milliseconds
	Until   int64  `json:"until"`             // unix milliseconds; later events are kept
}

// NewFilter returns the filter for one of three things: a path (a file, or a folder with everything
// below it), a session, or everything since a time. The other two arguments are zero.
func NewFilter(p event.Path, session string, since, until time.Time) Filter {
	f := Filter{Until: until.UnixMilli()}
	switch {
	case p != "":
		f.Path = digest(string(p))
	case session != "":
		f.Session = digest(session)
	default:
		f.Since = since.UnixMilli()
	}
	return f
}

func digest(s string) string {
	sum := sha256.Sum256([]byte("aoa forgets " + s))
	return hex.EncodeToString(sum[:16])
}

// means reports whether the filter matches an event of the same origin.
func (f Filter) means(e event.Event) bool {
	at := e.Time.UnixMilli()
	switch {
	case at > f.Until:
		return false
	case f.Session != "":
		return e.Session != "" && f.Session == digest(e.Session[len(e.Origin)+1:])
	case f.Path != "":
		for _, p := range e.Paths() {
			for dir := string(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
				if f.Path == digest(dir) {
					return true
				}
			}
		}
		return false
	}
	return f.Since > 0 && at >= f.Since
}

func anyMeans(filters []Filter, e event.Event) bool {
	return slices.ContainsFunc(filters, func(f Filter) bool { return f.means(e) })
}
