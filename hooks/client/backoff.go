package client

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// backoff is a time in which the daemon is not asked anything, because it was late or did not
// start. Its next answers would probably be late, too, and each question would cost the agent the
// whole wait.
type backoff struct {
	on    bool
	known bool // the daemon was late, and has not been in time since
	last  time.Duration
}

// Limits of a backoff. Each one is twice as long as the one before.
const (
	firstBackoff = 2 * time.Second
	maxBackoff   = time.Minute
)

// lateFile returns the file that has the length of the last backoff, in seconds. The backoff began
// at the time of the file.
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
	socket, err := os.Lstat(d.Socket) // another daemon may have started since
	b.on = age >= 0 && age < min(b.last, maxBackoff) && (err != nil || !socket.ModTime().After(st.ModTime()))
	return b
}

// late starts a backoff, twice as long as b.
func (d daemon) late(b backoff) {
	next := min(max(2*b.last, firstBackoff), maxBackoff)
	_ = os.WriteFile(d.lateFile(), []byte(strconv.Itoa(int(next.Seconds()))+"\n"), 0o600)
}
