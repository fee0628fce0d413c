package redis

import (
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/hot"
)

// protocol is the version of what the keys hold. It is part of every key but one, so that daemons of another edition
// never write the same sets.
const protocol = 2

// keys makes every key of one repository. All share the hash tag, so a cluster keeps them on one node.
//
//	<prefix>:{repo}:protocol                  newest version of the daemons that share the repository
//	<prefix>:2:{repo}:scores:frequency:7d:<k> set of a global family and epoch
//	                  scores:recency          stamps, no epoch
//	                  comod:365d:<k>:<owner>  set of an owner, family and epoch
//	                  stream                  the steps that were applied last
//	                  applied                 writer → how far it has come
//	                  claims                  commit or rename → how many logs have it
//	                  claiming:<writer>       what was decided for the writer's batch under way
type keys struct{ prefix, version string }

func newKeys(prefix, repo string) keys {
	tag := "{" + strings.NewReplacer("{", "", "}", "").Replace(repo) + "}"
	return keys{prefix + ":" + strconv.Itoa(protocol) + ":" + tag + ":", prefix + ":" + tag + ":protocol"}
}

func (k keys) stream() string                { return k.prefix + "stream" }
func (k keys) applied() string               { return k.prefix + "applied" }
func (k keys) claims() string                { return k.prefix + "claims" }
func (k keys) claiming(writer string) string { return k.prefix + "claiming:" + writer }

// family is the beginning of the names of a family's sets. The half-life is a part of it, so that a changed one starts
// new sets.
func family(f *hot.Family) string {
	if f.Half == 0 {
		return f.Name
	}
	return f.Name + ":" + f.Span() + ":"
}

// name is the name of a set: its key without the prefix.
func name(c *hot.Change) string {
	n := family(c.Family)
	if c.Family.Half > 0 {
		n += strconv.FormatInt(c.Epoch, 10)
	}
	if !c.Family.Global() {
		n += ":" + c.Owner
	}
	return n
}

// parseName finds the set with that name. ok is false for what is none: another key, or a set under another half-life.
func parseName(name string) (c hot.Change, ok bool) {
	for _, c.Family = range hot.Families {
		rest, ok := strings.CutPrefix(name, family(c.Family))
		if !ok {
			continue
		}
		if c.Family.Half == 0 {
			if rest == "" {
				return c, true
			}
			continue
		}
		epoch, owner, owned := strings.Cut(rest, ":")
		k, err := strconv.ParseInt(epoch, 10, 64)
		c.Epoch, c.Owner = k, owner
		return c, err == nil && owned == !c.Family.Global() && (owner != "") == owned
	}
	return c, false
}
