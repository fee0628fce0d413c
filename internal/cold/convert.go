package cold

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// The log up to schema 4 had ordinary events in intent_log, with lists in JSON, and commits in a table of their own; the table
// ledger said when these were counted and taken back, several in a row at a time.

const selectOldEvents = `SELECT id, batch, pos, 0, event_id, timestamp, kind, agent, session_id, tool, files, tags, rest, raw,
  sealed, NULL, NULL
FROM intent_log`

const selectOldLog = selectOldEvents + ` UNION ALL
SELECT c.id, l.batch, l.pos + c.id - l.commit_id, l.sign, l.event_id, c.time, '', '', '', c.subject, '[]', '[]',
  coalesce(c.rest, '{}'), 0, c.files, c.sha, c.author
FROM ledger l JOIN commits c ON c.id BETWEEN l.commit_id AND l.commit_id + min(l.n, 1 << 40) - 1 AND c.batch <= l.batch
WHERE l.sign IN (1, -1) ORDER BY 2, 3`

// oldRow is a row of those.
type oldRow struct {
	id, seq, pos, sign, at     int64
	event                      sql.NullString // its ID; of a commit NULL: the usual one
	kind, agent, session, tool string         // tool: of a commit the subject
	files, tags, rest          string         // JSON
	raw                        bool           // a string was not UTF-8: all are stored byte by byte as Latin-1
	blob                       []byte         // the sealed text; of a commit its files and terms
	sha                        []byte         // NULL for other events
	author                     sql.NullInt64
}

func (o *oldRow) scan(row Row) error {
	err := row.Scan(&o.id, &o.seq, &o.pos, &o.sign, &o.event, &o.at, &o.kind, &o.agent, &o.session, &o.tool, &o.files, &o.tags, &o.rest,
		&o.raw, &o.blob, &o.sha, &o.author)
	if err == nil && (o.seq <= 0 || o.seq > maxBatch || !Possible(o.at)) {
		err = fmt.Errorf("%w: its batch or its time cannot be", ErrRow)
	}
	if err != nil {
		return fmt.Errorf("event %q %x: %w", o.event.String, o.sha, err)
	}
	return nil
}

// decode makes the event of a row. The sealed text stays closed.
func (o *oldRow) decode(path func(int64) (event.Path, error)) (e event.Event, err error) {
	rest := o.rest
	if len(o.sha) > 0 {
		rest, o.raw = strings.CutPrefix(o.rest, "~")
	}
	err = json.Unmarshal([]byte(rest), &e)
	if err == nil {
		err = json.Unmarshal([]byte(o.files), &e.Paths)
	}
	if err == nil {
		err = json.Unmarshal([]byte(o.tags), &e.Tags)
	}
	if err != nil {
		return e, fmt.Errorf("%w: event %q %x: %w", ErrRow, o.event.String, o.sha, err)
	}
	if o.raw {
		eachString(&e, decodeBytes)
	}
	e.Time = moment(o.at)
	if len(o.sha) > 0 {
		err = o.decodeCommit(&e, path)
		return canonical(e), err
	}
	e.ID, e.Kind, e.Agent, e.Session, e.Tool = o.event.String, event.Kind(o.kind), o.agent, o.session, o.tool
	return canonical(e), nil
}

func (o *oldRow) decodeCommit(e *event.Event, path func(int64) (event.Path, error)) (err error) {
	e.Kind, e.Text = event.KindCommit, o.tool
	if o.author.Valid {
		e.Author = moment(o.author.Int64)
	}
	if e.ID == "" {
		e.ID = "commit:" + hex.EncodeToString(o.sha)
	}
	if o.sign < 0 {
		e.Kind, e.ID = event.KindUncommit, cmp.Or(o.event.String, "uncommit:"+hex.EncodeToString(o.sha))
	}
	b, damaged := o.blob, fmt.Errorf("%w: commit %x: its files are damaged", ErrRow, o.sha)
	if len(b) == 0 || b[0] != 1 {
		return damaged
	}
	b = b[1:]
	for _, list := range []*[]event.Path{&e.Paths, &e.Gone} {
		n, last := count(&b), int64(0)
		for range n {
			diff, size := binary.Varint(b)
			if size <= 0 {
				return damaged
			}
			last, b = last+diff, b[size:]
			p, err := path(last)
			if err != nil {
				return err
			}
			*list = append(*list, p)
		}
	}
	for range count(&b) {
		term, ok := cut(&b)
		if !ok {
			return damaged
		}
		e.Terms = append(e.Terms, string(term))
	}
	if len(b) > 0 {
		return damaged
	}
	return nil
}

