package fault

import (
	"os"
	"runtime"
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
