package cold

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// gitAgent is the agent of commits that name none.
const gitAgent = "git"

// maxChange is the most files of a commit that says which files belong together; a larger one is a sweep.
const maxChange = 100

// commitRow is a row of commits.
type commitRow struct {
	id      int64
	sha     []byte
	at      int64
	author  sql.NullInt64
	subject string
	files   []byte
	rest    sql.NullString
	counted bool
}

// fields are where a row of the usual columns is scanned to.
func (r *commitRow) fields() []any {
	return []any{&r.id, &r.sha, &r.at, &r.author, &r.subject, &r.files, &r.rest, &r.counted}
}

// same reports whether two rows tell the same of a commit.
func (r *commitRow) same(o *commitRow) bool {
	return r.at == o.at && r.author == o.author && r.subject == o.subject && r.rest == o.rest && bytes.Equal(r.files, o.files)
}

// restOfCommit is an event without what the columns of commits hold. ID stays when it is not "commit:<sha>".
type restOfCommit struct {
	event.Event
	ID     string    `json:"id,omitempty"`
	Time   *struct{} `json:"time,omitempty"`
	Kind   *struct{} `json:"kind,omitempty"`
	Paths  *struct{} `json:"paths,omitempty"`
	Gone   *struct{} `json:"gone,omitempty"`
	Terms  *struct{} `json:"terms,omitempty"`
	Text   *struct{} `json:"text,omitempty"`
	Author *struct{} `json:"author,omitempty"`
}

// commitKey returns the key of a commit or uncommit event: the bytes of the sha in its ID, "commit:<sha>",
// "uncommit:<sha>" or "uncommit:<sha>:<new tip>". Any other ID is its own key, digested. plain: the sha is all
// that the ID tells.
func commitKey(id string) (key []byte, plain bool) {
	_, name, _ := strings.Cut(id, ":")
	name, tip, _ := strings.Cut(name, ":")
	if len(name) == 40 || len(name) == 64 {
		if key, err := hex.DecodeString(name); err == nil && hex.EncodeToString(key) == name {
			return key, tip == ""
		}
	}
	for _, prefix := range []string{"commit:", "uncommit:"} {
		id = strings.TrimPrefix(id, prefix)
	}
	sum := sha256.Sum256([]byte(id))
	return sum[:], false
}

// commitRow makes the row of a canonical commit event.
func (n *names) commitRow(e event.Event) (*commitRow, error) {
	r := &commitRow{at: e.Time.UnixMilli(), subject: e.Text}
	var plain bool
	r.sha, plain = commitKey(e.ID)
	if !e.Author.IsZero() {
		r.author = sql.NullInt64{Int64: e.Author.UnixMilli(), Valid: true}
	}
	p, err := packed{terms: e.Terms}, error(nil)
	if p.files, err = n.ids(e.Paths); err != nil {
		return nil, err
	}
	if p.gone, err = n.ids(e.Gone); err != nil {
		return nil, err
	}
	r.files = p.pack()
	rest := restOfCommit{Event: e}
	if !plain || !strings.HasPrefix(e.ID, "commit:") {
		rest.ID = e.ID
	}
	if rest.Agent == gitAgent {
		rest.Agent = ""
	}
	r.rest, err = rest.encode()
	return r, err
}

// rawMark begins a rest whose strings are stored byte by byte (see latin).
const rawMark = "~"

func (r restOfCommit) encode() (sql.NullString, error) {
	mark := ""
	if !isUTF8(r.Event) {
		mark, r.Event, r.ID = rawMark, mapStrings(r.Event, latin), latin(r.ID)
	}
	b, err := json.Marshal(r)
	if err != nil || string(b) == "{}" {
		return sql.NullString{}, err
	}
	return sql.NullString{String: mark + string(b), Valid: true}, nil
}

func decodeRestOfCommit(s sql.NullString) (event.Event, error) {
	if !s.Valid {
		return event.Event{}, nil
	}
	var r restOfCommit
	text, raw := strings.CutPrefix(s.String, rawMark)
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return event.Event{}, err
	}
	r.Event.ID = r.ID
	if raw {
		return mapStrings(r.Event, unlatin), nil
	}
	return r.Event, nil
}

// event is the inverse of commitRow; name finds the path of a short name.
func (r *commitRow) event(name func(id int64) (event.Path, error)) (event.Event, error) {
	e, err := decodeRestOfCommit(r.rest)
	if err == nil && !Possible(r.at) {
		err = errors.New("its time cannot be")
	}
	if err != nil {
		return e, r.bad(err)
	}
	p, err := unpack(r.files)
	if err != nil {
		return e, r.bad(err)
	}
	if e.ID == "" {
		e.ID = "commit:" + hex.EncodeToString(r.sha)
	}
	e.Kind, e.Time, e.Text, e.Terms = event.KindCommit, moment(r.at), r.subject, p.terms
	if r.author.Valid {
		e.Author = moment(r.author.Int64)
	}
	if e.Paths, err = paths(p.files, name); err != nil {
		return e, err
	}
	e.Gone, err = paths(p.gone, name)
	return canonical(e), err
}

