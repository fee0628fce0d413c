//go:build !windows

package watcher

import "github.com/fsnotify/fsnotify"

func openNotifier() (notifier, error) {
	n, err := fsnotify.NewBufferedWatcher(queue)
	if err != nil {
		return notifier{}, err
	}
	return notifier{events: n.Events, errors: n.Errors, add: n.Add, remove: n.Remove, close: n.Close}, nil
}
