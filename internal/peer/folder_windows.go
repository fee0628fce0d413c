package peer

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// folder checks the owner of the folder of a socket: it must be this user, an administrator or the
// system, which can read everything anyway. Only the owner can let others write to it.
func folder(socket string) error {
	sd, err := windows.GetNamedSecurityInfo(filepath.Dir(socket), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return err
	}
	self, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	if owner.Equals(self.User.Sid) || owner.IsWellKnown(windows.WinLocalSystemSid) ||
		owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return nil
	}
	return &Stranger{owner.String()}
}
