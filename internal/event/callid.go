package event

import "strings"

// callMark separates the agent's id of the call from the subagent's in the ids of a call's events.
const callMark = ":post:"

// CallID returns the id of a call's first event, made of the agent's id of the call and of the
// subagent's id, if any. Further events of the call have a suffix that begins with a colon.
func CallID(call, subagent string) string { return call + callMark + subagent }

// CallOf takes apart what CallID made, with or without a suffix. ok is false for the id of an event
// of no call, and call is the whole id then.
func CallOf(id string) (call, subagent string, ok bool) {
	call, rest, ok := strings.Cut(id, callMark)
	subagent, _, _ = strings.Cut(rest, ":")
	return call, subagent, ok
}
