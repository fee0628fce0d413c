package event

import "strings"

// callMark separates the agent's id of a call from the id of the subagent, in the ids of the call's
// events.
const callMark = ":post:"

// CallID returns the id for the first event of a call, from the agent's id of the call and the id
// of the subagent, if any. Further events of the call append a suffix that begins with a colon.
func CallID(call, subagent string) string { return call + callMark + subagent }

// CallOf splits an id made by CallID, with or without a suffix. If the event belongs to no call, ok
// is false and call is the whole id.
func CallOf(id string) (call, subagent string, ok bool) {
	call, rest, ok := strings.Cut(id, callMark)
	subagent, _, _ = strings.Cut(rest, ":")
	return call, subagent, ok
}
