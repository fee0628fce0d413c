package stage

import (
	"path/filepath"
	"sync"
	"time"
)

// tools remembers the versions that programs print, as long as the program's file is the same. (A shim that selects
// another program by a file of the project is not noticed: that file belongs among the dependencies.)
type tools struct {
	mu sync.Mutex
	by map[toolKey]toolVersion
}

type toolKey struct{ command, path string }

type toolVersion struct {
	id   identity
	text string
}

// maxTools bounds the versions that are kept.
const maxTools = 256

// Version returns the version that a command of a program printed, "" when it is not known.
func (c *Cache) Version(command, path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	id, err := stat(real)
	if err != nil {
		return ""
	}
	c.tools.mu.Lock()
	defer c.tools.mu.Unlock()
	if v := c.tools.by[toolKey{command, real}]; v.id == id {
		return v.text
	}
	return ""
}

// SetVersion remembers a version.
func (c *Cache) SetVersion(command, path, text string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	id, err := stat(real)
	// A program that was replaced since it ran has young times.
	if err != nil || !id.reliable(c.o.Now().Add(-time.Minute)) {
		return
	}
	c.tools.mu.Lock()
	defer c.tools.mu.Unlock()
	if c.tools.by == nil || len(c.tools.by) >= maxTools {
		c.tools.by = map[toolKey]toolVersion{}
	}
	c.tools.by[toolKey{command, real}] = toolVersion{id, text}
}
