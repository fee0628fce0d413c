package install

import "io/fs"

func hardLinked(fs.FileInfo) bool { return false }
