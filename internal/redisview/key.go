package redisview

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
)

// key is a key that clients see. Its kind is as Redis' TYPE names it.
type key struct {
	name, kind string
	ask        api.ScoresRequest
}

const (
	sortedSet = "zset"
	plainSet  = "set"
	hash      = "hash"
)

// single are the keys of sets that have no owner.
var single = []key{
	{"aoa:scores:recency", sortedSet, api.ScoresRequest{Set: api.ScoresRecency}},
	{"aoa:scores:frequency", sortedSet, api.ScoresRequest{Set: api.ScoresFrequency}},
	{"aoa:scores:comod", sortedSet, api.ScoresRequest{Set: api.ScoresComod}},
	{"aoa:composite", sortedSet, api.ScoresRequest{Set: api.ScoresComposite}},
	{"aoa:tag_freq", sortedSet, api.ScoresRequest{Set: api.ScoresTagFreq}},
}

// family are keys of one set, an owner in each. Its name lies between prefix and suffix.
type family struct{ prefix, suffix, kind, set string }

// families are tried in this order.
var families = []family{
	{"aoa:scores:intent:", "", sortedSet, api.ScoresTag},
	{"aoa:tag:", "", plainSet, api.ScoresTag},
	{"aoa:file:", "", plainSet, api.ScoresFile},
	{"aoa:comod:", "", sortedSet, api.ScoresComod},
	{"aoa:session:", ":files", sortedSet, api.ScoresSession},
	{"aoa:session:", "", hash, api.ScoresSession},
}

func (f family) key(owner string) key {
	return key{f.prefix + owner + f.suffix, f.kind, api.ScoresRequest{Set: f.set, Owner: owner}}
}

// parse finds the key of that name.
func parse(name string) (key, bool) {
	for _, k := range single {
		if k.name == name {
			return k, true
		}
	}
	for _, f := range families {
		rest, begins := strings.CutPrefix(name, f.prefix)
		if owner, ends := strings.CutSuffix(rest, f.suffix); begins && ends && owner != "" {
			return f.key(owner), true
		}
	}
	return key{}, false
}

// keys are the keys as the daemon has them.
type keys struct {
	Options
	mu   sync.Mutex // guards what follows; held while the daemon is asked, so that it is asked once
	read map[string]reading
}

// reading is what the daemon answered, and when.
type reading struct {
	at    time.Time
	value value
}

// value is what a key holds: members of a set, a sorted one from the lowest score to the highest, or fields. Without either there is no
// such key.
type value struct {
	kind    string
	members []api.Score
	fields  map[string]string
	expires time.Time
}

func (v *value) exists() bool { return len(v.members)+len(v.fields) > 0 }

// fresh is how long an answer is used.
const fresh = time.Second

// value reads a key.
func (k *keys) value(ctx context.Context, name string) (value, error) {
	key, ok := parse(name)
	if !ok {
		return value{}, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.Now()
	for name, r := range k.read {
		if now.Sub(r.at) >= fresh {
			delete(k.read, name)
		}
	}
	if r, known := k.read[name]; known {
		return r.value, nil
	}
	set, err := k.Ask(ctx, key.ask)
	if err != nil {
		return value{}, err
	}
	v := value{kind: key.kind, expires: set.Expires}
	switch {
	case key.kind == hash:
		v.fields = set.Fields
	case key.ask.Set == api.ScoresFile:
		for _, m := range set.Members {
			v.members = append(v.members, api.Score{Name: "#" + m.Name})
		}
	default:
		v.members = set.Members
	}
	order(v.members)
	k.read[name] = reading{now, v}
	return v, nil
}

// names are all keys, by name.
func (k *keys) names(ctx context.Context) ([]key, error) {
	var out []key
	for _, s := range single {
		v, err := k.value(ctx, s.name)
		if err != nil {
			return nil, err
		}
		if v.exists() {
			out = append(out, s)
		}
	}
	for _, f := range families {
		owners, err := k.Ask(ctx, api.ScoresRequest{Set: f.set})
		if err != nil {
			return nil, err
		}
		for _, o := range owners.Members {
			key := f.key(o.Name)
			if f.set == api.ScoresSession { // one that has opened no file has no files
				if v, err := k.value(ctx, key.name); err != nil {
					return nil, err
				} else if !v.exists() {
					continue
				}
			}
			out = append(out, key)
		}
	}
	slices.SortFunc(out, func(a, b key) int { return strings.Compare(a.name, b.name) })
	return out, nil
}
