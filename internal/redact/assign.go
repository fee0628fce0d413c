package redact

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/index"
)

// Limits in bytes, so that no crafted text can make redaction slow.
const (
	maxValue   = 4 << 10 // bytes of a value that are examined
	maxContext = 512     // bytes before and after a name that are read to find out where the name occurs
	maxSetter  = 128     // bytes of a command that gives a value to a name
)

// assignments finds, in [lo, hi), values of names that announce a secret: NAME=value, "name":
// "value", name: value, --name value, <name>value</name>, ${NAME:-value}.
func (f *finder) assignments(lo, hi int) {
	s := f.text[:hi]
	for i := lo; i < hi; i++ {
		if !nameByte(s[i]) {
			continue
		}
		begin := i
		for i < hi && nameByte(s[i]) {
			i++
		}
		kind, likely := announces(s[begin:i])
		if kind == none {
			continue
		}
		n := name{text: s, lo: max(lo, begin-maxContext), from: begin, to: i}
		how, at, ok := n.separator(kind)
		if !ok {
			continue
		}
		v := value{kind: kind, likely: likely, how: how, shout: shouts(s[begin:i]),
			inCall: strings.IndexByte(s[n.lo:begin], '(') >= 0}
		from, to, quoted := n.value(how, at)
		if from >= to {
			continue
		}
		v.text, v.quoted, v.rest = s[from:to], quoted, s[to:]
		if v.secret() {
			f.add(from, to)
			i = max(i, to-1)
		}
	}
}

func nameByte(c byte) bool { return alnum(c) || c == '_' || c == '-' || c == '.' }

// shouts reports whether a name is in capitals, as variables of the environment are.
func shouts(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r >= 'A' && r <= 'Z' }) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// name is a name in a text, with its surroundings.
type name struct {
	text     string
	lo       int // the beginning of its line, or of the part that is looked at
	from, to int
}

// operators has the operators between a name and its value, longest first.
var operators = []struct {
	text string
	how  how
}{{"===", compared}, {"!==", compared}, {"||=", spaced}, {"??=", spaced}, {"::=", spaced}, {"==", compared}, {"!=",
	compared}, {"=>", spaced}, {"=~", compared},
	{":=", spaced}, {"?=", spaced}, {"+=", spaced}, {"=", tight}, {":", colon}}

// typed matches the type of a variable between its name and its value: "password: str = ",
// "dbPassword string = ".
var typed = index.LazyRegexp(`^(?::\s*|\s+)[A-Za-z&*][\w<>\[\].|?&*: ]{0,40}?\s*=\s*["']`)

