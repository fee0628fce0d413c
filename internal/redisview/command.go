package redisview

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/event"
)

// call is a command that a client has sent.
type call struct {
	*server.Peer
	ctx  context.Context
	keys *keys
	args []string // without the command's name
}

// command writes the answer of a call with at least so many arguments. An error is the answer if nothing was written.
type command struct {
	least int
	run   func(*call) error
}

// commands are all that are answered. None writes.
var commands = map[string]command{
	"PING":    {0, func(c *call) error { c.WriteInline("PONG"); return nil }},
	"ECHO":    {1, func(c *call) error { c.WriteBulk(c.args[0]); return nil }},
	"QUIT":    {0, func(c *call) error { c.WriteOK(); c.Close(); return nil }},
	"SELECT":  {1, selectDB},
	"HELLO":   {0, func(*call) error { return refusal("NOPROTO aoa redis speaks version 2 of the protocol only") }},
	"CLIENT":  {1, func(c *call) error { c.WriteOK(); return nil }},
	"COMMAND": {0, func(c *call) error { c.WriteLen(0); return nil }},

	"KEYS":   {1, listKeys},
	"SCAN":   {1, scan},
	"DBSIZE": {0, count},
	"TYPE":   {1, typeOf},
	"EXISTS": {1, exists},
	"TTL":    {1, func(c *call) error { return c.expiry(1000) }},
	"PTTL":   {1, func(c *call) error { return c.expiry(1) }},

	"ZCARD":            {1, func(c *call) error { return c.size(sortedSet) }},
	"ZSCORE":           {2, zscore},
	"ZMSCORE":          {2, zmscore},
	"ZRANK":            {2, func(c *call) error { return c.rank(false) }},
	"ZREVRANK":         {2, func(c *call) error { return c.rank(true) }},
	"ZCOUNT":           {3, zcount},
	"ZRANGE":           {3, ranged(span{})},
	"ZREVRANGE":        {3, ranged(span{reverse: true})},
	"ZRANGEBYSCORE":    {3, ranged(span{byScore: true})},
	"ZREVRANGEBYSCORE": {3, ranged(span{byScore: true, reverse: true})},
	"ZUNION":           {2, zunion},

	"SCARD":     {1, func(c *call) error { return c.size(plainSet) }},
	"SMEMBERS":  {1, func(c *call) error { return c.combine(1) }},
	"SISMEMBER": {2, sismember},
	"SUNION":    {1, func(c *call) error { return c.combine(1) }},
	"SINTER":    {1, func(c *call) error { return c.combine(len(c.args)) }},

	"HGET":    {2, hget},
	"HMGET":   {2, hmget},
	"HGETALL": {1, hgetall},
	"HKEYS":   {1, hkeys},
	"HLEN":    {1, func(c *call) error { return c.size(hash) }},
	"HEXISTS": {2, hexists},
}

// refusal is an error as the protocol has it: a code, then words.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	wrongKind = refusal("WRONGTYPE Operation against a key holding the wrong kind of value")
	syntax    = refusal("ERR syntax error")
	noInteger = refusal("ERR value is not an integer or out of range")
	noFloat   = refusal("ERR min or max is not a float")
)

// run answers a command. name is in capitals.
func run(ctx context.Context, k *keys, p *server.Peer, name string, args []string) {
	c, known := commands[name]
	var err error
	switch {
	case !known:
		err = refusal("READONLY aoa redis only reads, and does not know the command " + event.Path(name).Quoted())
	case len(args) < c.least:
		err = refusal("ERR wrong number of arguments for '" + strings.ToLower(name) + "' command")
	default:
		err = c.run(&call{p, ctx, k, args})
	}
	var r refusal
	if errors.As(err, &r) {
		p.WriteError(string(r))
	} else if err != nil {
		p.WriteError("ERR aOa: " + event.Path(err.Error()).Display())
	}
}

// value reads the key that the i-th argument names, which has to be of that kind, "" for any.
func (c *call) value(i int, kind string) (value, error) {
	v, err := c.keys.value(c.ctx, c.args[i])
	if err == nil && v.exists() && kind != "" && v.kind != kind {
		err = wrongKind
	}
	return v, err
}

// size answers how many members or fields there are.
func (c *call) size(kind string) error {
	v, err := c.value(0, kind)
	if err == nil {
		c.WriteInt(len(v.members) + len(v.fields))
	}
	return err
}

func (c *call) writeBool(is bool) {
	if is {
		c.WriteInt(1)
	} else {
		c.WriteInt(0)
	}
}

