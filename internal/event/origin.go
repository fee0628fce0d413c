package event

import "strings"

// originLength is the length of the name of a log, as crypto/rand.Text makes it.
const originLength = 26

// IsOrigin reports whether a text has the form of the name of a log. No ID and no agent's session
// id begins with such a name.
func IsOrigin(s string) bool {
	return len(s) == originLength && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// ForeignSession returns the id that a session of another clone has here.
func ForeignSession(origin, session string) string { return origin + "/" + session }

// Foreign reports whether a session belongs to another clone.
func Foreign(session string) bool {
	origin, _, ok := strings.Cut(session, "/")
	return ok && IsOrigin(origin)
}
