package reload

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

const (
	maxHashed  = 8 << 20 // bytes of a file that is hashed; of a larger one nothing is known
	maxHashes  = 4096    // files remembered
	hashSettle = 100 * time.Millisecond
)

// hashes remembers the hashes of files.
type hashes struct {
	now func() time.Time
	mu  sync.Mutex // guards seen
	of  map[string]stamp
}

type stamp struct {
	at   time.Time
	size int64
	hash string
}

// in is the hash of a file's content now: hex digits, gone, or "" if it is not known. A file whose size and time are
// unchanged is not read again, unless it was written within hashSettle before it was read: a second write may have the
// same time.
func (h *hashes) in(dir *os.Root, p event.Path) string {
	name := string(p)
	st, err := dir.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone
	case err != nil || !st.Mode().IsRegular() || st.Size() > maxHashed:
		return ""
	}
	key := dir.Name() + "\x00" + name
	h.mu.Lock()
	old, known := h.of[key]
	h.mu.Unlock()
	if known && old.size == st.Size() && old.at.Equal(st.ModTime()) {
		return old.hash
	}
	text, err := regularfile.ReadIn(dir, name, maxHashed)
	if err != nil {
		return ""
	}
	out := index.BlobID(text)
	if h.now().Sub(st.ModTime()) > hashSettle {
		h.mu.Lock()
		if h.of == nil || len(h.of) >= maxHashes {
			h.of = map[string]stamp{}
		}
		h.of[key] = stamp{st.ModTime(), st.Size(), out}
		h.mu.Unlock()
	}
	return out
}
