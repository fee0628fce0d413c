package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aoa-dev/aoa/internal/regularfile"
)

// Arrival is the newest text of ours that Claude Code notes to have put into a request.
type Arrival struct {
	Newest  time.Time // when the newest session did anything; zero if there is none
	Taken   time.Time // when the text was taken; zero if none was
	Version string    // of Claude Code, then
}

// Bounds of a search for an arrival.
const (
	maxRecent   = 5        // transcripts, the newest
	arrivalTail = 16 << 20 // bytes at the end of each
)

// ownText is how each text of ours begins.
const ownText = "aOa"

// Arrived searches the newest transcripts in dir and below for our texts. A missing dir is an empty one.
func Arrived(dir string) (out Arrival) {
	all := files(dir)
	slices.Reverse(all)
	for _, name := range all[:min(len(all), maxRecent)] {
		f, err := regularfile.Open(name, regularfile.NoLinks)
		if err != nil {
			continue
		}
		if st, err := f.Stat(); err == nil {
			if st.ModTime().After(out.Newest) {
				out.Newest = st.ModTime()
			}
			_, _ = f.Seek(max(0, st.Size()-arrivalTail), io.SeekStart)
		}
		in := bufio.NewReaderSize(f, 64<<10)
		for {
			text, _, _, err := readLine(in)
			out.read(text)
			if err != nil {
				break
			}
		}
		f.Close()
	}
	return out
}

// read takes a line of a transcript that notes a text of ours.
func (a *Arrival) read(text []byte) {
	if !bytes.Contains(text, []byte(`"hook_additional_context"`)) {
		return
	}
	var l struct {
		Time       time.Time `json:"timestamp"`
		Version    string    `json:"version"`
		Attachment struct {
			Type    string `json:"type"`
			Content any    `json:"content"`
		} `json:"attachment"`
	}
	if json.Unmarshal(text, &l) != nil || l.Attachment.Type != "hook_additional_context" || !l.Time.After(a.Taken) {
		return
	}
	blocks, _ := l.Attachment.Content.([]any)
	for _, b := range append(blocks, l.Attachment.Content) {
		if s, ok := b.(string); ok && strings.HasPrefix(s, ownText) {
			a.Taken, a.Version = l.Time, l.Version
		}
	}
}
