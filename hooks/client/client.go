package client

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/aoa-dev/aoa/hooks/agents"
	"github.com/aoa-dev/aoa/internal/locate"
	"github.com/aoa-dev/aoa/internal/peer"
)

// Times of a hook. Taking longer is worse than printing nothing. Factor multiplies them, except
// those for stdin and for starts.
const (
	stdinTime   = 250 * time.Millisecond // for reading stdin, because agents do not always close it
	sendTime    = 50 * time.Millisecond  // for sending a request to a daemon that may hang
	lateTime    = 5 * time.Millisecond   // for sending a request to a daemon that was late a short time ago
	retryTime   = 4 * time.Millisecond   // between two attempts to connect
	startAgain  = 30 * time.Second       // between two starts of a daemon
	startAtOnce = 2 * time.Second        // the same, at a prompt and at the start of a session
)

// Main runs one hook. args has the agent's name and, for Copilot, the event's. Main ends the
// process with exit code 0, whatever happens.
func Main(args []string) {
	defer func() {
		_ = recover() // a panic would exit with 2, which Claude Code takes for "block this call"
		os.Exit(0)
	}()
	if answer := deliver(args); len(answer) > 0 {
		_, _ = os.Stdout.Write(answer)
	}
}

// deliver sends the hook's payload and returns what is to be printed.
func deliver(args []string) []byte {
	if switchedOff() || len(args) == 0 {
		return nil
	}
	if os.Getenv("AOA_DOCTOR") != "" { // aoa doctor asks which program the installed command finds
		self, _ := os.Executable()
		return append([]byte(self), '\n')
	}
	r := request{agent: args[0]}
	if r.agent == "git" { // a git hook has no payload: the daemon checks HEAD, whichever hook it was
		r.dir, _ = os.Getwd()
	} else if !r.read(os.Stdin, args[1:]) {
		return nil
	}
	d, ok := daemonOf(r.dir)
	if !ok {
		return above(&r)
	}
	return d.deliver(&r, true)
}

// switchedOff reports whether hooks do nothing, because AOA is 0, off, false or no, or AOA_SKIP is
// 1.
func switchedOff() bool {
	switch os.Getenv("AOA") {
	case "0", "off", "false", "no":
		return true
	}
	skip := os.Getenv("AOA_SKIP")
	return skip != "" && skip != "0"
}

// daemon tells where the daemon of a repository is.
type daemon struct {
	locate.Place
	dir string // the folder where it is started: the worktree, or the git dir of a bare repository
}

// daemonOf finds the daemon for work in dir. Work in a submodule belongs to the outermost
// superproject that has a store. ok is false outside of any repository, in a repository without a
// store, and if the store or the folder of the socket belongs to another user.
func daemonOf(dir string) (d daemon, ok bool) {
	r, err := discover(dir)
	if err != nil { // an agent that works outside of any repository still belongs to its project
		if r, err = discover(os.Getenv("CLAUDE_PROJECT_DIR")); err != nil {
			return d, false
		}
	}
	d, ok = daemonFor(r)
	if os.Getenv("AOA_STORE") != "" {
		return d, ok
	}
	for r, in := r.Superproject(); in; r, in = r.Superproject() {
		if outer, has := daemonFor(r); has {
			d, ok = outer, true
		}
	}
	return d, ok
}

func discover(dir string) (locate.Repository, error) {
	if !filepath.IsAbs(dir) {
		return locate.Repository{}, locate.ErrNotRepo
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return locate.Repository{}, err
	}
	return locate.Discover(dir)
}

func daemonFor(r locate.Repository) (daemon, bool) {
	d := daemon{Place: locate.Find(r.CommonDir, os.Getenv), dir: r.Root}
	if d.dir == "" {
		d.dir = r.GitDir
	}
	return d, d.Known() == nil
}

// state is the result of an attempt to connect.
type state uint8

const (
	alive state = iota
	busy        // a process listens but does not accept, or is not to be trusted
	dead        // no process listens
)

