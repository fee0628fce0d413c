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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// folder is a worktree on disk with a Reader.
type folder struct {
	t    *testing.T
	root event.Root
	tree *Tree
	*Reader
}

func newFolder(t *testing.T) *folder {
	root := event.Root(t.TempDir())
	return &folder{t, root, NewTree(nil), NewReader(root)}
}

func (f *folder) write(p event.Path, text string) {
	f.t.Helper()
	fault.Write(f.t, f.root.Abs(p), text)
}

// finds checks which files have an identifier.
func (f *folder) finds(name string, want ...event.Path) {
	f.t.Helper()
	got := f.Contents().withName(name)
	fault.Same(f.t, name, got, want)
}

func TestReader(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func openStore() {}")
	f.write("d/b.go", "func openStore() { closeStore() }")
	f.write("long.go", strings.Repeat("openStore() ", MaxDocument/10))
	f.write("late.go", "func openStore() {}")
	fault.Check(f.t, os.Symlink(f.root.Abs("a.go"), f.root.Abs("link.go")))
	f.tree.Add("a.go", "d/b.go", "long.go", "link.go", "gone.go")

	ctx, cancel := context.WithCancel(t.Context())
	ran, asked := make(chan error), make(chan bool)
	go func() { ran <- f.Run(ctx, func() *Tree { asked <- true; return f.tree }) }()
	<-asked
	f.Refresh()
	<-asked // the first round is over
	if !f.Wait(t.Context(), 0) {
		t.Error("all files were read, and the reader is not ready")
	}
	f.finds("openstore", "a.go", "d/b.go")

	f.write("a.go", "func renamed() { freshName() }")
	fault.Check(f.t, os.Remove(f.root.Abs("d/b.go")))
	f.tree.Remove("d/b.go")
	f.tree.Add("late.go")
	f.Refresh()
	<-asked
	cancel()
	fault.Check(f.t, <-ran)
	f.readAll(t.Context(), f.tree)
	f.finds("openstore", "late.go")
	f.finds("freshname", "a.go")
}

// TestUnreadable: a file that cannot be read says nothing, and is read as soon as it can be, also
// at the same time.
func TestUnreadable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it needs a file that even root cannot read")
	}
	r := NewReader("/proc/self")
	r.read("mem")
	if v, known := r.versions["mem"]; known {
		t.Errorf("it counts as read: %+v", v)
	}
}

// TestBlobAndText: the id and the text are those of what the file holds now, whatever its time.
func TestBlobAndText(t *testing.T) {
	f := newFolder(t)
	then := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	for text, id := range map[string]string{"hello\n": "ce013625030ba8dba906f756967f9e9ca394464a",
		"jello\n": "da643281e874ed4c68c6a5d2217d24f48f575b12"} {
		f.write("a.txt", text)
		fault.Check(f.t, os.Chtimes(f.root.Abs("a.txt"), then, then))
		fault.Same(t, "id", f.Blob("a.txt"), id)
		fault.Same(t, "text", string(f.Text("a.txt")), text)
	}
	f.write("long.txt", strings.Repeat("x", MaxDocument+1))
	fault.Check(f.t, os.Symlink(f.root.Abs("a.txt"), f.root.Abs("link.txt")))
	for _, p := range []event.Path{"long.txt", "link.txt", "gone.txt", "", "."} {
		fault.Same(t, "id of "+string(p), f.Blob(p), "")
		fault.Same(t, "a text of "+string(p), f.Text(p) != nil, false)
	}
}

func TestReaderFollowsEvents(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func openStore() {}")
	f.write("b.go", "func openStore() {}")
	f.Update(event.Event{Body: event.Save{Paths: []event.Path{"a.go", "b.go", "never.go"}}})
	f.finds("openstore", "a.go", "b.go")
	fault.Check(f.t, os.Rename(f.root.Abs("b.go"), f.root.Abs("c.go")))
	f.Update(event.Event{Body: event.Rename{From: []event.Path{"b.go"}, To: []event.Path{"c.go"}}})
	f.Update(event.Event{Body: event.Delete{Paths: []event.Path{"a.go"}}})
	f.finds("openstore", "c.go")
	f.Update(event.Event{Body: event.Call{Act: event.ActRead, Paths: []event.Path{"a.go"}}})
	f.finds("openstore", "c.go")
}

func TestNearest(t *testing.T) {
	files := []event.Path{"b/x.go", "a/b/c.go", "z.go", "a.go", "a/y.go"}
	fault.Same(t, "of all", len(nearest(files, maxFiles)), len(files))
	fault.Same(t, "nearest", nearest(files, 3), []event.Path{"a.go", "z.go", "a/y.go"})
}

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
	fault.Check(f.t, f.Run(ctx, func() *Tree {
		if f.ready.IsOpen() {
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
	fault.Check(f.t, os.Chtimes(f.root.Abs("a.go"), info.ModTime(), info.ModTime()))
	fault.Check(f.t, os.Chmod(f.root.Abs("a.go"), 0))
	f.write("b.go", "func closeStore() { }")
	fault.Check(f.t, os.Chtimes(f.root.Abs("c.go"), info.ModTime().Add(time.Hour), info.ModTime().Add(time.Hour)))
	fault.Check(f.t, os.Remove(f.root.Abs("gone.go")))
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
		true}, "foreign": {[]byte("something else"), true}, "another version": {old, false}} {
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
	fault.Check(f.t, f.Forget("secret"))
	for i, trace := range traces {
		if bytes.Contains(file.content, trace) {
			t.Errorf("trace %d is still kept", i)
		}
	}
	f.finds("zanzibarquux")
	f.finds("keptname7", "d/f7.go")
	fault.Check(f.t, os.Remove(f.root.Abs("secret/x.go")))
	f.tree.Remove("secret/x.go")
	f.start(file)
	f.finds("keptname7", "d/f7.go")

	f.Reader = NewReader(f.root) // Run has not been called
	f.Keep(file, slog.Default())
	fault.Check(f.t, f.Forget("d/f7.go"))
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
