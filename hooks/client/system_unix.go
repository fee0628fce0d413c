//go:build unix

package client

import (
	"os"
	"syscall"
	"unsafe"

	"github.com/aoa-dev/aoa/internal/peer"
)

// conn is a connected unix socket. Raw system calls: package net costs 0.2 ms of start-up.
type conn struct{ fd int }

// now is the time in microseconds.
func now() int64 {
	var tv syscall.Timeval
	if syscall.Gettimeofday(&tv) != nil {
		return 0
	}
	return tv.Nano() / 1000
}

// stdin returns a reader of standard input that gives up at the deadline.
func stdin(deadline int64) func([]byte) int {
	return func(p []byte) int { return readBefore(0, p, deadline) }
}

func readBefore(fd int, p []byte, deadline int64) int {
	for {
		if !readable(fd, deadline) {
			return -1
		}
		n, err := syscall.Read(fd, p)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if err != nil {
			return -1
		}
		return n
	}
}

// readable waits until there is something to read, or the end of it.
func readable(fd int, deadline int64) bool {
	for {
		left := deadline - now()
		if left <= 0 {
			return false
		}
		ready, err := selectRead(fd, left)
		if err == nil {
			return ready
		}
		if err != syscall.EINTR {
			return false
		}
	}
}

// fdSet is the set of one descriptor. Its words have another type on each system, its bytes do not (all our
// machines are little-endian).
func fdSet(fd int) (set syscall.FdSet, ok bool) {
	bytes := (*[unsafe.Sizeof(set)]byte)(unsafe.Pointer(&set))
	if fd < 0 || fd/8 >= len(bytes) {
		return set, false
	}
	bytes[fd/8] |= 1 << (fd % 8)
	return set, true
}

func pause(ms int64) {
	tv := syscall.NsecToTimeval(ms * 1e6)
	_ = sleepFor(&tv)
}

// dial connects to the daemon. A socket on which another user listens counts as busy: nothing is sent there, and a
// daemon that were started could not take its place.
func dial(path string, deadline int64) (conn, int) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return conn{}, busy
	}
	syscall.CloseOnExec(fd)
	c := conn{fd}
	c.sendTimeout(deadline) // also bounds connect, which waits when the daemon does not accept
	for {
		switch err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: path}); err {
		case nil:
			if peer.Listener(uintptr(fd), path) == nil {
				return c, alive
			}
		case syscall.EINTR:
			continue
		case syscall.ENOENT, syscall.ECONNREFUSED:
			c.close()
			return conn{}, dead
		}
		c.close()
		return conn{}, busy
	}
}

func (c conn) sendTimeout(deadline int64) {
	tv := syscall.NsecToTimeval(max(deadline-now(), 1000) * 1000)
	_ = syscall.SetsockoptTimeval(c.fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &tv)
}

func (c conn) write(p []byte, deadline int64) bool {
	for len(p) > 0 {
		if now() >= deadline {
			return false
		}
		n, err := syscall.Write(c.fd, p)
		if err != nil && err != syscall.EINTR {
			return false
		}
		p = p[max(n, 0):]
	}
	return true
}

func (c conn) read(p []byte, deadline int64) int { return readBefore(c.fd, p, deadline) }

func (c conn) close() { _ = syscall.Close(c.fd) }

// output writes to standard output. A reader that has gone is an error here, not a signal as in package os.
func output(p []byte) {
	for len(p) > 0 {
		n, err := syscall.Write(1, p)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return
		}
		p = p[n:]
	}
}

// readSmall reads a file of at most 4 KB without waking the runtime's poller.
func readSmall(name string) []byte {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.Close(fd) }()
	b := make([]byte, 4096)
	n, err := syscall.Read(fd, b)
	if err != nil || n <= 0 {
		return nil
	}
	return b[:n]
}

func physical(dir string) string {
	if wd, err := syscall.Getwd(); err == nil && absolute(wd) {
		return wd
	}
	return dir
}

func tempRoot() string { return "/tmp" }

// ours: a folder of this user. A link is not one: anyone may leave links in /tmp.
func ours(dir string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(dir, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR && int(st.Uid) == os.Getuid()
}

// put writes a line to a file of this user alone.
func put(name, line string) bool {
	fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return false
	}
	_, err = syscall.Write(fd, []byte(line+"\n")) // truncating an empty file need not change its time
	_ = syscall.Close(fd)
	return err == nil
}

func remove(name string) { _ = syscall.Unlink(name) }

// modified is a file's time of change in microseconds.
func modified(name string) (int64, bool) {
	st, err := os.Lstat(name)
	if err != nil {
		return 0, false
	}
	return st.ModTime().UnixMicro(), true
}

func files(null *os.File) []uintptr { return []uintptr{null.Fd(), null.Fd(), null.Fd()} }

func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
