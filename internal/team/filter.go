package team

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
)

// Filter says which events of an origin are forgotten: those of a path, of a session, or since a
// time. Names are digests, because a server must not name for good what is to be forgotten.
type Filter struct {
	Path    string `json:"path,omitempty"`    // digest of a file or folder
	Session string `json:"session,omitempty"` // digest of a session's id
	Since   int64  `json:"since,omitempty"`   // unix milliseconds
	Until   int64  `json:"until"`             // unix milliseconds: what happened later stays
}

// NewFilter is the filter for a file, or a folder and all below it, for a session, or for
// everything from a time on. The other two are zero.
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

// means reports whether the filter of an event's origin means it.
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
