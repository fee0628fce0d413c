package watcher

import "regexp"

// temporary matches names that editors and tools use on the way to a save: vim's probe, backup and
// swap file, Emacs' lock and autosave, Kate's, GLib's and LibreOffice's files, sed -i, JetBrains'
// safe write, and the name.tmp.<pid>.<time> of agents that write beside and rename. Such a file
// counts only if git knows it.
var temporary = regexp.MustCompile(`^(?s:4913|\.DS_Store|\.#.*|#.*#|\.goutputstream-.*|\.~lock\..*|sed[0-9A-Za-z]{6}|` +
	`.*(?:~|\.sw[pxo]|\.tmp|\.kate-swp|___jb_(?:tmp|old|bak)___)|.+\.tmp\.\d.*)$`)
