package cold

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// blobClock is a time that a test moves.
type blobClock struct{ at time.Time }

func (c *blobClock) now() time.Time { return c.at }

// openBlobs opens a cache with two owners: one that has a quota per session, and one that keeps
// three blobs for a day.
func openBlobs(t testing.TB, path string) (b *Blobs, quota, count *Owner, c *blobClock, s *fault.Log) {
	t.Helper()
	c, s = &blobClock{noon}, &fault.Log{}
	b = fault.Must(OpenBlobs(t.Context(), path, Options{Now: c.now, Seal: fault.Must(OpenSeal(path + ".key")),
		Log: s.Logger()}))
	t.Cleanup(func() { _ = b.Close() })
	quota = b.Owner("quota", Rule{Quota: 100})
	count = b.Owner("count", Rule{Count: 3, Unused: 24 * time.Hour})
	return b, quota, count, c, s
}

func keep(t testing.TB, o *Owner, blobs ...Blob) (dropped []string) {
	t.Helper()
	return fault.Must(o.Put(t.Context(), blobs...))
}

func get(t testing.TB, o *Owner, key string) (b Blob, found bool) {
	t.Helper()
	b, found, err := o.Get(t.Context(), key)
	fault.Check(t, err)
	return b, found
}

func list(t testing.TB, o *Owner, q Selection) []Blob {
	t.Helper()
	return fault.Must(o.List(t.Context(), q))
}

func keysOf(t testing.TB, o *Owner, q Selection) (keys string) {
	t.Helper()
	for _, v := range list(t, o, q) {
		keys += v.Key + " "
	}
	return strings.TrimSpace(keys)
}

func TestBlobsComeBack(t *testing.T) {
	_, quota, count, _, _ := openBlobs(t, filepath.Join(t.TempDir(), "cache.db"))
	noise := make([]byte, 5<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	for i, data := range [][]byte{nil, []byte("x"), noise, bytes.Repeat(noise[:1000], 2000)} {
		key := fmt.Sprint(i)
		keep(t, count, Blob{Key: key, Session: "s", Part: "p", Size: 7, Meta: []byte("about " + key), Data: data})
		v, found := get(t, count, key)
		if !found || !bytes.Equal(v.Data, data) {
			t.Fatalf("%s: found %v, %d bytes of %d", key, found, len(v.Data), len(data))
		}
		v.Data = nil
		same(t, "the rest", v, Blob{Key: key, Session: "s", Part: "p", Size: 7, Created: noon, Written: noon, Used: noon,
			Meta: []byte("about " + key)})
	}
	_, found := get(t, quota, "1")
	same(t, "another owner has it", found, false)
}

func TestBlobRules(t *testing.T) {
	b, quota, count, c, _ := openBlobs(t, filepath.Join(t.TempDir(), "cache.db"))
	keep(t, quota, Blob{Key: "a", Session: "s", Size: 60}, Blob{Key: "b", Session: "other", Size: 100})
	_, err := quota.Put(t.Context(), Blob{Key: "c", Session: "s", Size: 30}, Blob{Key: "d", Session: "s", Size: 11})
	var full *QuotaError
	if !errors.As(err, &full) || *full != (QuotaError{"s", 60, 41, 100}) {
		t.Fatalf("beyond the quota: %v", err)
	}
	same(t, "after the refusal", keysOf(t, quota, Selection{Session: "s"}), "a")
	keep(t, quota, Blob{Key: "a", Session: "s", Size: 70}, Blob{Key: "c", Session: "s", Size: 30})
	if err := quota.Add(t.Context(), Blob{Key: "a", Session: "new"}); !errors.Is(err, ErrExists) {
		t.Errorf("added twice: %v", err)
	}

	for _, key := range []string{"1", "2", "3"} {
		keep(t, count, Blob{Key: key})
		c.at = c.at.Add(time.Hour)
	}
	fault.Check(t, count.Use(t.Context(), "1", nil))
	same(t, "used longest ago", keysOf(t, count, Selection{LeastUsed: true}), "2 3 1")
	same(t, "dropped", keep(t, count, Blob{Key: "4"}), []string{"2"})

	c.at = c.at.Add(22 * time.Hour) // 3 is 24 hours old, 1 and 4 are 22
	gone := fault.Must(b.Sweep(t.Context()))
	same(t, "swept", gone, map[string]int{})
	c.at = c.at.Add(time.Hour)
	gone = fault.Must(b.Sweep(t.Context()))
	same(t, "swept", gone, map[string]int{"count": 1})
	same(t, "left", keysOf(t, count, Selection{LeastUsed: true}), "1 4")
	same(t, "left of the other owner", keysOf(t, quota, Selection{LeastUsed: true}), "a b c")
}

// TestDropWithoutID: an id that is empty by mistake deletes nothing, also beside a time.
func TestDropWithoutID(t *testing.T) {
	_, _, count, c, _ := openBlobs(t, filepath.Join(t.TempDir(), "cache.db"))
	keep(t, count, Blob{Key: "a", Session: "s"}, Blob{Key: "b", Session: "t"})
	for _, x := range []struct {
		Selection
		left string
	}{{Selection{}, "b a"}, {Selection{Until: c.at}, "b a"}, {Selection{Session: "s"}, "b"}, {Selection{All: true}, ""}} {
		_, _, err := count.Drop(t.Context(), x.Selection)
		fault.Check(t, err)
		fault.Same(t, "left", keysOf(t, count, Selection{}), x.left)
	}
}

func TestBlobsForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	b, quota, count, c, _ := openBlobs(t, path)
	keep(t, count, Blob{Key: "data", Data: []byte("of secret/plan.go")}, Blob{Key: "meta", Meta: []byte("secret/plan.go")},
		Blob{Key: "spoiled", Data: []byte("anything")})
	keep(t, quota, Blob{Key: "other", Session: "s"})
	alter(t, path, "UPDATE blobs SET data = x'01' WHERE key = 'spoiled'")
	gone := fault.Must(b.Forget(t.Context(), ForgetFilter{Path: "secret/plan.go"}))
	same(t, "what holds the path, or may hold it", gone, map[string]int{"count": 3, "quota": 0})
	gone = fault.Must(b.Forget(t.Context(), ForgetFilter{Since: c.at.Add(time.Second)}))
	same(t, "since a second ago", gone, map[string]int{"count": 0, "quota": 0})
	gone = fault.Must(b.Forget(t.Context(), ForgetFilter{Session: "s"}))
	same(t, "of a session", gone, map[string]int{"count": 0, "quota": 1})
}

