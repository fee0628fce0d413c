package cold

import "context"

// BlobTx is one write transaction of an owner. It is kept completely or not at all.
type BlobTx struct {
	o     *Owner
	tx    *Tx
	now   int64
	grown map[string]int64 // by how many bytes each session has grown
}

// Write runs fn in a transaction and then applies the owner's Rule. If a session exceeds its quota,
// the error is a *QuotaError and nothing is kept. If the owner has too many blobs, the least
// recently used ones are deleted and their keys returned.
func (o *Owner) Write(ctx context.Context, what string, fn func(tx *BlobTx) error) (dropped []string, err error) {
	run := func(tx *Tx) error {
		t := &BlobTx{o: o, tx: tx, now: o.b.o.Now().UnixMilli(), grown: map[string]int64{}}
		if err := fn(t); err != nil {
			return err
		}
		if err := t.checkQuota(); err != nil {
			return err
		}
		dropped, err = t.makeRoom()
		return err
	}
	err = o.b.use(ctx, func(f *File) error { return f.Write(ctx, what, run) })
	return dropped, err
}

// Find returns the size and session of a blob, or nil if there is none.
func (t *BlobTx) Find(key string) (*Blob, error) {
	return t.o.find(t.tx, key)
}

// Put writes a blob. It replaces one with the same key.
func (t *BlobTx) Put(p Packed) error {
	before, err := t.Find(p.Key)
	if err != nil {
		return err
	}
	t.grown[p.Session] += p.Size
	if before != nil {
		t.grown[before.Session] -= before.Size
	}
	used := t.now
	if !p.Used.IsZero() {
		used = p.Used.UnixMilli()
	}
	return t.tx.run([]any{t.o.name, p.Key, p.Session, p.Part, p.Size, t.now, used, p.Meta, p.Data}, sqlPutBlob)
}

// Delete deletes a blob, if there is one.
func (t *BlobTx) Delete(key string) error {
	return t.tx.run([]any{t.o.name, key}, "DELETE FROM blobs WHERE owner = ? AND key = ?")
}

// Answered returns the answer that a call got before; ok is false if the call is new. A call named
// "" is always new.
func (t *BlobTx) Answered(call string) (answer []byte, ok bool, err error) {
	if call == "" {
		return nil, false, nil
	}
	call = t.o.name + " " + call
	ok, err = t.tx.Scan("SELECT answer FROM answers WHERE call = ?", []any{call}, &answer)
	if err != nil || !ok {
		return nil, false, err
	}
	answer, err = t.o.b.o.Seal.Open("answer "+call, answer)
	return answer, err == nil, nil // an answer that cannot be opened is computed again
}

// Answer keeps the answer of a call in case the call is repeated.
func (t *BlobTx) Answer(call string, answer []byte) error {
	if call == "" {
		return nil
	}
	call = t.o.name + " " + call
	return t.tx.run([]any{call, t.now, t.o.b.o.Seal.Seal("answer "+call, answer)},
		"INSERT OR REPLACE INTO answers (call, at, answer) VALUES (?, ?, ?)")
}

// checkQuota returns an error if a session has become too large. A session that did not grow may
// remain too large.
func (t *BlobTx) checkQuota() error {
	for session, grown := range t.grown {
		if t.o.rule.Quota == 0 || grown <= 0 {
			continue
		}
		var used int64
		_, err := t.tx.Scan("SELECT coalesce(sum(size), 0) FROM blobs WHERE owner = ? AND session = ?",
			[]any{t.o.name, session}, &used)
		if err != nil {
			return err
		}
		if used > t.o.rule.Quota {
			return &QuotaError{Session: session, Used: used - grown, Asked: grown, Limit: t.o.rule.Quota}
		}
	}
	return nil
}

// makeRoom deletes the least recently used blobs until the owner keeps to its rule.
func (t *BlobTx) makeRoom() (dropped []string, err error) {
	r := t.o.rule
	if r.Count == 0 && r.Bytes == nil {
		return nil, nil
	}
	var count int
	var size int64
	_, err = t.tx.Scan("SELECT count(*), coalesce(sum(size), 0) FROM blobs WHERE owner = ?", []any{t.o.name}, &count,
		&size)
	if err != nil {
		return nil, err
	}
	over := func() bool { return r.Count > 0 && count > r.Count || r.Bytes != nil && size > r.Bytes() }
	if !over() {
		return nil, nil
	}
	err = t.tx.Each("SELECT key, size FROM blobs WHERE owner = ? ORDER BY used, id", []any{t.o.name}, func(row Row) error {
		var key string
		var n int64
		err := row.Scan(&key, &n)
		if err == nil && over() {
			dropped, count, size = append(dropped, key), count-1, size-n
		}
		return err
	})
	for _, key := range dropped {
		if err == nil {
			err = t.Delete(key)
		}
	}
	return dropped, err
}
