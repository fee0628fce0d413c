package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aoa-dev/aoa/internal/atomicfile"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// kept has the bytes of a settings file before Add edited it. As long as the file is what Add
// wrote, Remove restores these bytes; otherwise it only removes our entries.
type kept struct {
	File   string `json:"file"`
	Before []byte `json:"before"` // nil if there was no file
	Wrote  string `json:"wrote"`  // SHA-256 of what Add wrote
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// keptFile returns where the bytes of a settings file are kept, "" if nowhere.
func (o Options) keptFile(target string) string {
	if o.Kept == "" {
		return ""
	}
	return filepath.Join(o.Kept, sum([]byte(target))[:16]+".json")
}

// readKept returns the kept bytes of the file. ok is false if there are none, or if someone else
// has changed the file since.
func (o Options) readKept(f *settingsFile) (k kept, ok bool) {
	k, ok = loadKept(o.keptFile(f.target))
	return k, ok && k.File == f.target && k.Wrote == sum(f.old)
}

func loadKept(name string) (k kept, ok bool) {
	b, err := regularfile.Read(name, regularfile.NoLinks, 2*maxSettings)
	return k, err == nil && json.Unmarshal(b, &k) == nil
}

// keep stores the present bytes before a file is written. A failure is not an error, because Remove
// can still remove only our entries.
func (o Options) keep(f *settingsFile, before, wrote []byte) {
	name := o.keptFile(f.target)
	if name == "" || os.MkdirAll(o.Kept, 0o700) != nil {
		return
	}
	o.sweep()
	if b, err := json.Marshal(kept{f.target, before, sum(wrote)}); err == nil {
		_ = atomicfile.WriteBytes(name, atomicfile.Options{}, b)
	}
}

// sweep deletes the kept bytes of files that no longer exist.
func (o Options) sweep() {
	names, _ := filepath.Glob(filepath.Join(o.Kept, "*.json")) // a bad pattern finds nothing
	for _, name := range names {
		if k, ok := loadKept(name); ok {
			if _, err := os.Lstat(k.File); errors.Is(err, fs.ErrNotExist) {
				_ = os.Remove(name)
			}
		}
	}
}

// drop deletes the kept bytes of a file, and their folder if it is then empty.
func (o Options) drop(f *settingsFile) {
	if name := o.keptFile(f.target); name != "" {
		_ = os.Remove(name) // it may be missing
		_ = os.Remove(o.Kept)
	}
}
