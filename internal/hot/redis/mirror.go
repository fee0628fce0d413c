package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aoa-dev/aoa/internal/hot"
)

// Mirror is what this process has read of the server.
type Mirror struct {
	Scores *hot.Store // the sets of all writers

	own    atomic.Int64     // the last batch of this writer that is wholly in it
	last   string           // id of the stream's entry up to which it goes
	loaded map[string]int64 // set → position up to which it was loaded, until the mirror is past all of them
	until  int64            // highest of loaded
}

// Own is the last batch of this writer that is wholly in the mirror.
func (m *Mirror) Own() int64 { return m.own.Load() }

// Mirror is the mirror that Load or Resume made the store's; nil before.
func (s *Store) Mirror() *Mirror {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.mirror
}

// Bounds of reading.
const (
	loadSets    = 500             // owned sets that one script call reads: others wait meanwhile
	readEntries = 64              // entries of the stream at once
	oldEntries  = 256             // of those before the mirror's begin that are read for their edits
	waitTime    = 5 * time.Second // how long Wait waits
	noEntry     = "0-0"           // of a stream without entries
)

// Resume goes on with the mirror of an earlier connection. Nothing but Sync may have changed it.
func (s *Store) Resume(ctx context.Context, m *Mirror) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	s.mirror = m
	return s.sync(ctx)
}

// Load reads all sets of the server into a new mirror.
func (s *Store) Load(ctx context.Context) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.begin(ctx)
}

// Sync carries out in the mirror what the stream has since the last time. If the stream does not continue what the mirror has
// read, a new mirror is loaded. ErrMark: the server has lost batches of this writer.
func (s *Store) Sync(ctx context.Context) error {
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.sync(ctx)
}

func (s *Store) sync(ctx context.Context) error {
	err := s.follow(ctx)
	if errors.Is(err, errGap) {
		err = s.begin(ctx)
	}
	return err
}

// begin makes a new mirror the store's.
func (s *Store) begin(ctx context.Context) error {
	sent := s.Sent()
	has, err := s.client.HGet(ctx, s.keys.applied(), s.writer).Result()
	if seq, _ := parseMark(has); err == nil && seq < sent || isNil(err) && sent > 0 {
		return fmt.Errorf("%w: at %q, not at %d", ErrMark, has, sent)
	}
	if err != nil && !isNil(err) {
		return fmt.Errorf("read applied sequence: %w", err)
	}
	m, err := s.load(ctx, sent)
	if err != nil {
		return fmt.Errorf("load mirror: %w", err)
	}
	s.mirror = m
	if err := s.follow(ctx); err != nil { // what was applied meanwhile
		return err
	}
	if s.loaded != nil {
		s.loaded(m)
	}
	return nil
}

