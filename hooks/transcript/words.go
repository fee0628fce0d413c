package transcript

import (
	"bufio"
	"io"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/redact"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// wordsTail is how many bytes at the end of a transcript are searched for the agent's last words.
const wordsTail = 1 << 20

// LastWords is what the agent wrote last in a transcript of Claude Code before its conversation was summarized,
// redacted, at most event.MaxText bytes; "" if it wrote nothing lately, or if the file cannot be read.
func LastWords(name string) (words string) {
	f, err := regularfile.Open(name, regularfile.NoLinks)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil {
		_, _ = f.Seek(max(0, st.Size()-wordsTail), io.SeekStart)
	}
	for in := bufio.NewReaderSize(f, 64<<10); ; {
		raw, _, _, err := readLine(in)
		var l line
		if parse(raw, &l) && l.Type == "assistant" && !l.Sidechain && l.Subagent == "" {
			_, _, blocks := l.Message.content()
			for _, b := range blocks {
				if b.Type == "text" && strings.TrimSpace(b.Text) != "" {
					words = b.Text
				}
			}
		}
		if err != nil {
			return redact.Text(event.Clip(redact.Private(words), event.MaxText))
		}
	}
}
