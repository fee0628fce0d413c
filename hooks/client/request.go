package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a payload, in bytes. What squeeze leaves is cut after maxBody; the daemon then uses the
// JSON members that arrived whole. A socket on Linux buffers 208 KB, so no client has to wait for
// the daemon to read.
const (
	maxBody = 192 << 10
	maxRead = 32 << 20
)

// request is one call of a hook. On the wire it is POST /v1/hook with the payload as its body,
// which internal/api reads.
type request struct {
	agent   string
	event   string
	dir     string // the agent's working folder
	wait    bool   // the caller reads the answer
	payload []byte
}

// environment lists the variables that the daemon gets. They distinguish agents that run each
// other's settings.
var environment = []string{"CLAUDECODE", "CURSOR_VERSION", "COPILOT_CLI"}

// read reads the agent's JSON from stdin. It returns false if none exists.
func (r *request) read(stdin io.Reader, args []string) bool {
	r.payload = bytes.TrimSpace(readPayload(stdin, time.Now().Add(stdinTime*time.Duration(Factor()))))
	for bytes.HasPrefix(r.payload, byteOrderMark) { // PowerShell writes one or two of them before what it pipes
		r.payload = bytes.TrimSpace(r.payload[len(byteOrderMark):])
	}
	if !bytes.HasPrefix(r.payload, []byte("{")) {
		return false
	}
	r.event, r.dir = fields(r.payload)
	if r.event == "" && len(args) > 0 { // the payload does not name the event, so the command does
		r.event = args[0]
		named := append([]byte(`{"hook_event_name":`), strconv.Quote(r.event)...)
		if r.payload = bytes.TrimSpace(r.payload[1:]); !bytes.HasPrefix(r.payload, []byte("}")) {
			named = append(named, ',')
		}
		r.payload = append(named, r.payload...)
	}
	if !filepath.IsAbs(r.dir) {
		r.dir, _ = os.Getwd()
	}
	return true
}

var byteOrderMark = []byte("\ufeff")

// openTime is how long to wait for more of stdin after a complete JSON value, because not all
// agents close it.
const openTime = 5 * time.Millisecond

// readPayload reads until stdin ends, a JSON value is complete, or the deadline has come. It
// returns the first maxBody bytes of what squeeze leaves.
func readPayload(stdin io.Reader, deadline time.Time) []byte {
	chunks := make(chan []byte)
	go func() {
		defer close(chunks)
		for total := 0; total < maxRead; {
			b := make([]byte, 64<<10)
			n, err := stdin.Read(b)
			if n > 0 {
				chunks <- b[:n]
			}
			if total += n; err != nil {
				return
			}
		}
	}()
	late, quiet := time.NewTimer(time.Until(deadline)), time.NewTimer(openTime)
	defer late.Stop()
	defer quiet.Stop()
	var body []byte
	for more, valid := true, false; more && !valid; {
		var chunk []byte
		select {
		case chunk, more = <-chunks:
			body = append(body, chunk...)
			quiet.Reset(openTime)
		case <-quiet.C:
			valid = json.Valid(squeeze(body))
		case <-late.C:
			more = false
		}
	}
	body = squeeze(body)
	return body[:min(len(body), maxBody)]
}

// fields returns the event's name and the working folder from a payload, which may be cut.
func fields(payload []byte) (event, dir string) {
	in := json.NewDecoder(bytes.NewReader(payload))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return "", ""
	}
	for in.More() && (event == "" || dir == "") {
		key, err := in.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
		switch key {
		case "hook_event_name", "hookEventName":
			_ = json.Unmarshal(value, &event) // ignored if it has another type
		case "cwd":
			_ = json.Unmarshal(value, &dir)
		case "workspacePaths", "workspace_roots":
			if dir == "" {
				var all []string
				if _ = json.Unmarshal(value, &all); len(all) > 0 {
					dir = all[0]
				}
			}
		}
	}
	return event, dir
}

