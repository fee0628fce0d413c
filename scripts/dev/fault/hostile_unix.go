//go:build unix

package fault

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Hostile replaces a file by one that a careless reader never finishes: it blocks for ever, or uses
// all memory. fn is called once per kind of such a file, with the kind as the name of the test. The
// folder of name must exist.
func Hostile(t *testing.T, name string, fn func(t *testing.T)) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for kind, put := range map[string]func() error{
		"endless link": func() error { return os.Symlink("/dev/zero", name) },
		"pipe":         func() error { return syscall.Mkfifo(name, 0o600) },
		"link to pipe": func() error { return os.Symlink(pipe, name) },
		"huge":         func() error { return huge(name) },
		"folder":       func() error { return os.Mkdir(name, 0o700) },
	} {
		t.Run(kind, func(t *testing.T) {
			must(t, os.RemoveAll(name))
			must(t, put())
			fn(t)
		})
	}
	must(t, os.RemoveAll(name))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// huge makes a file of 1 TB that takes no space on the disk.
func huge(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := f.Truncate(1 << 40); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// FullQueue listens on a socket without accepting connections, and has no space for a further
// caller.
func FullQueue(t testing.TB, socket string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: socket})
	}
	if err == nil {
		err = syscall.Listen(fd, 0)
	}
	Check(t, err)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	for range 4 {
		c, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		Check(t, err)
		_ = syscall.SetNonblock(c, true)
		_ = syscall.Connect(c, &syscall.SockaddrUnix{Name: socket}) // calls beyond the space of the queue fail
		t.Cleanup(func() { _ = syscall.Close(c) })
	}
}
