package client

import "syscall"

// detachedProcess is DETACHED_PROCESS of the Windows API: no console.
const detachedProcess = 0x8

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}
