package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// kept is a File in memory.
type kept struct {
	content []byte
	writes  int
}

func (k *kept) Read() ([]byte, error) {
	if k.content == nil {
		return nil, fs.ErrNotExist
	}
	return slices.Clone(k.content), nil
}

func (k *kept) Write(fill func(io.Writer) error) error {
	var b bytes.Buffer
	err := fill(&b)
	k.content = b.Bytes()
	k.writes++
	return err
}

func (k *kept) Remove() error {
	k.content = nil
	return nil
}

// start begins with what a file keeps, reads the tree and keeps it again, as a daemon does that is
// stopped then. It returns what was logged.
func (f *folder) start(file *kept) (logged string) {
	f.t.Helper()
	var log bytes.Buffer
	f.Reader = NewReader(f.root)
	f.Keep(file, slog.New(slog.NewTextHandler(&log, nil)))
	ctx, cancel := context.WithCancel(f.t.Context())
	f.must(f.Run(ctx, func() *Tree {
		if f.isReady() {
			cancel()
		} else {
			f.Refresh()
		}
		return f.tree
	}))
	cancel()
	return log.String()
}

// TestReaderKeeps: after a start an unchanged file is not read, a changed one is, and a file that
// is only younger is not extracted.
func TestReaderKeeps(t *testing.T) {
	f, file := newFolder(t), &kept{}
	for _, p := range []event.Path{"a.go", "b.go", "c.go", "d/e.go", "gone.go"} {
		f.write(p, "func openStore() {}")
		f.tree.Add(p)
	}
	f.write("long.go", strings.Repeat("openStore() ", MaxDocument/10))
	f.write("i.png", "openStore")
	f.tree.Add("long.go", "i.png")
	f.start(file)
	f.finds("openstore", "a.go", "b.go", "c.go", "d/e.go", "gone.go")

	// The same size and time: who reads it finds other words.
	info := fault.Must(os.Stat(f.root.Abs("a.go")))
	f.write("a.go", "func shutStore() {}")
	f.must(os.Chtimes(f.root.Abs("a.go"), info.ModTime(), info.ModTime()))
	f.must(os.Chmod(f.root.Abs("a.go"), 0))
	f.write("b.go", "func closeStore() { }")
	f.must(os.Chtimes(f.root.Abs("c.go"), info.ModTime().Add(time.Hour), info.ModTime().Add(time.Hour)))
	f.must(os.Remove(f.root.Abs("gone.go")))
	f.tree.Remove("gone.go")
	if logged := f.start(file); logged != "" {
		t.Error(logged)
	}
	f.finds("openstore", "a.go", "c.go", "d/e.go")
	f.finds("closestore", "b.go")
	if f.versions["c.go"].Modified != info.ModTime().Add(time.Hour).UnixNano() || len(f.versions) != 6 {
		t.Errorf("versions %v", f.versions)
	}
	writes := file.writes
	f.start(file)
	fault.Same(t, "nothing changed, and the file is written again", file.writes, writes)
	f.finds("openstore", "a.go", "c.go", "d/e.go")
}

// TestReaderOfDamagedFile: a damaged file is an empty one and a warning, one of another version an
// empty one.
func TestReaderOfDamagedFile(t *testing.T) {
	f, file := newFolder(t), &kept{}
	f.write("a.go", "func openStore() {}")
	f.tree.Add("a.go")
	f.start(file)
	whole := file.content
	old := slices.Clone(whole)
	old[len(packMagic)]++
	for name, c := range map[string]struct {
		content []byte
		warns   bool
	}{"cut": {whole[:len(whole)-1], true}, "short": {whole[:5], true}, "empty": {[]byte{},
		true}, "foreign": {[]byte("something else"), true},
		"another version": {old, false}} {
		file.content = c.content
		if logged := f.start(file); strings.Contains(logged, "level=WARN") != c.warns || strings.Count(logged, "\n") > 1 {
			t.Errorf("%s: logged %q", name, logged)
		}
		f.finds("openstore", "a.go")
		if !bytes.Equal(file.content, whole) {
			t.Errorf("%s: the file is not written again", name)
		}
	}
}

