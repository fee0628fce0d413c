package client

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// respite is how long a daemon that did not answer in time, or did not come, is asked nothing: its answers would come too
// late again, and each would cost the agent the whole wait.
type respite struct {
	on    bool
	known bool // a daemon was late, and none was in time since
	last  time.Duration
}

// Bounds of a respite. Each one in a row is twice as long as the one before.
const (
	firstRespite = 2 * time.Second
	maxRespite   = time.Minute
)

// lateFile holds the length of the last respite, in seconds. The time of the file is its beginning.
func (d daemon) lateFile() string { return filepath.Join(d.Store, "hook-late") }

func (d daemon) respite() respite {
	st, err := os.Lstat(d.lateFile())
	if err != nil {
		return respite{}
	}
	r := respite{known: true}
	if line, err := regularfile.Read(d.lateFile(), regularfile.NoLinks, 64); err == nil {
		seconds, _ := strconv.ParseUint(strings.TrimSpace(string(line)), 10, 16)
		r.last = time.Duration(seconds) * time.Second
	}
	age := time.Since(st.ModTime())
	socket, err := os.Lstat(d.Socket) // another daemon may have begun since
	r.on = age >= 0 && age < min(r.last, maxRespite) && (err != nil || !socket.ModTime().After(st.ModTime()))
	return r
}

// late begins a respite.
func (d daemon) late(r respite) {
	next := min(max(2*r.last, firstRespite), maxRespite)
	_ = os.WriteFile(d.lateFile(), []byte(strconv.Itoa(int(next.Seconds()))+"\n"), 0o600)
}

// inTime ends it.
func (d daemon) inTime(r respite) {
	if r.known {
		_ = os.Remove(d.lateFile())
	}
}
