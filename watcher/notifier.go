package watcher

import (
	"errors"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// queue is the number of reports that may wait for the draining goroutine. Together with the
// kernel's own queue this is enough for a checkout of 30,000 files.
const queue = 16384

// notifier is the system's file notification. The zero notifier reports nothing, so everything is
// polled.
type notifier struct {
	events <-chan fsnotify.Event // closed by close
	errors <-chan error          // closed by close
	add    func(dir string) error
	remove func(dir string) error
	close  func() error
}

func openNotifier() (notifier, error) {
	n, err := fsnotify.NewBufferedWatcher(queue)
	if err != nil {
		return notifier{}, err
	}
	return notifier{events: n.Events, errors: n.Errors, add: n.Add, remove: n.Remove, close: n.Close}, nil
}

// drain passes on the system's reports until the notifier is closed.
func (w *Watcher) drain(src notifier) {
	events, errs := src.events, src.errors
	for events != nil || errs != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			w.in.add(ev, w.o.Now())
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.in.addLost(w.o.Now())
				continue
			}
			w.o.Log.Debug("watching files", "error", err)
		}
	}
}

// isFull reports whether an error means that the system has run out of watches or file descriptors.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM)
}
