package stage

// notFolder reports whether a part of the path that should be a folder is something else; Windows calls it not found.
func notFolder(error) bool { return false }
