package watcher

import "regexp"

// temporary matches the names of files that editors and tools create during a save: vim's probe,
// backup and swap file, Emacs' lock and autosave, the files of Kate, GLib and LibreOffice, those of
// sed -i, JetBrains' safe write, and the name.tmp.<pid>.<time> of agents that write a new file and
// rename it. Such a file counts only if git tracks it.
var temporary = regexp.MustCompile(`^(?s:4913|\.DS_Store|\.#.*|#.*#|\.goutputstream-.*|\.~lock\..*|sed[0-9A-Za-z]{6}|` +
	`.*(?:~|\.sw[pxo]|\.tmp|\.kate-swp|___jb_(?:tmp|old|bak)___)|.+\.tmp\.\d.*)$`)
