//go:build unix

package clients

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
			out = append(out, sse{"content_block_start", object{"type": "content_block_start", "index": i,
				"content_block": empty}},
				sse{"content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta}},
				sse{"content_block_stop", object{"type": "content_block_stop", "index": i}})
		}
		end := object{"type": "message_delta", "delta": object{"stop_reason": stopReason(t), "stop_sequence": nil},
			"usage": object{"output_tokens": 5}}
		return append(out, sse{"message_delta", end}, sse{"message_stop", object{"type": "message_stop"}})
	},
}

func message(n int, t turn, content []any) object {
	return object{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": "scripted",
		"content":     content,
		"stop_reason": stopReason(t), "stop_sequence": nil, "usage": object{"input_tokens": max(t.tokens, 10),
			"output_tokens": 5}}
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

// responses is OpenAI's Responses API, as Codex uses it.
var responses = dialect{
	asks: func(path string, body object) bool {
		tools, _ := body["tools"].([]any)
		return strings.HasSuffix(path, "/responses") && len(tools) > 0
	},
	stream: func(path string, _ object) bool { return strings.HasSuffix(path, "/responses") },
	other: func(path string) any {
		if strings.HasSuffix(path, "/responses") {
			return nil
		}
		return object{"data": []any{}, "models": []any{}}
	},
	answer: func(n int, t turn) []sse {
		id := fmt.Sprintf("resp_%d", n)
		out := []sse{{"response.created", object{"type": "response.created", "response": object{"id": id}}}}
		items := []object{}
		for i, c := range t.calls {
			item := object{"type": "function_call", "id": fmt.Sprintf("fc_%d_%d", n, i), "call_id": callID(n, i),
				"name": c.tool, "arguments": encoded(c.input)}
			if patch, ok := c.input["patch"]; ok { // a tool whose argument is a text and not an object
				item = object{"type": "custom_tool_call", "id": fmt.Sprintf("ct_%d_%d", n, i), "call_id": callID(n, i),
					"name": c.tool, "input": patch}
			}
			items = append(items, item)
		}
		if len(items) == 0 {
			items = append(items, object{"type": "message", "role": "assistant", "id": fmt.Sprintf("m_%d", n),
				"content": []any{object{"type": "output_text", "text": t.text}}})
		}
		for _, item := range items {
			out = append(out, sse{"response.output_item.done", object{"type": "response.output_item.done", "item": item}})
		}
		usage := object{"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 5, "output_tokens_details": nil,
			"total_tokens": 15}
		return append(out, sse{"response.completed", object{"type": "response.completed",
			"response": object{"id": id, "usage": usage}}})
	},
}

// completions is OpenAI's Chat Completions API, which many clients speak.
var completions = dialect{
	asks: func(path string, body object) bool {
		tools, _ := body["tools"].([]any)
		return strings.HasSuffix(path, "/chat/completions") && len(tools) > 0
	},
	stream: func(_ string, body object) bool { return body["stream"] == true },
	other: func(path string) any {
		if strings.HasSuffix(path, "/chat/completions") {
			return nil
		}
		return object{"object": "list", "data": []any{}}
	},
	whole: func(n int, t turn) any { return completion(n, t, "message") },
	answer: func(n int, t turn) []sse {
		full := completion(n, t, "delta")
		full["object"] = "chat.completion.chunk"
		return []sse{{"", full}, {"", plain("[DONE]")}}
	},
}

// plain is data that is not JSON.
type plain string

func completion(n int, t turn, key string) object {
	said := object{"role": "assistant", "content": t.text}
	why := "stop"
	if len(t.calls) > 0 {
		calls := []any{}
		for i, c := range t.calls {
			calls = append(calls, object{"index": i, "id": callID(n, i), "type": "function",
				"function": object{"name": c.tool, "arguments": encoded(c.input)}})
		}
		said, why = object{"role": "assistant", "content": nil, "tool_calls": calls}, "tool_calls"
	}
	return object{"id": fmt.Sprintf("chat_%d", n), "object": "chat.completion", "created": 1, "model": "scripted",
		"choices": []any{object{"index": 0, key: said, "finish_reason": why}},
		"usage":   object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
}

// generation is Google's Gemini API.
var generation = dialect{
	asks: func(path string, body object) bool {
		tools, _ := body["tools"].([]any)
		return strings.Contains(path, "enerateContent") && len(tools) > 0
	},
	stream: func(path string, _ object) bool { return strings.HasSuffix(path, ":streamGenerateContent") },
	other: func(path string) any {
		switch {
		case strings.HasSuffix(path, ":countTokens"):
			return object{"totalTokens": 10}
		case strings.Contains(path, "enerateContent"):
			return nil
		}
		return object{}
	},
	whole:  func(n int, t turn) any { return candidate(n, t) },
	answer: func(n int, t turn) []sse { return []sse{{"", candidate(n, t)}} },
}

func candidate(n int, t turn) object {
	parts := []any{}
	for i, c := range t.calls {
		parts = append(parts, object{"functionCall": object{"id": callID(n, i), "name": c.tool, "args": c.input}})
	}
	if len(parts) == 0 {
		parts = append(parts, object{"text": t.text})
	}
	return object{"candidates": []any{object{"index": 0, "finishReason": "STOP",
		"content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}
}
