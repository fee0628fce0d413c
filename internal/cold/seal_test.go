package cold

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/eventtest"
	"github.com/aoa-dev/aoa/scripts/fault"
)

// places are where a user's identity and a store's keys lie.
func places(t testing.TB) (SealOptions, *sink) {
	t.Helper()
	s, dir := &sink{}, t.TempDir()
	return SealOptions{Identity: filepath.Join(dir, "state", "aoa", "identity"), Keys: filepath.Join(dir, "store", "keys"),
		Log: slog.New(s)}, s
}

func openSeal(t testing.TB, o SealOptions) *Seal {
	t.Helper()
	s, err := OpenSeal(o)
	fault.Check(t, err)
	return s
}

func sealed(t testing.TB, path string, seal *Seal) *DB {
	t.Helper()
	d, err := Open(t.Context(), path, Options{Now: fixed, Seal: seal})
	fault.Check(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestSealOpens(t *testing.T) {
	o, warned := places(t)
	s := openSeal(t, o)
	again := openSeal(t, o)
	var none *Seal
	for _, text := range []string{"", "x", "add a flag \xff\x00", strings.Repeat("long ", 10000)} {
		closed := s.Seal("event a", []byte(text))
		if len(text) > 3 && bytes.Contains(closed, []byte(text)) {
			t.Fatal("the text is readable")
		}
		for _, reader := range []*Seal{s, again} {
			got, err := reader.Open("event a", closed)
			fault.Check(t, err)
			same(t, "text", string(got), text)
		}
		if bytes.Equal(closed, s.Seal("event a", []byte(text))) {
			t.Fatal("the same text looks the same twice")
		}
		open, err := s.Open("event a", none.Seal("event a", []byte(text)))
		fault.Check(t, err)
		same(t, "text that was never sealed", string(open), text)
	}
	closed := s.Seal("event a", []byte("words"))
	for i := range closed {
		bad := bytes.Clone(closed)
		bad[i] ^= 0x40
		if _, err := s.Open("event a", bad); !errors.Is(err, ErrLostKey) {
			t.Fatalf("byte %d was changed: %v", i, err)
		}
	}
	for _, err := range []error{errOf(s.Open("event b", closed)), errOf(none.Open("event a", closed)),
		errOf(s.Open("event a", nil))} {
		if !errors.Is(err, ErrLostKey) {
			t.Fatalf("opened: %v", err)
		}
	}
	same(t, "warnings", len(warned.records), 0)
}

func errOf(_ []byte, err error) error { return err }

func TestKeysArePrivateAndApart(t *testing.T) {
	o, _ := places(t)
	openSeal(t, o)
	names, err := filepath.Glob(filepath.Join(o.Keys, "*"))
	fault.Check(t, err)
	same(t, "keys", len(names), 1)
	for _, name := range append(names, o.Identity) {
		info, err := os.Stat(name)
		fault.Check(t, err)
		if os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, info.Mode().Perm())
		}
	}
	wrapped, err := os.ReadFile(names[0])
	fault.Check(t, err)
	if !bytes.Contains(wrapped, []byte("BEGIN AGE ENCRYPTED FILE")) || bytes.Contains(wrapped, []byte("SECRET")) {
		t.Fatalf("wrapped key: %s", wrapped)
	}
	// A second repository of the same user has a key of its own under the same identity.
	other := o
	other.Keys = filepath.Join(t.TempDir(), "keys")
	closed := openSeal(t, o).Seal("x", []byte("words"))
	if _, err := openSeal(t, other).Open("x", closed); !errors.Is(err, ErrLostKey) {
		t.Fatalf("another repository's key opens it: %v", err)
	}
}

