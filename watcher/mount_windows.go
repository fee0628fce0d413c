package watcher

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkMount reports whether a folder lies on a mapped drive or a share.
func networkMount(dir string) bool {
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	return err == nil && windows.GetDriveType(volume) == windows.DRIVE_REMOTE
}
