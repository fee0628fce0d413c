package client

import "os"

// init is the fast path: it must be reached before other packages initialise, so this package imports leaves
// only and cmd/aoa imports it for nothing but this. `aoa hook --help` is left to the command line.
func init() {
	if len(os.Args) > 1 && os.Args[1] == "hook" && !wantsHelp(os.Args[2:]) {
		run(os.Args[2:])
	}
}

func wantsHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "-h" || args[0] == "--help")
}

// Milliseconds. A hook that takes longer than these is worse than one that says nothing.
const (
	stdinWait   = 250 // for the whole of stdin: agents do not always close it
	writeWait   = 50  // for handing a frame to a daemon that may hang
	lateWait    = 5   // the same, to a daemon that was late a short time ago
	retryEvery  = 4   // between two attempts to reach a daemon that is starting
	startAgain  = 30_000
	startAtOnce = 2_000 // at a prompt or a session's start
)

// run handles one hook and leaves the process: with 0, whatever happened.
func run(args []string) {
	defer func() {
		_ = recover() // a panic would exit with 2, which Claude Code reads as "block this call"
		os.Exit(0)
	}()
	if answer := deliver(args); len(answer) > 0 {
		output(answer)
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
	c := call{agent: args[0], args: args[1:]}
	if c.agent == "git" { // a git hook has no payload: the daemon looks at HEAD, whichever it was
		c.cwd = workingDir()
	} else if !c.agentPayload() {
		return nil
	}
	p, ok := find(c.cwd)
	if !ok {
		return nil
	}
	wait, starts := Patience(speaker(c.agent), c.event)
	return p.exchange(&c, wait*Factor(), starts)
}

// switchedOff: AOA=0 (or off, false, no) and AOA_SKIP=1 silence every hook.
func switchedOff() bool {
	switch os.Getenv("AOA") {
	case "0", "off", "false", "no":
		return true
	}
	skip := os.Getenv("AOA_SKIP")
	return skip != "" && skip != "0"
}

// What dialling found.
const (
	alive = iota
	busy  // someone listens but does not accept
	dead  // nobody listens
)

// exchange hands the frame over and reads the reply. A dead daemon is started: at a session's start and at a
// prompt its answer is still awaited, else this event is lost and the next ones are not. A daemon that was late gets frames
// without a question until its respite is over.
func (p place) exchange(c *call, wait int64, starts bool) []byte {
	begun := now()
	deadline := begun + max(wait, writeWait*Factor())*1000
	respite := p.respite()
	first := deadline
	if respite.on {
		first = min(deadline, begun+lateWait*Factor()*1000)
	}
	s, state := dial(p.socket, first)
	if state == dead {
		again := int64(startAgain)
		if starts {
			again = startAtOnce
		}
		p.start(again)
		s, state = p.await(starts, deadline)
		first, respite.on = deadline, false
	}
	if state == alive {
		defer s.close()
		c.wait = wait > 0 && !respite.on
		if s.write(c.frame(), first) {
			if !c.wait {
				return nil
			}
			if reply, whole := s.reply(deadline); whole {
				p.inTime(respite)
				return reply
			}
		}
	}
	if state != dead && !respite.on && now() >= deadline {
		p.late(respite)
	}
	return nil
}

// await dials until a daemon that was just started, by this hook or another, listens.
func (p place) await(starts bool, deadline int64) (conn, int) {
	for starts && now() < deadline {
		pause(retryEvery)
		if c, state := dial(p.socket, deadline); state != dead {
			return c, state
		}
	}
	return conn{}, dead
}

// maxReply is the longest answer that is printed, in bytes. Claude Code cuts at 10,000 characters.
const maxReply = 64 << 10

// reply reads one reply frame: a zero byte, four bytes of length, the bytes to print. All of it or nothing.
func (c conn) reply(deadline int64) (body []byte, whole bool) {
	var head [5]byte
	if !c.readFull(head[:], deadline) || head[0] != 0 {
		return nil, false
	}
	n := int(head[1])<<24 | int(head[2])<<16 | int(head[3])<<8 | int(head[4])
	if n < 0 || n > maxReply {
		return nil, false
	}
	body = make([]byte, n)
	return body, c.readFull(body, deadline)
}

func (c conn) readFull(p []byte, deadline int64) bool {
	for len(p) > 0 {
		n := c.read(p, deadline)
		if n <= 0 {
			return false
		}
		p = p[n:]
	}
	return true
}
