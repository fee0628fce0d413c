package redisview

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/monitor"
)

// The commands that miniredis executes. None of them blocks, runs a script, or allocates more
// memory than the data that was sent or stored.
var (
	reading = strings.Fields(`PING ECHO QUIT HELLO CLIENT TIME TYPE EXISTS TTL PTTL GET MGET STRLEN LLEN LRANGE LINDEX
		ZCARD ZSCORE ZMSCORE ZRANK ZREVRANK ZCOUNT ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZUNION ZINTER ZSCAN
		SCARD SMEMBERS SISMEMBER SMISMEMBER SUNION SINTER SDIFF SSCAN
		HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSCAN`)
	listing = strings.Fields(`KEYS SCAN DBSIZE`)
	// These write to the key that is their first argument.
	writing = strings.Fields(`ZUNIONSTORE ZINTERSTORE ZADD ZINCRBY ZREM ZREMRANGEBYRANK ZREMRANGEBYSCORE SADD SREM
		HSET HDEL HINCRBY SET SETEX INCR INCRBY LPUSH RPUSH LTRIM EXPIRE PEXPIRE PERSIST`)
	deleting = strings.Fields(`DEL UNLINK`)
)

// run executes a command. The reply is written to out through p.
func (v *view) run(ctx context.Context, p *server.Peer, out *bytes.Buffer, args []string) {
	name, keys := strings.ToUpper(args[0]), args[1:]
	var written []string
	switch {
	case name == "INFO" && (len(keys) == 0 || strings.EqualFold(keys[0], "memory")):
		p.WriteBulk(fmt.Sprintf("# Memory\r\nused_memory:%d\r\n", monitor.Heap())) // of this process
		return
	case name == "COMMAND":
		p.WriteLen(0) // redis-cli cannot read miniredis's reply to COMMAND DOCS
		return
	case name == "SELECT" && slices.Equal(keys, []string{"0"}):
		p.WriteOK()
		return
	case slices.Contains(writing, name):
		written = keys[:min(1, len(keys))]
	case slices.Contains(deleting, name):
		written = keys
	case !slices.Contains(reading, name) && !slices.Contains(listing, name):
		p.WriteError("ERR aoa redis does not run the command " + event.Path(args[0]).Quoted())
		return
	}
	if i := slices.IndexFunc(written, readOnly); i >= 0 {
		p.WriteError("READONLY " + event.Path(written[i]).Quoted() +
			" cannot be written: aoa:composite, aoa:temp:… and names without aoa: can")
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.fill(ctx, keys, slices.Contains(listing, name)); err != nil {
		p.WriteError("ERR aOa: " + event.Path(err.Error()).Display())
		return
	}
	v.dispatch(p, args)
	p.Flush()
	if bytes.HasPrefix(out.Bytes(), []byte("-")) {
		return
	}
	for _, key := range written {
		delete(v.ours, key) // from now on the key belongs to the client
		if set, err := v.redis.SortedSet(key); err == nil && len(set) == 0 {
			v.redis.Del(key) // miniredis keeps an empty union, Redis does not
		}
	}
}

// dispatch lets miniredis execute a command. A miniredis that panics may keep its lock, so it is
// replaced by a new one, without the clients' keys.
func (v *view) dispatch(p *server.Peer, args []string) {
	defer func() {
		if recover() != nil {
			v.redis, v.since = started(), time.Time{}
			p.WriteError("ERR miniredis failed, and the keys of clients are lost")
		}
	}()
	v.redis.Server().Dispatch(p, args)
}
