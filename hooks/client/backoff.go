package client

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// backoff is the time in which a daemon is asked nothing because it did not answer in time or did
// not start. Its answers would be late again, and each question would cost the agent the whole
// wait.
type backoff struct {
	on    bool
	known bool // a daemon was late, and none was in time since
	last  time.Duration
}

// Bounds of a backoff. Each one in a row is twice as long as the one before.
const (
	firstBackoff = 2 * time.Second
	maxBackoff   = time.Minute
)

// lateFile holds the length of the last backoff, in seconds. The time of the file is its beginning.
func (d daemon) lateFile() string { return filepath.Join(d.Store, "hook-late") }

func (d daemon) backoff() backoff {
	st, err := os.Lstat(d.lateFile())
	if err != nil {
		return backoff{}
	}
	b := backoff{known: true}
	if line, err := regularfile.Read(d.lateFile(), regularfile.NoLinks, 64); err == nil {
		seconds, _ := strconv.ParseUint(strings.TrimSpace(string(line)), 10, 16)
		b.last = time.Duration(seconds) * time.Second
	}
	age := time.Since(st.ModTime())
	socket, err := os.Lstat(d.Socket) // another daemon may have begun since
	b.on = age >= 0 && age < min(b.last, maxBackoff) && (err != nil || !socket.ModTime().After(st.ModTime()))
	return b
}

// late begins a backoff.
func (d daemon) late(b backoff) {
	next := min(max(2*b.last, firstBackoff), maxBackoff)
	_ = os.WriteFile(d.lateFile(), []byte(strconv.Itoa(int(next.Seconds()))+"\n"), 0o600)
}
