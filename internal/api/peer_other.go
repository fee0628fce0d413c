//go:build !linux

package api

import "net"

// checkPeer leaves it to the socket folder's mode, 0700.
func checkPeer(net.Conn) error { return nil }