func (s *Store) load(ctx context.Context, sent int64) (*Mirror, error) {
	m := &Mirror{Scores: hot.New(nil), last: noEntry, loaded: map[string]int64{}}
	m.own.Store(sent)
	before, err := s.client.XRevRangeN(ctx, s.keys.stream(), "+", "-", oldEntries).Result()
	if err != nil {
		return nil, err
	}
	for i, e := range before {
		if i == 0 {
			m.last = e.ID
		}
		_, _, edits, _ := decodeStep(word(e, "d")) // what it changed is in the sets
		s.note(e, edits)
	}
	names, err := s.scan(ctx)
	if err != nil {
		return nil, err
	}
	var owned []hot.Change
	for _, n := range names {
		c, ok := parseName(n)
		switch {
		case !ok:
		case c.Family.Global(): // large
			err = s.loadSets(ctx, m, []hot.Change{c})
		default:
			owned = append(owned, c)
		}
		if err != nil {
			return nil, err
		}
	}
	for chunk := range slices.Chunk(owned, loadSets) {
		if err := s.loadSets(ctx, m, chunk); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// loadSets reads sets as of one moment.
func (s *Store) loadSets(ctx context.Context, m *Mirror, sets []hot.Change) error {
	keys := []string{s.keys.stream()}
	for i := range sets {
		keys = append(keys, s.keys.prefix+name(&sets[i]))
	}
	answer, err := loadScript.Run(ctx, s.client, keys).Slice()
	if err != nil {
		return err
	}
	id, _ := answer[0].(string)
	at, err := position(id)
	if err != nil || len(answer) != len(keys) {
		return errors.Join(err, errors.New("the server's answer is not one of load.lua"))
	}
	m.until = max(m.until, at)
	for i := range sets {
		c := &sets[i]
		m.loaded[name(c)] = at
		if c.Do = hot.AddScores; c.Family.Half == 0 {
			c.Do = hot.LatestStamps
		}
		words, _ := answer[i+1].([]any)
		for j := 0; j+1 < len(words); j += 2 {
			member, _ := words[j].(string)
			text, _ := words[j+1].(string)
			if score, err := parseScore(text); err == nil && member != "" { // else written by another program
				c.Members = append(c.Members, hot.Member{Name: member, Score: score})
			}
		}
	}
	m.Scores.Change(sets)
	return nil
}

// follow always reads the last entry again: if it is still there, then what follows it is what has been applied since.
func (s *Store) follow(ctx context.Context) error {
	m := s.mirror
	for {
		begin, again := m.last, 1
		if m.last == noEntry {
			begin, again = "-", 0
		}
		entries, err := s.client.XRangeN(ctx, s.keys.stream(), begin, "+", int64(readEntries+again)).Result()
		if err != nil {
			return fmt.Errorf("read stream: %w", err)
		}
		if again > 0 && (len(entries) == 0 || entries[0].ID != m.last) {
			return errGap
		}
		for _, e := range entries[again:] {
			if err := s.take(m, e); err != nil {
				return err
			}
		}
		if len(entries) < readEntries+again {
			return nil
		}
	}
}

// take carries out one entry of the stream.
func (s *Store) take(m *Mirror, e redis.XMessage) error {
	before, err := position(m.last)
	if err != nil {
		return err
	}
	at, err := position(e.ID)
	if err != nil || at != before+1 {
		return errors.Join(errGap, err)
	}
	names, changes, edits, err := decodeStep(word(e, "d"))
	if err != nil { // written by another program: the sets have what the server made of it
		return errors.Join(errGap, err)
	}
	if m.loaded != nil {
		var since []hot.Change // sets that were loaded later have the others already
		for i, n := range names {
			if m.loaded[n] < at {
				since = append(since, changes[i])
			}
		}
		changes = since
	}
	m.Scores.Change(changes)
	if m.last = e.ID; at >= m.until {
		m.loaded = nil
	}
	if seq, step := parseMark(word(e, "n")); word(e, "w") == s.writer && seq > 0 && step == 0 {
		m.own.Store(seq)
	}
	s.note(e, edits)
	return nil
}

func (s *Store) note(e redis.XMessage, edits []hot.Edit) {
	if s.edited == nil || word(e, "w") == s.writer {
		return
	}
	for _, edit := range edits {
		s.edited(edit)
	}
}

func word(e redis.XMessage, field string) string {
	v, _ := e.Values[field].(string)
	return v
}

// Wait returns when there is something for Sync, or after 5 s. It does not watch ctx while it waits: Close ends it.
func (s *Store) Wait(ctx context.Context) error {
	s.reading.Lock()
	last := s.mirror.last
	s.reading.Unlock()
	err := s.client.XRead(ctx, &redis.XReadArgs{Streams: []string{s.keys.stream(), last}, Count: 1, Block: waitTime}).Err()
	if err != nil && !isNil(err) {
		return fmt.Errorf("wait for the stream: %w", err)
	}
	return nil
}

var glob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// scan lists the keys of the repository without their prefix.
func (s *Store) scan(ctx context.Context) ([]string, error) {
	node, err := s.node(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	it := node.Scan(ctx, 0, glob.Replace(s.keys.prefix)+"*", 1000).Iterator()
	for it.Next(ctx) {
		out = append(out, strings.TrimPrefix(it.Val(), s.keys.prefix))
	}
	if err := it.Err(); err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
