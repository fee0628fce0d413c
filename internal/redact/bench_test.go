package redact

import (
	"strings"
	"testing"
)

// plainLine holds no secret; sessionLine is what agents run and print, with a secret every few lines.
const (
	plainLine   = "please look at the basket picker in pick/picker.go and tell me why it panics\n"
	sessionLine = "go test ./auth -run TestToken && grep -rn 'apiKey' src | head -20\nPASS=12 FAIL=0, the token is expired: see key.go\n" +
		"curl -H 'Authorization: Bearer abcdefghijklmnop' https://x.example/jira?page=2\nDB_PASSWORD=hunter2 make migrate # for linear and discord\n"
)

func BenchmarkText(b *testing.B) {
	for _, c := range []struct {
		name, line string
		size       int
	}{{"prose-1KB", plainLine, 1 << 10}, {"prose-30KB", plainLine, 30 << 10}, {"session-1KB", sessionLine,
		1 << 10}, {"session-30KB", sessionLine, 30 << 10}} {
		text := strings.Repeat(c.line, c.size/len(c.line)+1)[:c.size]
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}
