package client

import "os"

// call is one invocation of a hook.
type call struct {
	agent   string
	args    []string
	event   string
	cwd     string
	wait    bool
	payload []byte // valid JSON, or empty
}

// told are the variables that the daemon gets to see: they tell callers apart that run each other's settings.
var told = []string{"CLAUDECODE", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "CURSOR_VERSION",
	"GEMINI_SESSION_ID", "QWEN_PROJECT_DIR", "COPILOT_CLI"}

// agentPayload reads the agent's JSON from stdin. Without one there is nothing to tell.
func (c *call) agentPayload() bool {
	s := newScan(stdin(now() + stdinWait*1000))
	if !s.run() {
		return false
	}
	c.payload, c.event, c.cwd = s.out, s.event, s.cwd
	if c.event == "" && len(c.args) > 0 {
		c.event = c.args[0] // Copilot does not tell it: its command does
	}
	if !absolute(c.cwd) {
		c.cwd = workingDir()
	}
	return true
}

// frame is the call as it goes over the wire: a zero byte, four bytes of length, one JSON object.
func (c *call) frame() []byte {
	b := make([]byte, 5, 512+len(c.payload))
	b = quote(append(b, `{"agent":`...), c.agent)
	for i, a := range c.args {
		if i == 0 {
			b = append(b, `,"args":[`...)
		} else {
			b = append(b, ',')
		}
		b = quote(b, a)
	}
	if len(c.args) > 0 {
		b = append(b, ']')
	}
	if c.cwd != "" {
		b = quote(append(b, `,"cwd":`...), c.cwd)
	}
	b = c.environment(b)
	if c.wait {
		b = append(b, `,"wait":true`...)
	}
	if len(c.payload) > 0 {
		b = append(append(b, `,"payload":`...), c.payload...)
	}
	b = append(b, '}')
	n := len(b) - 5
	b[1], b[2], b[3], b[4] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return b
}

func (c *call) environment(b []byte) []byte {
	open := false
	for _, name := range told {
		v := os.Getenv(name)
		if v == "" {
			continue
		}
		if open {
			b = append(b, ',')
		} else {
			b, open = append(b, `,"env":{`...), true
		}
		b = quote(append(quote(b, name), ':'), v)
	}
	if open {
		b = append(b, '}')
	}
	return b
}

func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