// separator returns how the name gets its value, and where the value begins.
func (n name) separator(kind family) (how how, at int, ok bool) {
	s, i := n.text, n.to
	switch {
	case i < len(s) && n.from > 0 && s[i] == '>' && s[n.from-1] == '<':
		return element, i + 1, true
	case i < len(s) && n.from > 0 && quote(s[i]) && s[n.from-1] == s[i]:
		i++
	case strings.HasPrefix(s[i:], `\"`) && strings.HasSuffix(s[:n.from], `\"`):
		i += 2
	case strings.HasSuffix(s[:n.from], "${") && (strings.HasPrefix(s[i:], ":-") || strings.HasPrefix(s[i:], ":=")):
		return fallback, i + 2, true
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	if m := typed().FindStringIndex(s[i:]); m != nil {
		return spaced, i + m[1] - 1, true
	}
	at = i
	for at < len(s) && blank(s[at]) && at-i < 32 {
		at++
	}
	for _, op := range operators {
		if !strings.HasPrefix(s[at:], op.text) {
			continue
		}
		if op.text == ":" && (strings.HasPrefix(s[at:], "::") || strings.HasPrefix(s[at:], "://")) {
			return 0, 0, false
		}
		end := at + len(op.text)
		if op.how == tight && (at > i || end < len(s) && blank(s[end])) {
			return spaced, end, true
		}
		return op.how, end, true
	}
	switch {
	case at < len(s) && s[at] == ',' && i > n.to: // define("NAME", "value")
		return beside, at + 1, true
	case at == i:
		return 0, 0, false
	case kind >= medium && sets().MatchString(s[max(n.lo, n.from-maxSetter):n.from]):
		return exported, at, true
	case s[n.from] == '-' && n.from+1 < n.to && (n.from == n.lo || blank(s[n.from-1]) || quote(s[n.from-1])):
		return option, at, true
	case kind >= strong && kind != counted && at < len(s) && (s[at] == '\'' || s[at] == '"'):
		return beside, at, true
	}
	return 0, 0, false
}

// sets matches the beginning of a command that gives a value to a name, such as setx NAME VALUE or
// aws configure set NAME VALUE.
var sets = index.LazyRegexp(`(?:^|[\s;&|])(?:setx|setenv|ENV|ARG|set[ \t]+(?:-\w*x\w*|--export)|` +
	`(?:aws|npm|yarn|pnpm|pip|composer|poetry|gcloud)[ \t][^\n|;&]*?(?:set|config))[ \t]+\S*$`)

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// value returns where the value is, without its quotes.
func (n name) value(how how, at int) (from, to int, quoted bool) {
	s := n.text
	switch how {
	case element:
		return at, at + max(0, strings.IndexByte(s[at:], '<')), false
	case fallback:
		return at, at + max(0, strings.IndexByte(s[at:], '}')), false
	}
	for at < len(s) && blank(s[at]) {
		at++
	}
	if at+1 < len(s) && strings.IndexByte("bBrRfFuU@$", s[at]) >= 0 && (s[at+1] == '"' || s[at+1] == '\'') {
		at++ // b"…", $'…'
	}
	if at >= len(s) {
		return at, at, false
	}
	if strings.HasPrefix(s[at:], `\"`) || strings.HasPrefix(s[at:], `\'`) {
		if end := strings.Index(s[at+2:], s[at:at+2]); end >= 0 && end <= maxValue {
			return at + 2, at + 2 + end, true
		}
		return at, at, false
	}
	if strings.HasPrefix(s[at:], `"""`) {
		end := strings.Index(s[at+3:], `"""`)
		return at + 3, at + 3 + max(0, end), true
	}
	if quote(s[at]) {
		if n.closes(at) || s[at] == '`' && how == tight {
			return at, at, false
		}
		if end := closing(s[at+1:], s[at]); end >= 0 {
			if to = at + end + 2; to < len(s) && quote(s[to]) && s[to] != '`' {
				return at + 1, to + run(s[to+1:], false, false) + 1, true // 'one word'"of a shell"
			}
			return at + 1, at + 1 + end, true
		}
		at++ // the quote never ends, because the text was cut
	}
	list, phrases := n.semicolons()
	return at, at + run(s[at:], list, phrases), false
}

// closes reports whether the quote at a place ends a quoted text that began before the name:
// 'password=' src.
func (n name) closes(at int) bool {
	s, c := n.text, n.text[at]
	if at+1 < len(s) && strings.IndexByte(" \t\r,);|]}.:<>\\", s[at+1]) < 0 {
		return false
	}
	return strings.Count(s[n.lo:n.from], string(c))%2 == 1 &&
		!(n.from > 0 && s[n.from-1] == c && n.to < len(s) && s[n.to] == c)
}

// closing returns where a quoted text ends, -1 if it does not.
func closing(s string, q byte) int {
	for i := 0; i < len(s) && i <= maxValue; i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == q:
			return i
		}
	}
	return -1
}

