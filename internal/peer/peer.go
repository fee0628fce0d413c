package peer

import (
	"os"
	"strconv"
)

// Stranger is the error of a peer, or of a folder, that belongs to another user.
type Stranger struct{ User string }

func (s *Stranger) Error() string { return "it belongs to user " + s.User }

// Listener judges the process that listens on the socket that fd is connected to. socket is its path: it counts where
// the system does not name the user. A client calls it after it has connected and before it sends anything. A look
// at the path before it connects is not enough: folders can be renamed in between.
func Listener(fd uintptr, socket string) error {
	user, known, err := userOf(fd)
	if err != nil {
		return err
	}
	if !known {
		return folder(socket)
	}
	return judge(user)
}

// Caller judges the process that has connected to a server. Where the system does not name its user, the mode of the
// socket's folder, 0700, has to keep others out.
func Caller(fd uintptr) error {
	user, known, err := userOf(fd)
	if err != nil || !known {
		return err
	}
	return judge(user)
}

func judge(user uint32) error {
	if user != 0 && int(user) != os.Getuid() {
		return &Stranger{strconv.Itoa(int(user))}
	}
	return nil
}
