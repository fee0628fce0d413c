//go:build linux && (amd64 || arm64)

package fault

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Power runs a program and watches its calls of fsync. Afterwards it can tell what a power cut
// would leave of the files in one folder: the content of each at its last sync.
type Power struct {
	dir   string
	pid   int
	ready chan error    // gets the result of starting the program
	ended chan struct{} // closed when the program has ended

	mu     sync.Mutex // guards the fields below
	synced map[string][]byte
	n      int // number of calls of fsync so far
}

// StartPower runs cmd under a tracer, and follows the files in dir. The present content of dir
// counts as synced.
func StartPower(t testing.TB, cmd *exec.Cmd, dir string) *Power {
	t.Helper()
	p := &Power{dir: dir, ready: make(chan error), ended: make(chan struct{}), synced: map[string][]byte{}}
	there, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range there {
		if e.Type().IsRegular() {
			if p.synced[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	go p.trace(cmd)
	if err := <-p.ready; errors.Is(err, syscall.EPERM) {
		Lacking(t, "ptrace", "programs may not be traced here: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Cut)
	return p
}

// Cut ends the program as a power cut does.
func (p *Power) Cut() {
	_ = syscall.Kill(p.pid, syscall.SIGKILL) // The process may have ended.
	<-p.ended
}

// Left returns the files that a power cut at this moment would leave in dir, with their contents.
func (p *Power) Left() map[string][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.synced)
}

// Syncs returns how often the program has synced one of the files.
func (p *Power) Syncs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// trace starts the program and follows all its threads until it ends. One thread of this process
// does all of it, because the system requires that.
func (p *Power) trace(cmd *exec.Cmd) {
	runtime.LockOSThread() // The thread is never unlocked, so it ends with the goroutine.
	defer close(p.ended)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	err := cmd.Start()
	if err == nil {
		p.pid = cmd.Process.Pid
		var status syscall.WaitStatus
		if _, err = syscall.Wait4(p.pid, &status, 0, nil); err == nil {
			const options = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | 0x100000 // EXITKILL
			err = errors.Join(syscall.PtraceSetOptions(p.pid, options), syscall.PtraceSyscall(p.pid, 0))
		}
	}
	p.ready <- err
	if err != nil {
		return
	}
	held := map[int]file{} // the file that each thread is syncing
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-p.pid, &status, syscall.WALL, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return
		case status.Exited() || status.Signaled():
			if tid == p.pid {
				return
			}
			continue
		}
		pass := 0
		switch sig := status.StopSignal(); {
		case sig == syscall.SIGTRAP|0x80:
			p.call(tid, held)
		case sig == syscall.SIGTRAP || sig == syscall.SIGSTOP: // a new thread
		default:
			pass = int(sig)
		}
		_ = syscall.PtraceSyscall(tid, pass) // The thread may have ended.
	}
}

// file is a file that is being synced.
type file struct {
	name string
	data []byte
}

// call handles the beginning or the end of a system call. The content that a file has when fsync
// begins is safe when fsync has returned without an error.
func (p *Power) call(tid int, held map[int]file) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	number, arg, result := registers(&regs)
	if number != syscall.SYS_FSYNC && number != syscall.SYS_FDATASYNC {
		return
	}
	if f, ends := held[tid]; ends {
		delete(held, tid)
		if result == 0 {
			p.mu.Lock()
			p.synced[f.name], p.n = f.data, p.n+1
			p.mu.Unlock()
		}
		return
	}
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", p.pid, arg))
	if err != nil || !strings.HasPrefix(name, p.dir+"/") {
		return
	}
	if data, err := os.ReadFile(name); err == nil {
		held[tid] = file{strings.TrimPrefix(name, p.dir+string(filepath.Separator)), data}
	}
}
