package watcher

import (
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/fsnotify/fsnotify"
)

// treeRoots are the folders that are watched with all below them, by one watch each. On Windows a watch keeps its folder
// open, and a folder cannot be renamed while one below it is open: a watch per folder would block every rename.
type treeRoots []string

// covers reports whether a folder is watched.
func (r treeRoots) covers(dir string) bool {
	return slices.ContainsFunc(r, func(root string) bool { return root == dir || below(dir, root) })
}

// add enters a root and returns those below it, which are not needed any more.
func (r *treeRoots) add(dir string) (covered []string) {
	for _, root := range *r {
		if below(root, dir) {
			covered = append(covered, root)
		}
	}
	*r = slices.DeleteFunc(*r, func(root string) bool { return below(root, dir) })
	*r = append(*r, dir)
	return covered
}

func below(dir, root string) bool {
	return strings.HasPrefix(dir, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// changeOps are the values of Action in FILE_NOTIFY_INFORMATION (winnt.h).
var changeOps = map[uint32]fsnotify.Op{1: fsnotify.Create, 2: fsnotify.Remove, 3: fsnotify.Write, 4: fsnotify.Rename, 5: fsnotify.Create}

// parseChanges reads what ReadDirectoryChangesW reports of the tree at root: records of next offset, action, length of the
// name in bytes, name in UTF-16. whole is false if the bytes are no such records.
func parseChanges(root string, b []byte) (events []fsnotify.Event, whole bool) {
	for {
		if len(b) < 12 {
			return events, false
		}
		next, action, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
		if uint64(size) > uint64(len(b)-12) || uint64(next) > uint64(len(b)) {
			return events, false
		}
		name := make([]uint16, size/2)
		for i := range name {
			name[i] = binary.LittleEndian.Uint16(b[12+2*i:])
		}
		if op := changeOps[action]; op != 0 && len(name) > 0 {
			events = append(events, fsnotify.Event{Name: filepath.Join(root, string(utf16.Decode(name))), Op: op})
		}
		if next == 0 {
			return events, true
		}
		if next < 12 {
			return events, false
		}
		b = b[next:]
	}
}