// TestManyBeginAtOnce: daemons of several repositories start together on a machine without an identity.
func TestManyBeginAtOnce(t *testing.T) {
	o, _ := places(t)
	closed := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range closed {
		mine := o
		mine.Keys = filepath.Join(o.Keys, fmt.Sprint(i))
		wg.Go(func() {
			s, err := OpenSeal(mine)
			if err != nil {
				t.Error(err)
				return
			}
			closed[i] = s.Seal("x", []byte("words"))
		})
	}
	wg.Wait()
	for i, c := range closed {
		mine := o
		mine.Keys = filepath.Join(o.Keys, fmt.Sprint(i))
		if _, err := openSeal(t, mine).Open("x", c); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestIdentityElsewhere: a daemon that a hook started may look for the identity elsewhere than the one that made it.
func TestIdentityElsewhere(t *testing.T) {
	o, warned := places(t)
	closed := openSeal(t, o).Seal("x", []byte("words"))
	o.Identity = filepath.Join(t.TempDir(), "elsewhere", "identity")
	text, err := openSeal(t, o).Open("x", closed)
	fault.Check(t, err)
	same(t, "text", string(text), "words")
	same(t, "warnings", len(warned.records), 0)
	if _, err := os.Stat(o.Identity); err == nil {
		t.Fatal("a second identity was made")
	}
}

func TestLostIdentityLosesTextsOnly(t *testing.T) {
	o, warned := places(t)
	path := filepath.Join(t.TempDir(), "aoa.db")
	prompt := event.Event{ID: "p1", Time: noon, Agent: "claude", Session: "s",
		Body: event.Prompt{Text: "add a flag", Terms: []string{"flag"}, Named: []event.Path{"x.go"}}}
	d := sealed(t, path, openSeal(t, o))
	mustAppend(t, d, prompt)
	fault.Check(t, d.Close())

	away := o.Identity + ".away"
	fault.Check(t, os.Rename(o.Identity, away))
	lost := openSeal(t, o)
	same(t, "lost keys", lost.lost, 1)
	same(t, "warnings", len(warned.records), 1)
	d = sealed(t, path, lost)
	second := prompt
	second.ID = "p2"
	eventtest.Set(&second, "Text", "remove the flag")
	mustAppend(t, d, second)
	bare := prompt
	eventtest.Set(&bare, "Text", "")
	same(t, "without the identity", allLogged(t, d), []event.Event{bare, second})
	same(t, "what is folded", replayAll(t, d, 0), []replayed{{1, []event.Event{bare}}, {2, []event.Event{second.WithoutText()}}})
	fault.Check(t, d.Close())

	// The new key goes on without another warning; the old identity, put beside the new one, brings the texts back.
	same(t, "lost keys", openSeal(t, o).lost, 1)
	old, err := os.ReadFile(away)
	fault.Check(t, err)
	f, err := os.OpenFile(o.Identity, os.O_APPEND|os.O_WRONLY, 0)
	fault.Check(t, err)
	_, err = f.Write(old)
	fault.Check(t, errors.Join(err, f.Close()))
	back := openSeal(t, o)
	same(t, "lost keys", back.lost, 0)
	same(t, "warnings", len(warned.records), 1)
	d = sealed(t, path, back)
	same(t, "with both", allLogged(t, d), []event.Event{prompt, second})
	text, err := d.Text(t.Context(), "p1")
	fault.Check(t, err)
	same(t, "the text of one", text, "add a flag")
}

// allLogged are all events with their texts, oldest first.
func allLogged(t *testing.T, d *DB) []event.Event {
	t.Helper()
	out, err := d.Log(t.Context(), LogFilter{Oldest: true})
	fault.Check(t, err)
	return out
}

func TestWrongIdentityWarnsOnce(t *testing.T) {
	o, warned := places(t)
	openSeal(t, o)
	stranger, err := age.GenerateX25519Identity()
	fault.Check(t, err)
	fault.Check(t, os.WriteFile(o.Identity, []byte(stranger.String()+"\n"), 0o600))
	same(t, "lost keys", openSeal(t, o).lost, 1)
	same(t, "warnings", len(warned.records), 1)
	if !strings.Contains(warned.records[0].Message, "all else is kept") {
		t.Fatalf("warned: %s", warned.records[0].Message)
	}
	fault.Check(t, os.WriteFile(o.Identity, []byte("no identity at all\n"), 0o600))
	if _, err := OpenSeal(o); err == nil || !strings.Contains(err.Error(), o.Identity) {
		t.Fatalf("an identity file of nonsense: %v", err)
	}
}

// TestTextsAreSealedAndFound: what is in the file cannot be read, what is asked for can, also what was stored open.
func TestTextsAreSealedAndFound(t *testing.T) {
	o, _ := places(t)
	path := filepath.Join(t.TempDir(), "aoa.db")
	words := func(id, text string) event.Event {
		return event.Event{ID: id, Time: noon, Agent: "claude", Session: "s", Body: event.Prompt{Text: text}}
	}
	plain := sealed(t, path, nil)
	mustAppend(t, plain, words("old", "an open text about marzipan"))
	fault.Check(t, plain.Close())
	d := sealed(t, path, openSeal(t, o))
	seq, fresh := mustAppend(t, d, words("new", "a sealed text about "+secret), words("raw", "bytes \xfe\xff of nougat"))
	same(t, "fresh", fresh, []event.Event{words("new", ""), words("raw", "")})
	if !holds(t, d, "marzipan") || holds(t, d, secret) || holds(t, d, "nougat") {
		t.Fatal("the file holds the sealed text, or not the open one")
	}
	same(t, "replayed", replayAll(t, d, 1), []replayed{{seq, fresh}})
	same(t, "log", allLogged(t, d), []event.Event{words("old", "an open text about marzipan"),
		words("new", "a sealed text about "+secret), words("raw", "bytes \xfe\xff of nougat")})

	// A path that only a sealed text names is forgotten, too.
	gone, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Path: secret})
	fault.Check(t, err)
	same(t, "forgotten", gone.Events, []event.Event{words("new", "a sealed text about "+secret)})
}

// FuzzOpenSeal: whatever stands in a row, opening it is a text or ErrLostKey.
func FuzzOpenSeal(f *testing.F) {
	s := &Seal{}
	fault.Check(f, s.add(7, make([]byte, 32)))
	s.current = 7
	f.Add([]byte{}, "x")
	f.Add([]byte{sealOpen, 'a'}, "x")
	f.Add([]byte{sealClosed, 0, 0, 0, 7}, "x")
	f.Add(s.Seal("x", []byte("words")), "x")
	f.Fuzz(func(t *testing.T, sealed []byte, of string) {
		text, err := s.Open(of, sealed)
		if err != nil && !errors.Is(err, ErrLostKey) {
			t.Fatal(err)
		}
		back, err := s.Open(of, s.Seal(of, text))
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%q came back as %q: %v", text, back, err)
		}
	})
}

// FuzzUnwrap: whatever stands in a key's file, it is a key or an error.
func FuzzUnwrap(f *testing.F) {
	o, _ := places(f)
	openSeal(f, o)
	names, err := filepath.Glob(filepath.Join(o.Keys, "*"))
	fault.Check(f, err)
	whole, err := os.ReadFile(names[0])
	fault.Check(f, err)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("# identity: \n# identity"))
	file := filepath.Join(f.TempDir(), "0001-0000002a.age")
	f.Fuzz(func(t *testing.T, content []byte) {
		fault.Check(t, os.WriteFile(file, content, 0o600))
		if id, key, err := unwrap(file, o.Identity); err == nil && (len(key) != 32 || id != 42) {
			t.Fatalf("key %08x of %d bytes", id, len(key))
		}
	})
}
