package hot

import (
	"strconv"
	"strings"
	"time"
)

// keys makes every key of one repository. All share the hash tag, so a cluster keeps them on one node.
//
//	scores:frequency:7d:<k>     global set of epoch k      scores:recency        stamps, no epoch
//	comod:365d:<k>:<owner>      owned set of epoch k       scores:recency:top    the newest stamps
//	session:<id>[:<part>]       a session                  expiry                session → deadline
//	fact:<key>, threshold       small durable facts        meta, applied:<writer>
//	server                      the server's epoch         claims, claiming:<writer>  who counts a commit
//	edits                       stream of others' edits    wake                       channel: look at it
type keys struct{ prefix string }

func newKeys(prefix, repo string) keys {
	return keys{prefix + ":{" + strings.NewReplacer("{", "", "}", "").Replace(repo) + "}:"}
}

func (k keys) global(f *family, epoch int64) string {
	if f.half == 0 {
		return k.prefix + f.Name
	}
	return k.prefix + f.Name + ":" + f.span + ":" + strconv.FormatInt(epoch, 10)
}

func (k keys) owned(f *family, epoch int64, owner string) string { return k.owners(f, epoch) + owner }

// owners is the prefix of all sets of that family and epoch.
func (k keys) owners(f *family, epoch int64) string {
	return k.prefix + f.Name + ":" + f.span + ":" + strconv.FormatInt(epoch, 10) + ":"
}

// family is the prefix of all sets of an owned family.
func (k keys) family(f *family) string { return k.prefix + f.Name + ":" + f.span + ":" }

func (k keys) top(f *family) string { return k.prefix + f.Name + ":top" }

// colon keeps a session id from naming another session's part.
var colon = strings.NewReplacer("%", "%25", ":", "%3A")

func (k keys) session(id string) string { return k.prefix + "session:" + colon.Replace(id) }

func (k keys) part(id string, p part) string { return k.session(id) + ":" + partNames[p] }

func (k keys) fact(key string) string {
	if key == "threshold" || strings.HasPrefix(key, "threshold:") {
		return k.prefix + key
	}
	return k.prefix + "fact:" + key
}

func (k keys) expiry() string { return k.prefix + "expiry" }
func (k keys) facts() string  { return k.prefix + "facts" } // the set of fact keys, for snapshots of a server
func (k keys) meta() string   { return k.prefix + "meta" }

func (k keys) applied(writer string) string  { return k.prefix + "applied:" + writer }
func (k keys) claiming(writer string) string { return k.prefix + "claiming:" + writer }

func (k keys) claims() string { return k.prefix + "claims" }
func (k keys) server() string { return k.prefix + "server" }
func (k keys) edits() string  { return k.prefix + "edits" }
func (k keys) wake() string   { return k.prefix + "wake" }

// span prints a half-life for keys: 7d, 36h, 90s. It is part of the key, so a changed half-life starts new sets
// instead of misreading the old ones.
func span(d time.Duration) string {
	switch {
	case d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	case d%time.Hour == 0:
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	default:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
}
