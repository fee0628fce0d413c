package client

import (
	"net"
	"os"
	"syscall"

	"github.com/aoa-dev/aoa/internal/peer"
)

// conn is a connected unix socket (Windows 10 and later).
type conn struct{ net.Conn }

// now is the time in microseconds.
func now() int64 {
	var ft syscall.Filetime
	syscall.GetSystemTimeAsFileTime(&ft)
	return ft.Nanoseconds() / 1000
}

// at closes the channel at that time. A wait on this very process never ends by itself: it is a sleep.
func at(deadline int64) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		if left := deadline - now(); left > 0 {
			pause((left + 999) / 1000)
		}
		close(c)
	}()
	return c
}

func pause(ms int64) {
	if self, err := syscall.GetCurrentProcess(); err == nil {
		_, _ = syscall.WaitForSingleObject(self, uint32(ms))
	}
}

// stdin returns a reader of standard input that gives up at the deadline.
func stdin(deadline int64) func([]byte) int {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			b := make([]byte, 32<<10)
			n, err := os.Stdin.Read(b)
			if n > 0 {
				chunks <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	expired := at(deadline)
	var rest []byte
	return func(p []byte) int {
		if len(rest) == 0 {
			select {
			case rest = <-chunks:
			case <-expired:
				return -1
			}
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n
	}
}

func dial(path string, deadline int64) (conn, int) {
	if !exists(path) {
		return conn{}, dead
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		return conn{}, dead
	}
	if peer.Listener(0, path) != nil { // there is no user to ask the descriptor for
		_ = c.Close()
		return conn{}, busy
	}
	go func() {
		<-at(deadline)
		_ = c.Close() // ends a read or write that hangs
	}()
	return conn{c}, alive
}

func (c conn) write(p []byte, _ int64) bool {
	_, err := c.Write(p)
	return err == nil
}

func (c conn) read(p []byte, _ int64) int {
	n, err := c.Read(p)
	if n == 0 && err != nil {
		return -1
	}
	return n
}

func (c conn) close() { _ = c.Close() }

func output(p []byte) { _, _ = os.Stdout.Write(p) }

func readSmall(name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil || len(b) > 4096 {
		return nil
	}
	return b
}

func physical(dir string) string {
	if wd, err := syscall.Getwd(); err == nil {
		return wd
	}
	return dir
}

func tempRoot() string { return os.TempDir() }

// ours trusts the profile's access control list: owners are not numbers here.
func ours(dir string) bool { return isDir(dir) }

// put writes a line to a file.
func put(name, line string) bool { return os.WriteFile(name, []byte(line+"\n"), 0o600) == nil }

func remove(name string) { _ = os.Remove(name) }

// modified is a file's time of change in microseconds.
func modified(name string) (int64, bool) {
	st, err := os.Stat(name)
	if err != nil {
		return 0, false
	}
	return st.ModTime().UnixMicro(), true
}

func files(null *os.File) []uintptr { return []uintptr{null.Fd(), null.Fd(), null.Fd()} }

// detachedProcess is DETACHED_PROCESS of the Windows API: no console.
const detachedProcess = 0x8

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
