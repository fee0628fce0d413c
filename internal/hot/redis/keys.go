package redis

import (
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/hot"
)

// keys makes every key of one repository. All share the hash tag, so a cluster keeps them on one node.
//
//	scores:frequency:7d:<k>     global set of epoch k      scores:recency        stamps, no epoch
//	comod:365d:<k>:<owner>      owned set of epoch k       scores:recency:top    the newest stamps
//	session:<id>[:<part>]       a session                  expiry                session → deadline
//	meta, applied:<writer>      what was done              claims, claiming:<writer>  who counts a commit
//	server                      the server's epoch         edits                 stream of others' edits
//	wake                        channel: look at edits
type keys struct{ prefix string }

func newKeys(prefix, repo string) keys {
	return keys{prefix + ":{" + strings.NewReplacer("{", "", "}", "").Replace(repo) + "}:"}
}

// family is the prefix of all sets of a family. The half-life is a part of it, so that a changed one starts new sets.
func (k keys) family(f *hot.Family) string { return k.prefix + f.Name + ":" + f.Span() + ":" }

// owners is the prefix of the sets of an owned family and epoch.
func (k keys) owners(f *hot.Family, epoch int64) string {
	return k.family(f) + strconv.FormatInt(epoch, 10) + ":"
}

// set is one set; the owner of a global family is "".
func (k keys) set(f *hot.Family, epoch int64, owner string) string {
	switch {
	case f.Half == 0:
		return k.prefix + f.Name
	case f.Global():
		return k.family(f) + strconv.FormatInt(epoch, 10)
	}
	return k.owners(f, epoch) + owner
}

func (k keys) newest(f *hot.Family) string { return k.prefix + f.Name + ":top" }

func (k keys) of(r *hot.SetRead) string {
	if r.Newest {
		return k.newest(r.Family)
	}
	return k.set(r.Family, r.Epoch, r.Owner)
}

// colon keeps a session id from naming another session's part.
var colon = strings.NewReplacer("%", "%25", ":", "%3A")

func (k keys) sessions() string                  { return k.prefix + "session:" }
func (k keys) session(id string) string          { return k.sessions() + colon.Replace(id) }
func (k keys) part(id string, p hot.Part) string { return k.session(id) + ":" + p.String() }
func (k keys) expiry() string                    { return k.prefix + "expiry" }
func (k keys) meta() string                      { return k.prefix + "meta" }
func (k keys) applied(writer string) string      { return k.prefix + "applied:" + writer }
func (k keys) claiming(writer string) string     { return k.prefix + "claiming:" + writer }
func (k keys) claims() string                    { return k.prefix + "claims" }
func (k keys) server() string                    { return k.prefix + "server" }
func (k keys) edits() string                     { return k.prefix + "edits" }
func (k keys) wake() string                      { return k.prefix + "wake" }