// TestReaderForgets: the words of a forgotten file, and of its earlier versions, are not in the
// bytes that are kept.
func TestReaderForgets(t *testing.T) {
	f, file := newFolder(t), &kept{}
	for i := range 50 {
		p := event.Path(fmt.Sprintf("d/f%d.go", i))
		f.write(p, fmt.Sprintf("func keptName%d() {}", i))
		f.tree.Add(p)
	}
	f.write("secret/x.go", "func zanzibarQuux() {}")
	f.tree.Add("secret/x.go")
	f.start(file)
	traces := [][]byte{[]byte("secret")}
	for _, word := range []string{"zanzibar", "quux", "zanzibarquux"} {
		traces = append(traces, binary.BigEndian.AppendUint64(nil, termHash(word)))
	}
	for i, trace := range traces {
		if !bytes.Contains(file.content, trace) {
			t.Errorf("trace %d is not kept", i)
		}
	}
	f.must(f.Forget("secret"))
	for i, trace := range traces {
		if bytes.Contains(file.content, trace) {
			t.Errorf("trace %d is still kept", i)
		}
	}
	f.finds("zanzibarquux")
	f.finds("keptname7", "d/f7.go")
	f.must(os.Remove(f.root.Abs("secret/x.go")))
	f.tree.Remove("secret/x.go")
	f.start(file)
	f.finds("keptname7", "d/f7.go")

	f.Reader = NewReader(f.root) // Run has not been called
	f.Keep(file, slog.Default())
	f.must(f.Forget("d/f7.go"))
	if file.content != nil {
		t.Error("a file that was not read yet is kept")
	}
}

// TestPackedAnswers: what was packed answers as before, of any number of segments.
func TestPackedAnswers(t *testing.T) {
	c, now, versions := NewContents(), map[event.Path]string{}, map[event.Path]version{}
	for i := range 300 {
		p := event.Path(fmt.Sprintf("d%d/f%d.go", i%3, i%90))
		now[p] = fmt.Sprintf("func nameNumber%s() { callSome%s() }", letters(20*(i%25)), letters(i%40))
		c.Set(p, []byte(now[p]))
		versions[p] = version{Modified: -int64(i), Size: int64(i), Blob: blobID([]byte(now[p]))}
	}
	versions["i.png"] = version{Modified: 1, Size: 2}
	for range 2 {
		var b bytes.Buffer
		fault.Check(t, c.packTo(&b, versions))
		got, v, err := unpack(b.Bytes(), maxFiles, maxBytes)
		if err != nil || !reflect.DeepEqual(v, versions) {
			t.Fatalf("versions %v, %v", v, err)
		}
		sameAnswers(t, 0, got, c, now)
		got.Set("d0/f0.go", []byte("func nameNumber() {}"))
		got.fold(0)
		c.fold(0)
	}
}

// FuzzUnpack: what was changed on disk never breaks a question.
func FuzzUnpack(f *testing.F) {
	c, versions := library(), map[event.Path]version{}
	for p := range c.files {
		versions[p] = version{Size: 1}
	}
	versions["i.png"] = version{}
	c.Remove("other/f3.go")
	for range 2 {
		var b bytes.Buffer
		fault.Check(f, c.packTo(&b, versions))
		content := b.Bytes()[len(packMagic)+1:]
		f.Add(content)
		f.Add(content[:len(content)/2])
		c.fold(0)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		packed := append([]byte(packMagic), packVersion)
		c, versions, err := unpack(append(packed, content...), maxFiles, maxBytes)
		if err != nil {
			if !errors.Is(err, errPacked) {
				t.Fatal(err)
			}
			return
		}
		for p := range versions {
			c.Alike(p, 5)
			c.Called(p, 5)
			c.Size(p)
		}
		c.Match(ParseText("how does NextBackoff send a request\n\nsendRequest in client/send.go"))
		c.Set("new.go", []byte("func NextBackoff() {}"))
		c.fold(0)
		if c.Match(ParseText("NextBackoff")) == nil {
			t.Error("a new file is not found")
		}
	})
}