// exchange sends the request and reads the answer. If no daemon is running, it starts one. At a
// session's start and at a prompt it waits for that daemon's answer; otherwise this event is lost.
// While a daemon that was late has its backoff, it only gets requests that need no answer; a daemon
// that did not start is not waited for.
func (d daemon) exchange(r *request, wait time.Duration, starts bool) []byte {
	begun := time.Now()
	deadline := begun.Add(max(wait, sendTime*time.Duration(Factor())))
	rests := d.rests()
	first := deadline
	if rests {
		first = begun.Add(min(deadline.Sub(begun), lateTime*time.Duration(Factor())))
	}
	again := startAgain
	if starts {
		again = startAtOnce
	}
	conn, found := d.dial(first)
	if found == dead {
		awaited := d.start("run", again) && starts && !rests
		for awaited && found == dead && time.Now().Before(deadline) {
			time.Sleep(retryTime)
			conn, found = d.dial(deadline)
		}
		if found == dead {
			if awaited {
				d.late()
			}
			return nil
		}
		first = deadline
	}
	if found == alive {
		defer conn.Close()
		r.wait = wait > 0 && !rests
		_ = conn.SetWriteDeadline(first)
		if r.send(conn) == nil {
			if !r.wait {
				return nil
			}
			_ = conn.SetReadDeadline(deadline)
			switch answer, err := readAnswer(conn); {
			case err == nil:
				return answer
			case errors.Is(err, errBuild): // aoa daemon start replaces it
				d.start("start", again)
				return nil
			}
		}
	}
	if !rests && !time.Now().Before(deadline) {
		d.late()
	}
	return nil
}

// dial connects to the daemon. A socket on which another user listens counts as busy: nothing is
// sent there, and a daemon that we start could not take its place.
func (d daemon) dial(deadline time.Time) (net.Conn, state) {
	for {
		conn, err := net.DialTimeout("unix", d.Socket, max(time.Until(deadline), time.Millisecond))
		switch {
		case err == nil:
			if peer.Listener(conn, d.Socket) == nil {
				return conn, alive
			}
			conn.Close()
			return nil, busy
		case errors.Is(err, syscall.EAGAIN): // the queue of connecting clients is full
			if !time.Now().Before(deadline) {
				return nil, busy
			}
			time.Sleep(time.Millisecond)
		case errors.Is(err, fs.ErrPermission), os.IsTimeout(err):
			return nil, busy
		default:
			return nil, dead
		}
	}
}

// Factor returns the value of AOA_PATIENCE, 1 to 100, by which every wait for the payload and for
// an answer is multiplied. It is for slow machines, and for tests on busy ones. Any other value
// counts as 1.
func Factor() int64 {
	n, err := strconv.ParseInt(os.Getenv("AOA_PATIENCE"), 10, 64)
	if err != nil || n < 1 || n > 100 {
		return 1
	}
	return n
}

// Patience returns how long to wait for an answer to the event, 0 for not at all. starts means that
// this includes starting the daemon. For events that are only learned from, the client does not
// wait.
func Patience(agent, event string) (wait time.Duration, starts bool) {
	e := agents.EventOf(agent, event)
	if !e.Awaited() {
		return 0, false
	}
	return e.Deadline()
}

// runner returns the agent that runs a hook that was installed for Claude Code, because Cursor and
// Copilot also run its settings. It looks only at the environment; the daemon also looks at the
// payload.
func runner(agent string) string {
	if agent == "claude" && os.Getenv("CLAUDECODE") == "" {
		if os.Getenv("CURSOR_VERSION") != "" {
			return "cursor"
		}
		if os.Getenv("COPILOT_CLI") != "" {
			return "copilot"
		}
	}
	return agent
}

// backoff is how long a daemon is not asked anything after it was late or did not start. Its next
// answers would probably be late, too, and each question would cost the agent the whole wait.
const backoff = 10 * time.Second

// lateFile returns the file that was written when the daemon was late last.
func (d daemon) lateFile() string { return filepath.Join(d.Store, "hook-late") }

// rests reports whether a backoff is going on. A daemon that has started since then is asked at once.
func (d daemon) rests() bool {
	st, err := os.Lstat(d.lateFile())
	if err != nil {
		return false
	}
	age := time.Since(st.ModTime())
	socket, err := os.Lstat(d.Socket)
	return age >= 0 && age < backoff && (err != nil || !socket.ModTime().After(st.ModTime()))
}

// late begins a backoff.
func (d daemon) late() { _ = os.WriteFile(d.lateFile(), []byte("\n"), 0o600) }
