package fault

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// Nobody is the ID of a user that represents another user of the machine.
const Nobody = 65534

// AsNobody runs fn on a thread that belongs to Nobody and has no privileges, and returns what fn
// returns. Sockets on which fn listens and files that it makes are Nobody's. The rest of the test
// process stays root. Only root can do this: for others the test is skipped.
func AsNobody[T any](t testing.TB, fn func() (T, error)) (T, error) {
	t.Helper()
	if os.Getuid() != 0 {
		Lacking(t, "root", "only root can become another user")
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		runtime.LockOSThread() // It is never unlocked, so the thread ends with the goroutine.
		var r result
		defer func() { done <- r }()
		// These raw system calls change only this thread. Those of package syscall would change all
		// threads.
		for _, call := range []uintptr{syscall.SYS_SETRESGID, syscall.SYS_SETRESUID} {
			if _, _, errno := syscall.RawSyscall(call, Nobody, Nobody, Nobody); errno != 0 {
				r.err = errno
				return
			}
		}
		r.value, r.err = fn()
	}()
	r := <-done
	return r.value, r.err
}

// Stranger counts what a process of another user gets at a socket.
type Stranger struct{ Connections, Bytes atomic.Int64 }

// Occupy listens on a socket in /tmp as Nobody until the test ends, and answers whoever says
// something. The names of the socket and of its folder pass for the caller's own, as after a rename
// between the look and the call.
func Occupy(t testing.TB, socket, answer string) *Stranger {
	t.Helper()
	folder := filepath.Dir(socket)
	for dir := folder; dir != "/tmp"; dir = filepath.Dir(dir) {
		Check(t, os.Chmod(dir, 0o777))
	}
	ln := Must(AsNobody(t, func() (net.Listener, error) { return net.Listen("unix", socket) }))
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	Check(t, errors.Join(os.Lchown(socket, 0, 0), os.Chmod(folder, 0o700)))
	var s Stranger
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.Connections.Add(1)
			running.Go(func() {
				defer c.Close()
				n, _ := c.Read(make([]byte, 4096)) // the end of the connection is an error
				s.Bytes.Add(int64(n))
				_, _ = io.WriteString(c, answer)
			})
		}
	})
	t.Cleanup(func() { ln.Close(); running.Wait() })
	return &s
}
