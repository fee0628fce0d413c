package peer

import (
	"syscall"
	"unsafe"
)

// Of accctrl.h and winnt.h. golang.org/x/sys/windows has them, too; but its name comes late in the order in which the
// packages of a program are initialized, and all before it would be initialized before a hook.
const (
	seFileObject             = 1
	ownerSecurityInformation = 1
)

// The users that own what the system and its administrators make. They can read everything anyway.
const (
	localSystem    = "S-1-5-18"
	administrators = "S-1-5-32-544"
)

// folder judges the folder of a socket by its owner: this user, an administrator or the system. Only its owner can let
// others write to it.
func folder(socket string) error {
	owner, err := ownerOf(parent(socket))
	if err != nil {
		return err
	}
	self, err := ownUser()
	if err != nil {
		return err
	}
	if owner != self && owner != localSystem && owner != administrators {
		return &Stranger{owner}
	}
	return nil
}

func ownerOf(name string) (string, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return "", err
	}
	get := syscall.NewLazyDLL("advapi32.dll").NewProc("GetNamedSecurityInfoW")
	if err := get.Find(); err != nil {
		return "", err
	}
	var owner *syscall.SID
	var descriptor syscall.Handle
	code, _, _ := get.Call(uintptr(unsafe.Pointer(path)), seFileObject, ownerSecurityInformation,
		uintptr(unsafe.Pointer(&owner)), 0, 0, 0, uintptr(unsafe.Pointer(&descriptor)))
	if code != 0 {
		return "", syscall.Errno(code)
	}
	defer func() { _, _ = syscall.LocalFree(descriptor) }()
	if owner == nil {
		return "", refusal("its folder has no owner")
	}
	return owner.String()
}

func ownUser() (string, error) {
	token, err := syscall.OpenCurrentProcessToken()
	if err != nil {
		return "", err
	}
	defer token.Close()
	user, err := token.GetTokenUser()
	if err != nil {
		return "", err
	}
	return user.User.Sid.String()
}
