package watcher

import "strings"

// temporary reports whether a file name is one that editors and tools use on the way to a save: vim's swap
// file, probe and backup, Emacs' lock and autosave, JetBrains' safe write, sed -i, GLib, LibreOffice, and the
// name.tmp.<pid>.<time> of agents that write beside and rename. Such a file counts only if git knows it.
func temporary(base string) bool {
	switch {
	case base == "4913", base == ".DS_Store":
		return true
	case strings.HasSuffix(base, "~"), strings.HasPrefix(base, ".#"):
		return true
	case len(base) > 1 && base[0] == '#' && base[len(base)-1] == '#':
		return true
	case strings.HasPrefix(base, ".goutputstream-"), strings.HasPrefix(base, ".~lock."):
		return true
	case len(base) == len("sed")+6 && strings.HasPrefix(base, "sed") && alphanumeric(base):
		return true
	}
	for _, s := range []string{".swp", ".swx", ".swo", ".tmp", ".kate-swp", "___jb_tmp___", "___jb_old___",
		"___jb_bak___"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	i := strings.LastIndex(base, ".tmp.")
	return i > 0 && len(base) > i+len(".tmp.") && base[i+len(".tmp.")] >= '0' && base[i+len(".tmp.")] <= '9'
}

func alphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
