package clients

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// cell is a thread in its own network namespace, which has only the loopback interface. Programs
// that are started in it can reach only the scripted model. All tests share one cell.
var cell = sync.OnceValues(func() (chan<- func(), error) {
	jobs, ready := make(chan func()), make(chan error)
	go func() {
		runtime.LockOSThread() // It is never unlocked, so the thread ends with the process.
		err := isolate()
		if ready <- err; err != nil {
			return
		}
		for job := range jobs {
			job()
		}
	}()
	return jobs, <-ready
})

// caged runs fn, which may listen and start programs, without access to other machines.
func caged(fn func()) error {
	jobs, err := cell()
	if err != nil {
		return err
	}
	done := make(chan struct{})
	jobs <- func() { defer close(done); fn() }
	<-done
	return nil
}

// isolate moves this thread into a new namespace and switches its loopback interface on.
func isolate() error {
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		return fmt.Errorf("make a network namespace: %w", err)
	}
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(s)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request))); no != 0 {
		return fmt.Errorf("bring loopback up: %w", no)
	}
	return nil
}
