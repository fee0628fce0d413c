package cold

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/eventtest"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// keyFile is where a user's key lies.
func keyFile(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "aoa", "key") }

func TestSealOpens(t *testing.T) {
	o := keyFile(t)
	s, again := fault.Must(OpenSeal(o)), fault.Must(OpenSeal(o))
	var none *Seal
	for _, text := range []string{"", "x", "add a flag \xff\x00", strings.Repeat("long ", 10000)} {
		closed := s.Seal("event a", []byte(text))
		if len(text) > 3 && bytes.Contains(closed, []byte(text)) {
			t.Fatal("the text is readable")
		}
		for _, reader := range []*Seal{s, again} {
			same(t, "text", string(fault.Must(reader.Open("event a", closed))), text)
		}
		if bytes.Equal(closed, s.Seal("event a", []byte(text))) {
			t.Fatal("the same text looks the same twice")
		}
		open := fault.Must(s.Open("event a", none.Seal("event a", []byte(text))))
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
}

func errOf(_ []byte, err error) error { return err }

// TestKeyFile: the file is the user's alone. Daemons that start together on a machine without a key
// agree on one, and what a file without a key says stays.
func TestKeyFile(t *testing.T) {
	file := keyFile(t)
	closed := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range closed {
		wg.Go(func() {
			closed[i] = fault.Must(OpenSeal(file)).Seal("x", []byte("words"))
		})
	}
	wg.Wait()
	for _, c := range closed {
		fault.Must(fault.Must(OpenSeal(file)).Open("x", c))
	}
	if mode := fault.Must(os.Stat(file)).Mode().Perm(); os.PathSeparator == '/' && mode != 0o600 {
		t.Errorf("it has mode %o", mode)
	}
	other := keyFile(t)
	fault.Write(t, other, "no key at all")
	if _, err := fault.Must(OpenSeal(other)).Open("x", closed[0]); !errors.Is(err, ErrLostKey) {
		t.Fatalf("another key opens it: %v", err)
	}
	if raw := fault.Must(os.ReadFile(other)); !strings.HasPrefix(string(raw), "no key at all\n") {
		t.Errorf("the file says %q", raw)
	}
	fault.Check(t, os.Remove(other))
	fault.Check(t, os.Mkdir(other, 0o700))
	if _, err := OpenSeal(other); err == nil || !strings.Contains(err.Error(), other) {
		t.Errorf("a folder in its place: %v", err)
	}
}

// TestLostKeyLosesTextsOnly: without the key all else is there, one warning says so, and the key
// brings the texts back.
func TestLostKeyLosesTextsOnly(t *testing.T) {
	key, path := keyFile(t), filepath.Join(t.TempDir(), "aoa.db")
	begin := func(warnings string) *DB {
		t.Helper()
		d, s := openSealed(t, path, fault.Must(OpenSeal(key)))
		if said := s.String(); s.Warnings() > 1 || (said == "") != (warnings == "") || !strings.Contains(said, warnings) {
			t.Errorf("it warns %q, want %q", said, warnings)
		}
		return d
	}
	prompt := event.Event{ID: "p1", Time: noon, Agent: "claude", Session: "s",
		Body: event.Prompt{Text: "add a flag", Terms: []string{"flag"}, Named: []event.Path{"x.go"}}}
	d := begin("")
	mustAppend(t, d, prompt)
	fault.Check(t, d.Close())

	old := fault.Must(os.ReadFile(key))
	fault.Check(t, os.Remove(key))
	fault.Must(OpenSeal(key)) // the daemon of another repository has made a new key
	d = begin("everything else is kept")
	second := prompt
	second.ID = "p2"
	eventtest.Set(&second, "Text", "remove the flag")
	mustAppend(t, d, second)
	bare := prompt
	eventtest.Set(&bare, "Text", "")
	same(t, "without the key", allLogged(t, d), []event.Event{bare, second})
	same(t, "what is folded", replayAll(t, d, 0), []replayed{{1, []event.Event{bare}}, {2, []event.Event{second.WithoutText()}}})
	fault.Check(t, d.Close())

	// The new key goes on without another warning; the old one, put beside it, brings the texts
	// back.
	fault.Check(t, begin("").Close())
	fault.Check(t, os.WriteFile(key, append(fault.Must(os.ReadFile(key)), old...), 0o600))
	d = begin("")
	same(t, "with both", allLogged(t, d), []event.Event{prompt, second})
	same(t, "the text of one", fault.Must(d.Text(t.Context(), "p1")), "add a flag")
}

// allLogged are all events with their texts, oldest first.
func allLogged(t *testing.T, d *DB) []event.Event {
	t.Helper()
	return fault.Must(d.Log(t.Context(), LogFilter{Oldest: true}))
}

// TestTextsAreSealedAndFound: what is in the file cannot be read, what is asked for can, also what
// was stored open.
func TestTextsAreSealedAndFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aoa.db")
	words := func(id, text string) event.Event {
		return event.Event{ID: id, Time: noon, Agent: "claude", Session: "s", Body: event.Prompt{Text: text}}
	}
	plain, _ := openTest(t, path)
	mustAppend(t, plain, words("old", "an open text about marzipan"))
	fault.Check(t, plain.Close())
	d, _ := openSealed(t, path, fault.Must(OpenSeal(keyFile(t))))
	seq, fresh := mustAppend(t, d, words("new", "a sealed text about "+secret), words("raw", "bytes \xfe\xff of nougat"))
	same(t, "fresh", fresh, []event.Event{words("new", ""), words("raw", "")})
	if !holds(t, path+"*", "marzipan") || holds(t, path+"*", secret) || holds(t, path+"*", "nougat") {
		t.Fatal("the file holds the sealed text, or not the open one")
	}
	same(t, "replayed", replayAll(t, d, 1), []replayed{{seq, fresh}})
	same(t, "log", allLogged(t, d), []event.Event{words("old", "an open text about marzipan"),
		words("new", "a sealed text about "+secret), words("raw", "bytes \xfe\xff of nougat")})

	// A path that only a sealed text names is forgotten, too.
	gone := fault.Must(eraser(t, d).Forget(t.Context(), ForgetFilter{Path: secret}))
	same(t, "forgotten", gone.Events, []event.Event{words("new", "a sealed text about "+secret)})
}

// FuzzOpenSeal: whatever stands in a row, opening it is a text or ErrLostKey.
func FuzzOpenSeal(f *testing.F) {
	s := &Seal{}
	fault.Check(f, s.add(make([]byte, 32)))
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

// FuzzKeyFile: whatever stands in the file of keys, texts that are sealed then can be opened.
func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(keyRemark + strings.Repeat("0a", 32) + "\n"))
	f.Add([]byte(strings.Repeat("0a", 31)))
	file := filepath.Join(f.TempDir(), "key")
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > maxKeyFile/2 {
			return
		}
		fault.Check(t, os.WriteFile(file, content, 0o600))
		fault.Must(fault.Must(OpenSeal(file)).Open("x", fault.Must(OpenSeal(file)).Seal("x", nil)))
	})
}
