package watcher

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/windows"
)

// treeNotifier watches whole trees, see treeRoots. fsnotify can do that too, but does not export it.
type treeNotifier struct {
	events  chan fsnotify.Event
	errors  chan error
	readers sync.WaitGroup

	mu    sync.Mutex // guards what follows
	roots treeRoots
	open  map[string]*treeRead // by root
}

// treeRead is the watch of one tree. Windows writes to ov and buf.
type treeRead struct {
	root   string
	folder windows.Handle
	ov     windows.Overlapped
	buf    [16 << 10]uint32 // 64 KB is the most that a network drive takes; the records are aligned
}

func openNotifier() (notifier, error) {
	t := &treeNotifier{events: make(chan fsnotify.Event, queue), errors: make(chan error), open: map[string]*treeRead{}}
	return notifier{events: t.events, errors: t.errors, add: t.add, remove: func(string) error { return nil }, close: t.close,
		recursive: true}, nil
}

// add watches a folder and all below it. Changes after it returned are reported.
func (t *treeNotifier) add(dir string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.roots.covers(dir) {
		return nil
	}
	r := &treeRead{root: dir}
	if err := r.start(); err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	for _, root := range t.roots.add(dir) {
		t.cancel(root)
	}
	t.open[dir] = r
	t.readers.Go(func() { t.read(r) })
	return nil
}

func (r *treeRead) start() error {
	name, err := windows.UTF16PtrFromString(r.root)
	if err != nil {
		return err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	r.folder, err = windows.CreateFile(name, windows.FILE_LIST_DIRECTORY, share, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OVERLAPPED, 0)
	if err != nil {
		return err
	}
	if r.ov.HEvent, err = windows.CreateEvent(nil, 1, 0, nil); err == nil {
		if err = r.next(); err == nil {
			return nil
		}
		_ = windows.CloseHandle(r.ov.HEvent)
	}
	_ = windows.CloseHandle(r.folder)
	return err
}

// changes are what is reported.
const changes = windows.FILE_NOTIFY_CHANGE_FILE_NAME | windows.FILE_NOTIFY_CHANGE_DIR_NAME |
	windows.FILE_NOTIFY_CHANGE_LAST_WRITE | windows.FILE_NOTIFY_CHANGE_SIZE

// next asks for the next changes. It returns at once.
func (r *treeRead) next() error {
	r.ov = windows.Overlapped{HEvent: r.ov.HEvent}
	buf := (*byte)(unsafe.Pointer(&r.buf[0]))
	return windows.ReadDirectoryChanges(r.folder, buf, uint32(unsafe.Sizeof(r.buf)), true, changes, nil, &r.ov, 0)
}

// read reports changes until the watch is cancelled.
func (t *treeNotifier) read(r *treeRead) {
	defer t.end(r)
	for {
		var n uint32
		err := windows.GetOverlappedResult(r.folder, &r.ov, &n, true)
		whole := err == nil && n > 0
		if whole {
			var events []fsnotify.Event
			events, whole = parseChanges(r.root, unsafe.Slice((*byte)(unsafe.Pointer(&r.buf[0])), n))
			for _, ev := range events {
				t.events <- ev
			}
		}
		if err == nil || errors.Is(err, windows.ERROR_NOTIFY_ENUM_DIR) {
			if !whole {
				t.errors <- fsnotify.ErrEventOverflow
			}
			err = t.again(r)
		}
		if errors.Is(err, windows.ERROR_OPERATION_ABORTED) {
			return
		}
		if err != nil {
			t.errors <- fmt.Errorf("watch %s: %w", r.root, err) // the folder is gone
			return
		}
	}
}

// end closes a watch. A root whose folder is gone may be added again.
func (t *treeNotifier) end(r *treeRead) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[r.root] == r {
		delete(t.open, r.root)
		t.roots = slices.DeleteFunc(t.roots, func(root string) bool { return root == r.root })
	}
	_ = windows.CloseHandle(r.ov.HEvent)
	_ = windows.CloseHandle(r.folder)
}

// again is next, unless the watch was cancelled.
func (t *treeNotifier) again(r *treeRead) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[r.root] != r {
		return windows.ERROR_OPERATION_ABORTED
	}
	return r.next()
}

// cancel ends the watch of a root, with mu held.
func (t *treeNotifier) cancel(root string) {
	_ = windows.CancelIoEx(t.open[root].folder, nil) // fails if nothing was asked for; again sees that it was cancelled
	delete(t.open, root)
}

// close ends all watches. Somebody has to receive from both channels until it returns.
func (t *treeNotifier) close() error {
	t.mu.Lock()
	for root := range t.open {
		t.cancel(root)
	}
	t.mu.Unlock()
	t.readers.Wait()
	close(t.events)
	close(t.errors)
	return nil
}