// semicolons reports whether the name is in a list separated by semicolons, as in A=1;Password=p&w,
// and whether that is a connection string, whose values may contain blanks.
func (n name) semicolons() (list, phrases bool) {
	before, behind := n.text[n.lo:n.from], n.text[n.to:min(len(n.text), n.to+maxContext)]
	phrases = strings.IndexByte(behind, ';') >= 0 && connects().MatchString(behind)
	if i := strings.LastIndexByte(before, ';'); i >= 0 {
		list = strings.TrimLeft(before[i+1:], " ") == "" && strings.IndexByte(before[:i], '=') >= 0 &&
			!strings.HasSuffix(before, " ")
		phrases = phrases || list && connected().MatchString(before)
	}
	return list || phrases, phrases
}

// connectionPart matches parts of a connection string that occur before or after a password.
const connectionPart = `(?:server|data source|host|user id|uid|database|initial catalog|encrypt|endpointsuffix|accountname)=`

var (
	connected = index.LazyRegexp(`(?i)(?:^|[;"'\s])` + connectionPart)
	connects  = index.LazyRegexp(`(?i);` + connectionPart)
)

// run returns the length of a value without quotes. In a list separated by semicolons only a
// semicolon ends it; with phrases, not even a blank does.
func run(s string, semicolons, phrases bool) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if i > maxValue || c == '"' || c == ';' || c == '\'' || c == '`' || c == '\n' || blank(c) && !phrases {
			return i
		}
		if semicolons {
			continue
		}
		switch c {
		case '<', '>', '(', ')', ']', '}':
			if c == '<' && i == 0 {
				if end := strings.IndexByte(s, '>'); end > 0 {
					return end + 1
				}
			}
			return i
		case '[':
			if !strings.HasPrefix(s[i:], Mark) {
				return i + btoi(i == 0)
			}
			i += len(Mark) - 1
		case '$', '{':
			i += nested(s[i:])
		case '\\':
			if i+1 < len(s) && strings.IndexByte(`nrt"'`, s[i+1]) >= 0 {
				return i
			}
			i++ // an escaped blank in a shell
		case '|':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '|' {
				return i
			}
		case '&':
			if i+1 == len(s) || blank(s[i+1]) || s[i+1] == '&' || assigns(s[i+1:]) || strings.HasPrefix(s[i:], "&amp;") {
				return i
			}
		case ',':
			if i+1 == len(s) || blank(s[i+1]) || assigns(s[i+1:]) || strings.IndexByte(`"'`, s[i+1]) >= 0 {
				return i
			}
		}
	}
	return len(s)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// assigns reports whether s begins with "name=".
func assigns(s string) bool {
	i := 0
	for i < len(s) && nameByte(s[i]) {
		i++
	}
	return i > 0 && i < len(s) && s[i] == '='
}

// nested returns the length of $(…), ${…} or {…} without the last bracket; 0 if it is not closed.
func nested(s string) int {
	i := 0
	if s[0] == '$' {
		i++
	}
	if i >= len(s) || s[i] != '(' && s[i] != '{' {
		return 0
	}
	open, shut := s[i], byte('}')
	if open == '(' {
		shut = ')'
	}
	depth := 0
	for ; i < len(s) && i < maxValue; i++ {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// In a Kubernetes secret every value is a secret, whatever its name.
var (
	secretKind = index.LazyRegexp(`(?im)^[ \t]*kind:[ \t]*["']?secret\b`)
	secretData = index.LazyRegexp(`(?m)^[ \t]*(?:data|stringData):[ \t]*\r?\n((?:[ \t]+.*(?:\n|\z))+)`)
	yamlValue  = index.LazyRegexp(`(?m)^[ \t]+["']?[\w.\-]+["']?:[ \t]+["']?([^\s"'][^\n"']*)`)
)

func (f *finder) kubernetes(lo, hi int) {
	s := f.text[lo:hi]
	if !secretKind().MatchString(s) {
		return
	}
	for _, m := range secretData().FindAllStringSubmatchIndex(s, -1) {
		for _, v := range yamlValue().FindAllStringSubmatchIndex(s[m[2]:m[3]], -1) {
			if !placeholder(s[m[2]+v[2] : m[2]+v[3]]) {
				f.add(lo+m[2]+v[2], lo+m[2]+v[3])
			}
		}
	}
}
