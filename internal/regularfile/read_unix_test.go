//go:build unix

package regularfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aoa-dev/aoa/internal/regularfile"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestHostile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	fault.Hostile(t, name, func(t *testing.T) {
		dir := fault.Must(os.OpenRoot(filepath.Dir(name)))
		defer dir.Close()
		for _, links := range []regularfile.Links{regularfile.NoLinks, regularfile.FollowLinks} {
			got, err := regularfile.Read(name, links, 1<<20)
			if !errors.Is(err, regularfile.ErrKind) && !errors.Is(err, regularfile.ErrSize) {
				t.Errorf("links %v: read %d bytes: %v", links, len(got), err)
			}
			if err != nil && !strings.Contains(err.Error(), name) {
				t.Errorf("%q does not name the file", err)
			}
		}
		if got, err := regularfile.ReadIn(dir, "file", 1<<20); err == nil {
			t.Errorf("below the folder: read %d bytes", len(got))
		}
	})
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	fault.Check(t, errors.Join(os.WriteFile(name, []byte("12345"), 0o600), os.Symlink("file", link),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600)))
	for _, c := range []struct {
		name  string
		links regularfile.Links
		most  int64
		want  string
		err   error
	}{
		{"file", regularfile.NoLinks, 5, "12345", nil},
		{"file", regularfile.NoLinks, 4, "", regularfile.ErrSize},
		{"link", regularfile.FollowLinks, 5, "12345", nil},
		{"link", regularfile.NoLinks, 5, "", regularfile.ErrKind},
		{"empty", regularfile.NoLinks, 0, "", nil},
		{"none", regularfile.NoLinks, 5, "", fs.ErrNotExist},
		{"file/below", regularfile.NoLinks, 5, "", syscall.ENOTDIR},
	} {
		got, err := regularfile.Read(filepath.Join(dir, c.name), c.links, c.most)
		if string(got) != c.want || !errors.Is(err, c.err) || (got == nil) != (err != nil) {
			t.Errorf("%s, links %v, at most %d: %q, %v", c.name, c.links, c.most, got, err)
		}
	}
}

// TestUnknownSize: files of the system have size 0 and content all the same.
func TestUnknownSize(t *testing.T) {
	const name = "/proc/self/status"
	if _, err := os.Stat(name); err != nil {
		t.Skip("no " + name)
	}
	if got, err := regularfile.Read(name, regularfile.NoLinks, 1<<20); err != nil || len(got) == 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := regularfile.Read(name, regularfile.NoLinks, 10); !errors.Is(err, regularfile.ErrSize) {
		t.Errorf("of 10 bytes: %v", err)
	}
}

// TestReadIn: a link inside of the folder is followed, one that leads out of it is not.
func TestReadIn(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	fault.Check(t, errors.Join(os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600),
		os.WriteFile(filepath.Join(dir, "file"), []byte("f"), 0o600), os.Symlink("file", filepath.Join(dir, "inside")),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "out"))))
	root := fault.Must(os.OpenRoot(dir))
	defer root.Close()
	if got, err := regularfile.ReadIn(root, "inside", 10); string(got) != "f" || err != nil {
		t.Errorf("inside: %q, %v", got, err)
	}
	if got, err := regularfile.ReadIn(root, "out", 10); err == nil {
		t.Errorf("outside: %q", got)
	}
}

// TestReason: a caller that tells the name of a file itself gets only why it was not read.
func TestReason(t *testing.T) {
	_, err := regularfile.Read(filepath.Join(t.TempDir(), "none"), regularfile.NoLinks, 1)
	fault.Same(t, "of a file", regularfile.Reason(fmt.Errorf("x: %w", err)).Error(), "no such file or directory")
	fault.Same(t, "another error", regularfile.Reason(regularfile.ErrSize).Error(), regularfile.ErrSize.Error())
}