// TestBlobsAreSealed: what is cached is unreadable on the disk and with another key, and leaves no
// byte when it was forgotten.
func TestBlobsAreSealed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	b, _, count, _, _ := openBlobs(t, path)
	keep(t, count, Blob{Key: "a", Session: "s", Data: []byte("of zanzibar"), Meta: []byte("zanzibar")})
	same(t, "it lies open", holds(t, path+"*", "zanzibar"), false)
	fault.Check(t, b.Close())
	fault.Check(t, os.Rename(path+".key", path+".old"))
	_, _, count, _, _ = openBlobs(t, path)
	if _, _, err := count.Get(t.Context(), "a"); !errors.Is(err, ErrLostKey) {
		t.Errorf("with another key: %v", err)
	}
	open := fault.Must(OpenBlobs(t.Context(), path, Options{Now: fixed}))
	t.Cleanup(func() { _ = open.Close() })
	plain := open.Owner("plain", Rule{})
	keep(t, plain, Blob{Key: "b", Session: "s", Data: []byte("of nougat")})
	same(t, "without a key it lies open", holds(t, path+"*", "nougat"), true)
	fault.Must(open.Forget(t.Context(), ForgetFilter{Session: "s"}))
	fault.Check(t, open.Scrub(t.Context()))
	same(t, "its bytes are left", holds(t, path+"*", "nougat"), false)
}

// TestBlobsAreBound: data that was moved or changed is not read.
func TestBlobsAreBound(t *testing.T) {
	for _, change := range []string{"UPDATE blobs SET data = substr(data, 1, length(data) - 1)",
		"UPDATE blobs SET data = (SELECT data FROM blobs b WHERE b.id <> blobs.id)"} {
		path := filepath.Join(t.TempDir(), "cache.db")
		_, _, count, _, _ := openBlobs(t, path)
		keep(t, count, Blob{Key: "a", Data: []byte("x")}, Blob{Key: "b", Data: []byte("y")})
		alter(t, path, change)
		if v, _, err := count.Get(t.Context(), "a"); !errors.Is(err, ErrRow) {
			t.Errorf("%s: %d bytes, %v", change, len(v.Data), err)
		}
	}
}

// FuzzUnpack: whatever stands in a row, unpacking it is data within the limit or an error, and
// packing comes back.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{packedRaw, 1})
	f.Add(pack(make([]byte, 5000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 1 << 20
		if data, err := unpack(b, limit); err == nil && len(data) > limit && b[0] != packedRaw {
			t.Fatalf("%d bytes", len(data))
		}
		if back, err := unpack(pack(b), limit); err != nil || !bytes.Equal(back, b) {
			t.Fatalf("%q came back as %q: %v", b, back, err)
		}
	})
}
