package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// leftovers are the processes of the program that go on running when the tests are over, as "pid
// command line". One that is ending has ten seconds for it. It kills them.
func leftovers() (left []string) {
	bin, err := exec.LookPath("aoa")
	if err != nil {
		return nil // no test ran
	}
	self, err := os.Stat(bin)
	if err != nil {
		return []string{err.Error()}
	}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // it has ended
		}
		defer unix.Close(fd)
		exe, err := os.Stat(name + "/exe")
		if err != nil || pid == os.Getpid() || !os.SameFile(exe, self) {
			continue
		}
		command, _ := os.ReadFile(name + "/cmdline")
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000); n == 0 {
			left = append(left, fmt.Sprintf("%d %s", pid, strings.ReplaceAll(string(command), "\x00", " ")))
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
	}
	return left
}