func paths(ids []int64, name func(id int64) (event.Path, error)) ([]event.Path, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out := make([]event.Path, len(ids))
	for i, id := range ids {
		p, err := name(id)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// bad is the error of a commit that cannot be read.
func (r *commitRow) bad(err error) error { return fmt.Errorf("%w: commit %x: %w", ErrRow, r.sha, err) }

func missingFile(id int64) error {
	return fmt.Errorf("%w: file %d has no name", ErrRow, id)
}

// claim is a commit that the batch speaks of.
type claim struct {
	*commitRow      // counted is what it is by now
	fresh      bool // not in the table yet
	was        bool // counted before this batch
}

// entry is a line of the ledger.
type entry struct {
	pos, commit, n int64
	sign           int
	id             sql.NullString
}

// claims are the commits of a batch. A commit is claimed by whoever counts it first.
type claims struct {
	now    map[string]*claim // sha → its newest row
	all    []*claim          // every row that the batch touched, in order of first touch
	last   int64             // last id of commits
	ledger []entry
}

func newClaims() *claims { return &claims{now: map[string]*claim{}} }

// load finds what is known of the commits that the events name.
func (c *claims) load(w writing, events []event.Event) error {
	var keys []any
	for _, e := range events {
		if e.Kind == event.KindCommit || e.Kind == event.KindUncommit {
			key, _ := commitKey(e.ID)
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if _, err := w.Scan("last_commit", nil, &c.last); err != nil || c.last == 0 {
		return err
	}
	for part := range slices.Chunk(keys, 100) {
		for len(part) < 100 && len(keys) > 100 {
			part = append(slices.Clip(part), part[0]) // the statement for 100 serves the last part too
		}
		if err := c.loadPart(w, part); err != nil {
			return err
		}
	}
	return nil
}

func (c *claims) loadPart(w writing, keys []any) error {
	s, err := w.prepare(fmt.Sprint("commits_by_sha ", len(keys)),
		"SELECT id, sha, time, author, subject, files, rest, counted FROM commits WHERE sha IN "+
			rows(1, len(keys))+" ORDER BY id")
	if err != nil {
		return err
	}
	found, err := s.QueryContext(background, keys...)
	if err != nil {
		return err
	}
	return w.f.each(found, func(row Row) error {
		r := &commitRow{}
		if err := row.Scan(r.fields()...); err != nil {
			return err
		}
		cl := &claim{commitRow: r, was: r.counted}
		c.now[string(r.sha)] = cl
		c.all = append(c.all, cl)
		return nil
	})
}

// commit claims a commit unless it is counted already.
func (b *batch) commit(e event.Event) error {
	key, _ := commitKey(e.ID)
	known := b.claims.now[string(key)]
	if known != nil && known.counted {
		return nil
	}
	r, err := b.names.commitRow(e)
	if err != nil {
		return err
	}
	if known == nil || !known.same(r) {
		b.claims.last++
		r.id = b.claims.last
		known = &claim{commitRow: r, fresh: true}
		b.claims.now[string(key)] = known
		b.claims.all = append(b.claims.all, known)
	}
	known.counted = true
	b.claims.enter(int64(len(b.fresh)), known.id, +1, sql.NullString{})
	b.fresh = append(b.fresh, e)
	return nil
}

// uncommit takes a counted commit back, as it was counted.
func (b *batch) uncommit(e event.Event) error {
	key, _ := commitKey(e.ID)
	known := b.claims.now[string(key)]
	if known == nil || !known.counted {
		return nil
	}
	back, err := known.event(b.names.name)
	known.counted = false
	if b.f.bad.skip(err) {
		return nil // a start that replays the log leaves the commit out as well
	}
	if err != nil {
		return err
	}
	id := sql.NullString{String: e.ID, Valid: e.ID != uncommitID(key)}
	b.claims.enter(int64(len(b.fresh)), known.id, -1, id)
	back.ID, back.Kind = e.ID, event.KindUncommit
	b.fresh = append(b.fresh, back)
	return nil
}

func uncommitID(key []byte) string { return "uncommit:" + hex.EncodeToString(key) }

// enter writes a line of the ledger, or lengthens the last one.
func (c *claims) enter(pos, commit int64, sign int, id sql.NullString) {
	if n := len(c.ledger); n > 0 && !id.Valid {
		l := &c.ledger[n-1]
		if l.sign == sign && !l.id.Valid && l.pos+l.n == pos && l.commit+l.n == commit {
			l.n++
			return
		}
	}
	c.ledger = append(c.ledger, entry{pos: pos, commit: commit, n: 1, sign: sign, id: id})
}

// flush writes the commits, the ledger, and which files changed together.
func (c *claims) flush(b *batch) error {
	var added [][2]int64
	var insert []any
	for _, cl := range c.all {
		if cl.fresh {
			insert = append(insert, cl.id, cl.sha, b.seq, cl.at, cl.author, cl.subject, cl.files, cl.rest, cl.counted)
		} else if cl.was != cl.counted {
			if err := b.run("count_commit", cl.id, cl.counted); err != nil {
				return err
			}
		}
		if cl.was == cl.counted {
			continue
		}
		files, err := cl.changed()
		if b.f.bad.skip(err) {
			err = b.run("delete_changes_of", cl.id)
		}
		if err != nil {
			return err
		}
		for _, f := range files {
			if cl.counted {
				added = append(added, [2]int64{f, cl.id})
			} else if err := b.run("delete_change", f, cl.id); err != nil {
				return err
			}
		}
	}
	if err := b.insertRows("INSERT INTO commits (id, sha, batch, time, author, subject, files, rest, counted)", 9, insert); err != nil {
		return err
	}
	// In key order the tree grows leaf by leaf; in commit order every row is a search.
	slices.SortFunc(added, func(x, y [2]int64) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	args := make([]any, 0, 2*len(added))
	for _, a := range added {
		args = append(args, a[0], a[1])
	}
	if err := b.insertRows("INSERT OR IGNORE INTO changes (file, commit_id)", 2, args); err != nil {
		return err
	}
	for _, l := range c.ledger {
		if err := b.run("insert_ledger", b.seq, l.pos, l.commit, l.n, l.sign, l.id); err != nil {
			return err
		}
	}
	return nil
}
