package prefetch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"github.com/aoa-dev/aoa/internal/event"
)

// digest hashes the parts. Each is ended by a zero byte, so that ("ab", "c") and ("a", "bc")
// differ.
func digest(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// heldOut reports whether a file is withheld from a session, whatever the kind. It decides by a
// seeded hash: the same question always gets the same answer, and nobody can influence it.
func heldOut(seed, session string, f event.Path, rate float64) bool {
	d := digest("holdout", seed, session, string(f))
	return float64(binary.BigEndian.Uint64(d[:8]))/math.Exp2(64) < rate
}

// hintID returns the ID of a prediction's event, a hash of its content. Logging the same prediction
// twice thus counts once.
func hintID(e event.Event, h event.Hint) string {
	parts := []string{"hint", e.Session, e.Subagent, h.Name, h.Status, strconv.FormatInt(e.Time.UnixMilli(), 10), h.Text}
	d := digest(append(parts, event.Strings(slices.Concat(h.Paths, h.Named))...)...)
	return "hint:" + hex.EncodeToString(d[:12])
}