// send writes the request to the connection.
func (r *request) send(conn net.Conn) error {
	env := url.Values{}
	for _, name := range environment {
		if v := os.Getenv(name); v != "" {
			env.Set(name, v)
		}
	}
	var b bytes.Buffer
	b.WriteString("POST /v1/hook HTTP/1.1\r\nHost: aoa\r\nConnection: close\r\n")
	b.WriteString("Aoa-Agent: " + url.PathEscape(r.agent) + "\r\nAoa-Dir: " + url.PathEscape(r.dir) + "\r\nAoa-Env: " +
		env.Encode() + "\r\n")
	if r.wait {
		b.WriteString("Aoa-Wait: 1\r\n")
	}
	b.WriteString("Content-Length: " + strconv.Itoa(len(r.payload)) + "\r\n\r\n")
	_, err := (&net.Buffers{b.Bytes(), r.payload}).WriteTo(conn)
	return err
}

// maxAnswer is the longest answer that is printed, in bytes, including its header. Claude Code cuts
// text after 10,000 characters.
const maxAnswer = 64 << 10

// Errors of an answer.
var (
	errBuild  = errors.New("the daemon is of another build: it has no such request")
	errAnswer = errors.New("not a whole answer")
)

// readAnswer returns the whole body of the response, or an error.
func readAnswer(conn io.Reader) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(conn, maxAnswer)) // the daemon closes the connection after its answer
	if err != nil {
		return nil, err
	}
	head, body, whole := bytes.Cut(all, []byte("\r\n\r\n"))
	if !whole {
		return nil, errAnswer
	}
	switch status, _, _ := bytes.Cut(head, []byte("\r\n")); string(status) {
	case "HTTP/1.1 200 OK":
	case "HTTP/1.1 404 Not Found":
		return nil, errBuild
	default:
		return nil, errAnswer
	}
	for line := range strings.SplitSeq(string(head), "\r\n") {
		if value, ok := strings.CutPrefix(line, "Content-Length: "); ok && value == strconv.Itoa(len(body)) {
			return body, nil
		}
	}
	return nil, errAnswer
}

// Limits of a string in a payload, in bytes. Of a longer string only the beginning and the end are
// kept: a prompt with a log in it tells at its ends what is wanted.
const (
	keepHead = 48 << 10
	keepTail = 16 << 10
)

// squeeze returns a JSON text with two changes: the middle of very long strings is left out, and
// control characters in strings are escaped, because some agents write them and no decoder accepts
// them. It does not interpret the text. The end of the text may be missing.
func squeeze(text []byte) (out []byte) {
	for {
		begin := bytes.IndexByte(text, '"') + 1
		if begin == 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:begin]...), text[begin:]
		end := 0
		for end < len(text) && text[end] != '"' {
			end += unit(text[end:])
		}
		said := escaped(text[:min(end, len(text))])
		if len(said) > keepHead+keepTail {
			out = append(append(out, said[:boundary(said, keepHead)]...), `\n…\n`...)
			said = said[boundary(said, len(said)-keepTail):]
		}
		if out = append(out, said...); end >= len(text) {
			return out
		}
		out, text = append(out, '"'), text[end+1:]
	}
}

// unit returns the number of bytes of the first character of a string. The character may be an
// escape sequence.
func unit(text []byte) int {
	switch {
	case text[0] == '\\' && len(text) > 1 && text[1] == 'u':
		return len(`\u0000`)
	case text[0] == '\\':
		return len(`\n`)
	case text[0] < utf8.RuneSelf:
		return 1
	}
	_, n := utf8.DecodeRune(text)
	return n
}

// boundary returns the first place between two characters of a string that has at least that many
// bytes before it.
func boundary(text []byte, least int) (at int) {
	for at < least {
		at += unit(text[at:])
	}
	return min(at, len(text))
}

// escaped escapes the control characters in a string, except those that end lines.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		switch {
		case c == '\t':
			out = append(out, `\t`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c < ' ':
			out = append(out, `\n`...)
		default:
			out = append(out, c)
		}
	}
	return out
}
