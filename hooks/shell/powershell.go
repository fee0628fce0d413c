package shell

import "strings"

// cmdlets are the PowerShell names for what the shell's commands do.
var cmdlets = map[string]string{"get-content": "cat", "gc": "cat", "cat": "cat", "type": "cat", "select-string": "grep",
	"sls":     "grep",
	"findstr": "grep", "get-childitem": "ls", "gci": "ls", "dir": "ls", "ls": "ls", "set-content": "tee",
	"out-file":     "tee",
	"add-content":  "tee",
	"set-location": "cd", "cd": "cd", "sl": "cd", "copy-item": "cp", "move-item": "mv", "remove-item": "rm",
	"write-output": "echo",
	"write-host":   "echo"}

// powershell follows a PowerShell command line roughly: it has no parser here, so it is cut at separators
// outside of quotes, and cmdlets are read as the shell's commands of the same meaning.
func (sh *walker) powershell(src string) {
	for i, part := range splitPowerShell(src) {
		words := part.words
		if len(words) == 0 {
			continue
		}
		c := command{name: words[0].text, place: place{piped: part.piped && i > 0}}
		unix := cmdlets[strings.ToLower(c.name)]
		if unix == "" {
			c.args = words
			sh.run(c)
			continue
		}
		var args, patterns []word
		for j := 1; j < len(words); j++ {
			switch w := words[j]; {
			case !w.flag():
				args = append(args, w)
			case j+1 < len(words) && strings.EqualFold(w.text, "-pattern"):
				patterns, j = append(patterns, words[j+1]), j+1
			case j+1 < len(words) &&
				strings.Contains(" -totalcount -tail -encoding -context -depth -filter -include -value -erroraction -first ",
					" "+strings.ToLower(w.text)+" "):
				j++
			}
		}
		if unix == "grep" {
			args = append(patterns, args...)
		}
		c.args = append([]word{{text: unix, ok: true}}, args...)
		sh.run(c)
	}
}

type psPart struct {
	words []word
	piped bool
}

func splitPowerShell(src string) []psPart {
	var parts []psPart
	var cur psPart
	var b strings.Builder
	quote, ok, any := byte(0), true, false
	flush := func() {
		if any {
			cur.words = append(cur.words, word{text: b.String(), ok: ok, glob: quote == 0 &&
				strings.ContainsAny(b.String(), "*?")})
		}
		b.Reset()
		ok, any = true, false
	}
	end := func(piped bool) {
		flush()
		if len(parts) < maxOps {
			parts = append(parts, cur)
		}
		cur = psPart{piped: piped}
	}
	for i := 0; i < len(src); i++ {
		switch ch := src[i]; {
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote, any = ch, true
		case quote == 0 && (ch == ' ' || ch == '\t'):
			flush()
		case quote == 0 && (ch == ';' || ch == '\n' || ch == '&' || ch == '|'):
			end(ch == '|')
		default:
			ok = ok && (ch != '$' || quote == '\'')
			any = true
			b.WriteByte(ch)
		}
	}
	end(false)
	return parts
}
