//go:build unix

package main

import (
	"fmt"
	"strings"
)

type object = map[string]any

// messages is Anthropic's Messages API.
var messages = dialect{
	asks: func(path string, body object) bool {
		tools, _ := body["tools"].([]any)
		return strings.HasSuffix(path, "/messages") && len(tools) > 0
	},
	stream: func(_ string, body object) bool { return body["stream"] == true },
	other: func(path string) any {
		switch {
		case strings.HasSuffix(path, "/count_tokens"):
			return object{"input_tokens": 10}
		case strings.HasSuffix(path, "/messages"):
			return nil
		}
		return object{}
	},
	whole: func(n int, t turn) any { return message(n, t, messageBlocks(n, t)) },
	answer: func(n int, t turn) []sse {
		start := message(n, t, []any{})
		start["stop_reason"] = nil
		out := []sse{{"message_start", object{"type": "message_start", "message": start}}}
		for i, b := range messageBlocks(n, t) {
			block := b.(object)
			empty, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
			if block["type"] == "tool_use" {
				empty = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
				delta = object{"type": "input_json_delta", "partial_json": encoded(block["input"])}
			}
			out = append(out, sse{"content_block_start", object{"type": "content_block_start", "index": i, "content_block": empty}},
				sse{"content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta}},
				sse{"content_block_stop", object{"type": "content_block_stop", "index": i}})
		}
		end := object{"type": "message_delta", "delta": object{"stop_reason": stopReason(t), "stop_sequence": nil}, "usage": object{"output_tokens": 5}}
		return append(out, sse{"message_delta", end}, sse{"message_stop", object{"type": "message_stop"}})
	},
}

func message(n int, t turn, content []any) object {
	return object{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "scripted", "content": content,
		"stop_reason": stopReason(t), "stop_sequence": nil, "usage": object{"input_tokens": max(t.tokens, 10), "output_tokens": 5}}
}

func messageBlocks(n int, t turn) (out []any) {
	for i, c := range t.calls {
		out = append(out, object{"type": "tool_use", "id": callID(n, i), "name": c.tool, "input": c.input})
	}
	if len(out) == 0 {
		out = append(out, object{"type": "text", "text": t.text})
	}
	return out
}

func stopReason(t turn) string {
	if len(t.calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func callID(n, i int) string { return fmt.Sprintf("toolu_%06d_%d", n, i) }
