package api

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Frame is what a hook client sends: the agent's JSON as it came, and where it came from.
//
// On the wire: a zero byte, the length as 4 bytes big-endian, the JSON. A reply has the same form, its body is
// printed verbatim and may be empty. Clients that do not wait close without reading.
type Frame struct {
	Agent   string            `json:"agent"`          // claude, codex, git, …
	Args    []string          `json:"args,omitempty"` // further arguments: the git hook's name and arguments
	Cwd     string            `json:"cwd,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // the few names that tell callers apart
	Wait    bool              `json:"wait,omitempty"`
	Payload json.RawMessage   `json:"payload,omitempty"`
}

// MaxFrame is the longest frame accepted, in bytes. The client cuts tool output at 64 KB, so a longer frame
// is not ours.
const MaxFrame = 8 << 20

// ErrFrame is wrapped by every refusal of a frame.
var ErrFrame = errors.New("not a frame")

// ReadFrame reads the body of one frame, its first byte included.
func ReadFrame(r io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if head[0] != 0 || n > MaxFrame {
		return nil, fmt.Errorf("%w: head % x", ErrFrame, head)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return body, nil
}

// AppendFrame appends body as a frame.
func AppendFrame(dst, body []byte) []byte {
	dst = append(dst, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	return append(dst, body...)
}
