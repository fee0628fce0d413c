package stage

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestRecordComesBack(t *testing.T) {
	r := NewRecorder(1 << 10)
	out, errs := r.Writer(Stdout, nil), r.Writer(Stderr, nil)
	for _, s := range []string{"a", "b"} {
		_, _ = out.Write([]byte(s)) // kept, not passed on
	}
	_, _ = errs.Write([]byte("talk"))
	_, _ = out.Write([]byte("c\x00"))
	r.add(File{Path: "x/y", Mode: 0o751, Data: []byte("data")})
	r.add(File{Path: "l", Mode: 0o777, Link: true, Data: []byte("x/y")})
	rec, ok, err := r.Record()
	if !ok || err != nil || len(rec.Frames) != 3 {
		t.Fatalf("kept %v, %v, %d frames", ok, err, len(rec.Frames))
	}
	back, err := DecodeRecord(rec.Encode())
	if err != nil || !reflect.DeepEqual(back, rec) {
		t.Errorf("%v\n%+v\n%+v", err, back, rec)
	}
	if string(back.Output(Stdout)) != "abc\x00" || string(back.Output(Stderr)) != "talk" {
		t.Errorf("stdout %q, stderr %q", back.Output(Stdout), back.Output(Stderr))
	}
}

func TestRecorderIsBounded(t *testing.T) {
	var passed bytes.Buffer
	r := NewRecorder(10)
	w := r.Writer(Stdout, &passed)
	for range 5 {
		if _, err := w.Write([]byte("1234")); err != nil {
			t.Fatal(err)
		}
	}
	if rec, ok, _ := r.Record(); ok || len(rec.Frames) != 0 || passed.Len() != 20 {
		t.Errorf("kept %v, %d frames, passed on %d of 20 bytes", ok, len(rec.Frames), passed.Len())
	}
}

// TestRestoreStaysInside: a record that names files elsewhere is refused, and a link that leads out
// is not followed.
func TestRestoreStaysInside(t *testing.T) {
	for _, name := range []string{"../out", "/etc/x", "a/../../out", ".git/config", ""} {
		if _, err := DecodeRecord([]byte(`{"files": [{"path": "` + name + `"}]}`)); err == nil {
			t.Errorf("a file called %q passes", name)
		}
	}
	top := t.TempDir()
	root := filepath.Join(top, "root")
	write1(t, filepath.Join(root, "in"), "in")
	write1(t, filepath.Join(top, "outside", "f"), "safe")
	fault.Check(t, os.Symlink(filepath.Join(top, "outside"), filepath.Join(root, "way")))
	if err := Restore(root, []File{{Path: "way/f", Mode: 0o644, Data: []byte("gone")}}); err == nil {
		t.Error("a link led out")
	}
	if b, _ := os.ReadFile(filepath.Join(top, "outside", "f")); string(b) != "safe" {
		t.Errorf("the file outside holds %q", b)
	}
}

// TestRestoreUnderSwaps: the folder of an output is swapped with a link that leads out while it is
// restored.
func TestRestoreUnderSwaps(t *testing.T) {
	book := fault.Open(t, "output of a stage restored while its folder is swapped with a link")
	top := t.TempDir()
	root, outside := filepath.Join(top, "root"), filepath.Join(top, "outside")
	way, aside := filepath.Join(root, "way"), filepath.Join(root, "aside")
	write1(t, filepath.Join(way, "f"), "in")
	write1(t, filepath.Join(outside, "f"), "safe")
	ctx, cancel := context.WithCancel(t.Context())
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for ctx.Err() == nil { // Restore makes the folder again where it finds none, so a step may fail
			_ = os.Rename(way, aside)
			_ = os.Symlink(outside, way)
			_ = os.Remove(way)
			_ = os.Rename(aside, way)
		}
	})
	for i := range 30 * fault.Rounds() {
		verdict := fault.Whole
		if Restore(root, []File{{Path: "way/f", Mode: 0o644, Data: []byte(strconv.Itoa(i))}}) != nil {
			verdict = fault.Refused
		}
		left, err := os.ReadDir(outside)
		if b, _ := os.ReadFile(filepath.Join(outside, "f")); string(b) != "safe" || err != nil || len(left) != 1 {
			t.Errorf("round %d: the file outside holds %q, beside it %v, %v", i, b, left, err)
			verdict = fault.Wrong
		}
		book.Add(verdict, 1)
	}
	cancel()
	swaps.Wait()
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add((&Record{Frames: []Frame{{1, []byte("a")}},
		Files: []File{{Path: "x", Mode: 0o644, Data: []byte("y")}, {Path: "l", Link: true}}}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, err := DecodeRecord(b)
		if err != nil {
			return
		}
		again, err := DecodeRecord(rec.Encode())
		if err != nil || !reflect.DeepEqual(again, rec) {
			t.Fatalf("%v: %+v became %+v", err, rec, again)
		}
		for _, f := range rec.Files {
			if !filepath.IsLocal(string(f.Path)) || strings.HasPrefix(string(f.Path), ".git/") {
				t.Fatalf("a file called %q", f.Path)
			}
		}
	})
}

func TestKeyTellsListsApart(t *testing.T) {
	a := keyParts{{Kind: "input", Name: "ab"}, {Kind: "input", Name: "c"}}
	b := keyParts{{Kind: "input", Name: "a"}, {Kind: "input", Name: "bc"}}
	if a.key() == b.key() || len(a.key()) != keyLen {
		t.Errorf("%s and %s", a.key(), b.key())
	}
}