func selectDB(c *call) error {
	if c.args[0] != "0" {
		return refusal("ERR DB index is out of range")
	}
	c.WriteOK()
	return nil
}

// matching are the names of the keys of a pattern, and of a kind, "" for any.
func (c *call) matching(pattern, kind string) ([]string, error) {
	all, err := c.keys.names(c.ctx)
	out := []string{}
	for _, k := range all {
		if glob(pattern, k.name) && (kind == "" || k.kind == kind) {
			out = append(out, k.name)
		}
	}
	return out, err
}

// glob is path.Match, but for a slash, which is an ordinary character here.
func glob(pattern, name string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(name))
	return ok && err == nil
}

func listKeys(c *call) error {
	names, err := c.matching(c.args[0], "")
	if err == nil {
		c.WriteStrings(names)
	}
	return err
}

// scan answers all keys at once: the cursor is 0.
func scan(c *call) error {
	options := map[string]string{"MATCH": "*"}
	for rest := c.args[1:]; len(rest) > 0; rest = rest[2:] {
		name := strings.ToUpper(rest[0])
		if len(rest) < 2 || !slices.Contains([]string{"MATCH", "TYPE", "COUNT"}, name) {
			return syntax
		}
		options[name] = rest[1]
	}
	names, err := c.matching(options["MATCH"], strings.ToLower(options["TYPE"]))
	if err == nil {
		c.WriteLen(2)
		c.WriteBulk("0")
		c.WriteStrings(names)
	}
	return err
}

func count(c *call) error {
	names, err := c.matching("*", "")
	if err == nil {
		c.WriteInt(len(names))
	}
	return err
}

func typeOf(c *call) error {
	v, err := c.value(0, "")
	switch {
	case err != nil:
	case v.exists():
		c.WriteInline(v.kind)
	default:
		c.WriteInline("none")
	}
	return err
}

func exists(c *call) error {
	n := 0
	for i := range c.args {
		v, err := c.value(i, "")
		if err != nil {
			return err
		}
		if v.exists() {
			n++
		}
	}
	c.WriteInt(n)
	return nil
}

// expiry answers when a key ends, in units of so many milliseconds: -1 is never, -2 says that there is no such key.
func (c *call) expiry(unit int64) error {
	v, err := c.value(0, "")
	switch {
	case err != nil:
	case !v.exists():
		c.WriteInt(-2)
	case v.expires.IsZero():
		c.WriteInt(-1)
	default:
		c.WriteInt(int(v.expires.Sub(c.keys.Now()).Milliseconds() / unit))
	}
	return err
}

// combine answers the members that at least so many of the sets have.
func (c *call) combine(least int) error {
	in := map[string]int{}
	for i := range c.args {
		v, err := c.value(i, plainSet)
		if err != nil {
			return err
		}
		for _, m := range v.members {
			in[m.Name]++
		}
	}
	maps.DeleteFunc(in, func(_ string, n int) bool { return n < least })
	c.WriteStrings(slices.Sorted(maps.Keys(in)))
	return nil
}

func sismember(c *call) error {
	v, err := c.value(0, plainSet)
	if err == nil {
		_, is := v.score(c.args[1])
		c.writeBool(is)
	}
	return err
}

func hget(c *call) error {
	v, err := c.value(0, hash)
	if err == nil {
		c.field(v, c.args[1])
	}
	return err
}

// field answers one field.
func (c *call) field(v value, name string) {
	if text, has := v.fields[name]; has {
		c.WriteBulk(text)
	} else {
		c.WriteNull()
	}
}

func hmget(c *call) error {
	v, err := c.value(0, hash)
	if err == nil {
		c.WriteLen(len(c.args) - 1)
		for _, name := range c.args[1:] {
			c.field(v, name)
		}
	}
	return err
}

func hgetall(c *call) error {
	v, err := c.value(0, hash)
	if err == nil {
		c.WriteLen(2 * len(v.fields))
		for _, name := range slices.Sorted(maps.Keys(v.fields)) {
			c.WriteBulk(name)
			c.WriteBulk(v.fields[name])
		}
	}
	return err
}

func hkeys(c *call) error {
	v, err := c.value(0, hash)
	if err == nil {
		c.WriteStrings(slices.Sorted(maps.Keys(v.fields)))
	}
	return err
}

func hexists(c *call) error {
	v, err := c.value(0, hash)
	if err == nil {
		_, has := v.fields[c.args[1]]
		c.writeBool(has)
	}
	return err
}

// integer reads a number of a command.
func integer(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, noInteger
	}
	return n, nil
}
