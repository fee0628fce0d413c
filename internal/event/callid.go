package event

import "strings"

// callMark stands in the ids of a call's events between the agent's id of the call and the subagent's.
const callMark = ":post:"

// CallID is the id of the first event of a call, from the agent's id of the call and that of the subagent, "" for none.
// Further events of the call have a suffix that begins with a colon.
func CallID(call, subagent string) string { return call + callMark + subagent }

// CallOf takes apart what CallID made, with or without a suffix. ok is false for the id of an event of no call, and call
// is the whole id then.
func CallOf(id string) (call, subagent string, ok bool) {
	call, rest, ok := strings.Cut(id, callMark)
	subagent, _, _ = strings.Cut(rest, ":")
	return call, subagent, ok
}
