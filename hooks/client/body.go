package client

// where says which part of a payload is being copied.
type where uint8

const (
	top      where = iota // the payload's own members
	input                 // inside a tool's arguments
	result                // a tool's result itself
	response              // inside a tool's result
	file                  // inside the file of a result
	calls                 // the list of a batch
	one                   // a call of a batch
	swap                  // a text that an edit replaces, or puts in its place
	other
)

// place says where a member's value belongs and whether it is dropped: file bodies never leave this process. The two
// texts of an edit do, once it is done: it cannot be done again without them.
func (s *scan) place(at where, key string) (to where, drop bool) {
	switch key {
	case "old_string", "new_string":
		return swap, at != input || s.event != "PostToolUse"
	case "oldString", "newString", "originalFile", "structuredPatch", "gitDiff",
		"old_source", "new_source", "original_file", "updated_file", "base64", "cells",
		"old_str", "new_str", "file_text", "fileDiff", "originalContent", "newContent":
		return other, true
	case "content":
		drop = at == top || at == input || at == file || at == response && carriesBody(s.tool)
	}
	if at != top && at != one {
		if at == response && key == "file" {
			return file, drop
		}
		return at, drop
	}
	switch key {
	case "tool_input", "toolArgs":
		return input, drop
	case "tool_response", "tool_result", "tool_output", "toolResult":
		return result, drop
	case "tool_calls":
		return calls, drop
	}
	return other, drop
}

// keep is how much of a string is kept there. The result of a tool that carries a body is an error message or
// the body itself: its first line tells which, and is all that is needed.
func (s *scan) keep(at where) keep {
	if at == swap {
		return keep{limit: maxSwap, all: true}
	}
	if (at == result || at == response || at == file) && carriesBody(s.tool) {
		return keep{limit: maxKey, line: true, sentence: at == result}
	}
	return keep{limit: freeText + maxText}
}

// carriesBody names the tools whose result is, or quotes, a file's content.
func carriesBody(tool string) bool {
	switch tool {
	case "Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "NotebookRead",
		"read_file", "read_many_files", "write_file", "replace", "edit", "view", "create", "str_replace_editor",
		"read", "write", "multiedit", "StrReplace":
		return true
	}
	return false
}

// note remembers the strings that this process itself needs.
func (s *scan) note(at where, key string, raw []byte) {
	switch key {
	case "tool_name", "toolName":
		if at == top || at == one {
			s.tool = unquote(raw)
		}
	case "hook_event_name", "hookEventName":
		if at == top {
			s.event = unquote(raw)
		}
	case "cwd":
		if at == top {
			s.cwd = unquote(raw)
		}
	}
}
