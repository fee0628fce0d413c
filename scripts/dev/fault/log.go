package fault

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Log keeps what is logged, as lines of text. It can be read while others write. The zero value is
// empty.
type Log struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

// Write appends to the text.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns all lines.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Take returns all lines, and empties the log.
func (l *Log) Take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// Logger returns a logger that writes lines here, from information on.
func (l *Log) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// Warnings returns how many lines are warnings or errors.
func (l *Log) Warnings() int {
	text := l.String()
	return strings.Count(text, "level=WARN") + strings.Count(text, "level=ERROR")
}
