package redact

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/index"
)

// reference matches values that are filled in elsewhere: variables, templates, placeholders.
var reference = index.LazyRegexp(`^(?:` +
	// $X, {{x}}, %s
	`\$+[A-Za-z_][\w:.]*|\$\d|\$[@*#?!]|\$\{[^}]*\}|\$\(.*\)|\$\([^)]*|\$\{\{.*\}\}|\{\{.*\}\}|\{[\w.:$\-]*\}|%[A-Za-z_]\w*%|%\(?\w*\)?[sdvqr@]|` +
	`<[^>]*>?|@[A-Z_]+@|\[[A-Z_ -]+\]|\*+|\.{2,}|…|[xX]{3,}|-+|_+|` + // <x>, ***, ...
	`(?i:your|my|the|some|insert|enter|replace|put|paste|add)[-_ ].*|(?i:your)[A-Z].*` + // your-password
	`)$`)

// placeholder reports whether a value obviously only stands in for a secret.
func placeholder(v string) bool {
	if v == "" || strings.HasPrefix(v, Mark) || strings.HasPrefix(Mark, v) {
		return true
	}
	v = strings.Trim(v, `"'`)
	return v == "" || known().nothing[strings.ToLower(v)] || len(v) <= maxContext && reference().MatchString(v)
}

// how tells how a value was given to its name.
type how uint8

const (
	tight    how = iota // name=value
	spaced              // name = value, name := value
	colon               // name: value
	compared            // name == value
	option              // --name value
	beside              // PASSWORD 'value'
	element             // <name>value</name>
	fallback            // ${name:-value}
	exported            // setx NAME value
)

// value is the text after a name, with everything that is needed to decide whether it is a secret.
type value struct {
	text   string
	kind   family
	likely bool // the name is not known, so only a value that looks like a secret counts
	how    how
	quoted bool
	shout  bool   // the name is in capitals, like an environment variable
	inCall bool   // an opening bracket precedes the name
	rest   string // the rest of the line after the value
}

// next returns the byte after the value.
func (v value) next() byte {
	if v.rest == "" {
		return ' '
	}
	return v.rest[0]
}

// secret reports whether the value is a secret.
func (v value) secret() bool {
	text := v.text
	if !v.quoted && v.how != tight && v.how != fallback {
		text = strings.TrimRight(text, ".,:!?")
	}
	switch {
	case placeholder(text), strings.HasPrefix(text, "id=") && v.kind == medium:
		return false
	case (v.likely || v.kind == weak) && v.how != exported && !random(text):
		return v.likely && len(text) >= 8 && hasDigit(text) && (v.quoted || v.how == tight) &&
			!path(text) && !digitsOnly(text)
	case digitsOnly(text):
		return v.kind >= strong && (v.kind != counted || len(text) > 3) || len(text) > 8
	case v.kind == folder && path(text):
		return false
	case v.how == element, v.how == fallback, v.how == exported:
		return !refers(text)
	case v.quoted:
		return v.quotedSecret()
	case v.how == option:
		return v.optionSecret()
	case v.how == beside:
		return false
	case strings.IndexByte("[({*^\\+|&!", text[0]) >= 0, path(text) && !random(text):
		return false
	case v.how == tight:
		return v.tightSecret()
	default:
		return v.looseSecret(text)
	}
}

func (v value) quotedSecret() bool {
	switch {
	case v.how == beside:
		return v.shout || hasDigit(v.text) && !strings.Contains(v.text, " ")
	case strings.ContainsAny(v.text, " \t"):
		return (v.how == tight && !v.inCall || v.how == option) && v.kind >= strong
	case strings.Contains(v.text, "/") && !hasDigit(v.text) && (v.kind < strong || path(v.text)):
		return false
	case strings.IndexByte("[({*^\\|", v.text[0]) >= 0 && v.kind < strong:
		return false
	}
	return !refers(v.text) || v.shout && v.how == tight
}

func (v value) optionSecret() bool {
	if v.text[0] == '-' || known().articles[strings.ToLower(strings.TrimRight(v.text, ".,:;!?)"))] {
		return false
	}
	return v.kind >= strong || len(v.text) >= 6 && !path(v.text)
}

// tightSecret decides about name=value without quotes. In a shell any value may be a secret; in a
// program a value that is a name is not one.
func (v value) tightSecret() bool {
	next := v.next()
	switch {
	case next == '(' || next == '[', member(v.text) && !random(v.text):
		return false
	case refers(v.text):
		return v.shout
	case v.inCall && (next == ')' || strings.HasPrefix(v.rest, ", ")):
		return v.shout || !identifier(v.text)
	}
	return true
}

// pair matches another name with its value, because in a commit's subject the lines of a settings
// file may be joined by blanks.
var pair = index.LazyRegexp(`^[\w-]+:\s+\S`)

// looseSecret decides about values without quotes that follow spaces or a colon: in settings,
// programs and sentences.
func (v value) looseSecret(text string) bool {
	next := v.next()
	digits := hasDigit(text)
	if next == '(' || next == '[' || member(text) && !random(text) || refers(strings.TrimRight(text, "0123456789")) {
		return false
	}
	end := strings.TrimLeft(v.rest, " \t")
	ends := end == "" || pair().MatchString(end) || strings.HasPrefix(end, "#") || strings.HasPrefix(end, "//")
	if v.kind == counted && v.shout && v.how == colon {
		return false // A test reports its result in this way, as in PASS: TestX.
	}
	if v.kind < strong {
		return digits && len(text) >= 6 && !plain(text) || random(text)
	}
	if digits || !identifier(text) {
		return !plain(text) && len(text) >= 4
	}
	// The text has only letters. In a settings file it may be a secret; elsewhere it is a type, a
	// variable or a word.
	return v.how == colon && ends && (v.rest == end || pair().MatchString(end)) && v.kind != counted &&
		!upper(text[0]) && !camel(text)
}

// identifier reports whether a text can be a variable in a program, without digits.
func identifier(text string) bool { return !hasDigit(text) && consistsOf(text, "_$") }

func camel(text string) bool {
	for i := 1; i < len(text); i++ {
		if upper(text[i]) {
			return true
		}
	}
	return false
}

// member reports whether a text is a field of something in a program: user.password,
// config.auth.token.
func member(text string) bool {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "->", "."), "?.", ".")
	text = strings.TrimLeft(text, "&*!$@")
	parts := strings.Split(text, ".")
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		if p == "" || digit(p[0]) || !consistsOf(p, "_") {
			return false
		}
	}
	kind, _ := announces(parts[len(parts)-1])
	return kind != none || known().roots[strings.ToLower(parts[0])] || !hasDigit(text)
}

// path reports whether a value is the name of a file, or an address without a password.
func path(v string) bool {
	for _, begin := range []string{"/", "./", "../", "~/", "~", "http://", "https://", "file:"} {
		if strings.HasPrefix(v, begin) {
			return true
		}
	}
	return len(v) > 3 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
}