// count takes a number off the front.
func count(b *[]byte) uint64 {
	n, size := binary.Uvarint(*b)
	*b = (*b)[max(size, 0):]
	return min(n, uint64(len(*b))) // each of them takes a byte at least
}

// decodeBytes reads every character as the byte with that number.
func decodeBytes(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// eachString replaces every string of the event, in fields and in lists.
func eachString(e *event.Event, fn func(string) string) {
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Kind() == reflect.String:
			f.SetString(fn(f.String()))
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.String:
			for j := range f.Len() {
				f.Index(j).SetString(fn(f.Index(j).String()))
			}
		}
	}
}

// convert copies the rows of schema 4 into the tables of schema 5.
func convert(tx *Tx, version int) error {
	if version != 5 {
		return nil
	}
	c := &conversion{tx: tx, d: &DB{File: tx.f}, path: tx.paths(), newest: map[int64]mention{}, over: map[int64]bool{}}
	var v string
	if _, err := tx.Scan(selectMeta, []any{metaSeq}, &v); err != nil {
		return err
	}
	if c.last, _ = parseSeq(v); c.last == 0 {
		c.last = maxBatch
	}
	if err := tx.Each(selectOldLog, nil, c.take); err != nil {
		return err
	}
	return c.finish()
}

type conversion struct {
	tx   *Tx
	d    *DB
	path func(int64) (event.Path, error)
	last int64 // batch

	id     int64 // events.id of the row before
	rows   []*row
	events []event.Event     // of rows
	newest map[int64]mention // digest → the newest row about it
	over   map[int64]bool    // events.id of commits that were taken back, and of uncommits that were
	touch  []touch
}

func (c *conversion) take(from Row) error {
	var o oldRow
	if err := o.scan(from); err != nil {
		return err
	}
	e, err := o.decode(c.path)
	if err == nil && o.seq > c.last {
		err = fmt.Errorf("%w: event %q: its batch cannot be", ErrRow, e.ID)
	}
	if err != nil {
		return err
	}
	c.id++
	r := &row{id: c.id, seq: o.seq}
	if len(o.sha) == 0 {
		r.text = o.blob
	}
	digest := digestOf(e)
	if m := c.newest[digest]; m.counted != 0 {
		c.over[m.id] = true
	}
	c.newest[digest] = mention{id: c.id, counted: countedOf(e.Kind)}
	c.rows, c.events = append(c.rows, r), append(c.events, e)
	if len(c.rows) < 1000 {
		return nil
	}
	return c.flush()
}

func (c *conversion) flush() error {
	ids, err := c.d.fileIDs(c.tx, c.events)
	if err != nil {
		return err
	}
	var args []any
	for i, e := range c.events {
		r := encodeRow(e, nil, ids.of)
		r.id, r.seq = c.rows[i].id, c.rows[i].seq
		if c.rows[i].text != nil {
			r.text = c.rows[i].text
		}
		args = append(args, r.values()...)
		if e.Kind != event.KindCommit || !e.Sweep() {
			c.touch = append(c.touch, touchesOf(r, e, ids.of)...)
		}
	}
	c.rows, c.events = nil, nil
	return c.tx.many("INSERT INTO events ("+rowColumns+") VALUES %s", 8, args, nil)
}

func (c *conversion) finish() error {
	if err := c.flush(); err != nil {
		return err
	}
	var over []any
	for id := range c.over {
		over = append(over, id)
	}
	if err := c.tx.many("UPDATE events SET counted = 0 WHERE id IN (VALUES %s)", 1, over, nil); err != nil {
		return err
	}
	if err := insertTouches(c.tx, slices.DeleteFunc(c.touch, func(t touch) bool { return c.over[t.event] })); err != nil {
		return err
	}
	args := make([]any, 0, 2*len(c.newest))
	for _, digest := range slices.Sorted(maps.Keys(c.newest)) { // in the order of the table
		args = append(args, digest, c.newest[digest].id)
	}
	if err := c.tx.many("INSERT INTO ids (digest, event) VALUES %s", 2, args, nil); err != nil {
		return err
	}
	return c.tx.run(nil, "INSERT OR IGNORE INTO ids (digest, event) SELECT id, NULL FROM gone")
}
