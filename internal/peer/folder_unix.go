//go:build unix

package peer

import "errors"

// folder refuses every socket. It is called only on a Unix that does not tell who is at the other end,
// for which aOa is not released. Whoever ports it there has to check through an open descriptor that
// the folder belongs to the user and that no one else can write to it.
func folder(string) error { return errors.New("this system does not tell who listens on a socket") }
