package redact

import (
	"regexp"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[redacted]"

// secret is a shape of token. marks are looked for first, so that ordinary text meets no regular expression;
// they are lower case and compared without letter case.
type secret struct {
	marks []string
	shape *regexp.Regexp
	with  string
}

// secrets are tried in order: blocks, then headers and URLs, then tokens known by their prefix, then
// assignments to telling names. No rule matches its own replacement, so redacting twice changes nothing.
var secrets = []secret{
	{[]string{"private key"}, regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)`), Mark},
	{[]string{"authorization", "api-key", "x-auth-token"}, regexp.MustCompile(`(?i)((?:proxy-)?authorization|x-api-key|api-key|x-auth-token)(["']?\s{0,3}:\s{0,3}["']?)(?:(?:basic|bearer|token|digest|apikey)\s+[^\s"'\[\]]{4,}|[^\s"'\[\]]{16,})`), "$1$2" + Mark},
	{[]string{"cookie:"}, regexp.MustCompile(`(?i)(cookie:\s{0,3})[^\s="'\[\]]{1,80}=[^\r\n"']+`), "$1" + Mark},
	{[]string{"-u ", "--user"}, regexp.MustCompile(`((?:^|\s)(?:-u\s{1,3}|--user[= ])["']?[^\s:"'\[\]]{1,64}:)[^\s"'\[\]/][^\s"'\[\]]*`), "$1" + Mark},
	{[]string{"bearer "}, regexp.MustCompile(`(?i)\b(bearer\s+)[a-z0-9_\-.~+/]{12,}=*`), "$1" + Mark},
	{[]string{"://"}, regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.\-]{1,20}://[^\s/@:"'\[\]]{0,200}):[^\s/@"'\[\]][^\s/@"']{0,300}@`), "$1:" + Mark + "@"},
	{[]string{"://"}, regexp.MustCompile(`(https?://)[A-Za-z0-9_\-]{20,}@`), "$1" + Mark + "@"},
	{[]string{"hooks.slack.com/", "discord"}, regexp.MustCompile(`(hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/)[A-Za-z0-9/_\-]{16,}`), "$1" + Mark},
	{[]string{"akia", "asia", "abia", "acca"}, regexp.MustCompile(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`), Mark},
	{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,})`), Mark},
	{[]string{"glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"}, regexp.MustCompile(`\bgl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_\-.]{16,}`), Mark},
	{[]string{"xox", "xapp-"}, regexp.MustCompile(`\b(?:xox[abeprs]|xapp)-[A-Za-z0-9\-]{10,}`), Mark},
	{[]string{"sk_live", "sk_test", "rk_live", "rk_test", "whsec_"}, regexp.MustCompile(`\b(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}`), Mark},
	{[]string{"aiza", "ya29.", "gocspx-"}, regexp.MustCompile(`\b(?:AIza[A-Za-z0-9_\-]{35}|ya29\.[A-Za-z0-9_\-]{20,}|GOCSPX-[A-Za-z0-9_\-]{20,})`), Mark},
	{[]string{"sk-"}, regexp.MustCompile(`\bsk-(?:ant-|proj-|svcacct-|admin-|or-|lf-)?[A-Za-z0-9_\-]{20,}`), Mark},
	{[]string{"npm_", "pypi-", "dop_v1_", "hf_", "sg.", "shpat_", "dckr_pat_", "lin_api_", "figd_", "pplx-", "gsk_", "xai-", "r8_", "tskey-", "hvs.", "vercel_", "sbp_", "age-secret-key-"},
		regexp.MustCompile(`\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_\-]{40,}|dop_v1_[a-f0-9]{40,}|hf_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|shpat_[a-fA-F0-9]{32}|dckr_pat_[A-Za-z0-9_\-]{20,}|lin_api_[A-Za-z0-9]{30,}|figd_[A-Za-z0-9_\-]{30,}|pplx-[A-Za-z0-9]{40,}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|tskey-[a-z]+-[A-Za-z0-9\-]{16,}|hvs\.[A-Za-z0-9_\-]{20,}|vercel_[A-Za-z0-9_]{20,}|sbp_[a-f0-9]{32,}|AGE-SECRET-KEY-1[A-Z0-9]{50,})`), Mark},
	{[]string{"eyj"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?`), Mark},
	{assignMarks, regexp.MustCompile(`(?i)([a-z0-9_\-.]{0,60}(?:passw(?:or)?d|passwd|passphrase|secret|token|api_?-?key|apikey|access_?-?key|private_?-?key|credential)s?[a-z0-9_\-]{0,40}["']?\s{0,3}(?:=|:=|:)\s{0,3})("[^"\r\n\[$<]{6,}"|'[^'\r\n\[$<]{6,}'|[^\s"'\[\]$<>(){},;]{8,})`), ""},
	{[]string{"--password", "--token", "--secret", "--api-key", "--apikey"}, regexp.MustCompile(`(?i)(--(?:[a-z]+-)?(?:password|token|secret|api-?key)\s+)["']?[^\s"'\-$\[][^\s"'\[\]]{5,}["']?`), "$1" + Mark},
}

// assignMarks introduce KEY=secret, "key": "secret" and the like.
var assignMarks = []string{"passw", "passphrase", "secret", "token", "api_key", "api-key", "apikey", "access_key", "access-key",
	"accesskey", "private_key", "private-key", "privatekey", "credential"}

// Text takes out of a text what must never be stored: spans marked <private>…</private> (an unclosed one to
// the end), private keys, authorization headers, passwords in URLs, tokens of well-known services and
// values assigned to names that tell of a secret. It costs about 3 µs per kilobyte of text without secrets, and
// Text(Text(s)) = Text(s). It is a net, not a wall: a password in plain prose passes.
func Text(s string) string {
	s = Private(s)
	hits := triggers.scan(s)
	for i, rule := range secrets {
		if hits&(1<<i) == 0 {
			continue
		}
		before := s
		if rule.with == "" {
			s = rule.shape.ReplaceAllStringFunc(s, func(m string) string { return assigned(rule.shape, m) })
		} else {
			s = rule.shape.ReplaceAllString(s, rule.with)
		}
		if s != before {
			hits = triggers.scan(s)
		}
	}
	return s
}

// trigger finds the marks of all rules in one pass over a text: by their first two bytes, then as a whole.
type trigger struct {
	pairs [1 << 16 / 64]uint64
	marks map[uint16][]mark
}

type mark struct {
	text string
	rule int
}

var triggers = newTrigger()

func newTrigger() *trigger {
	t := &trigger{marks: map[uint16][]mark{}}
	for i, rule := range secrets {
		for _, m := range rule.marks {
			pair := uint16(m[0])<<8 | uint16(m[1])
			t.pairs[pair/64] |= 1 << (pair % 64)
			t.marks[pair] = append(t.marks[pair], mark{m, i})
		}
	}
	return t
}

// scan is the set of rules, as bits, of which a mark is in s.
func (t *trigger) scan(s string) (hits uint64) {
	prev := byte(0)
	for i := 0; i < len(s); i++ {
		c := low(s[i])
		pair := uint16(prev)<<8 | uint16(c)
		prev = c
		if t.pairs[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, m := range t.marks[pair] {
			if hits&(1<<m.rule) == 0 && begins(s[i-1:], m.text) {
				hits |= 1 << m.rule
			}
		}
	}
	return hits
}

// begins reports whether s begins with lower-case text, whatever the letter case of s.
func begins(s, text string) bool {
	if len(s) < len(text) {
		return false
	}
	for i := 0; i < len(text); i++ {
		if low(s[i]) != text[i] {
			return false
		}
	}
	return true
}

func low(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// assigned replaces the value of an assignment if it can be a secret: program text (token := lexer.next) and
// words are spared by asking unquoted values for a digit, and `:` values too.
func assigned(shape *regexp.Regexp, match string) string {
	m := shape.FindStringSubmatch(match)
	if m == nil {
		return match
	}
	name, value := m[1], strings.Trim(m[2], `"'`)
	quoted := value != m[2]
	shell := strings.HasSuffix(strings.TrimRight(name, " "), "=") && !strings.HasSuffix(name, " ") && !strings.Contains(name, ":=")
	if strings.ContainsRune(value, ' ') && !shell || !quoted && !shell && !strings.ContainsAny(value, "0123456789") || strings.Contains(value, "/") && !strings.ContainsAny(value, "0123456789") {
		return match
	}
	if quoted {
		return name + m[2][:1] + Mark + m[2][:1]
	}
	return name + Mark
}

// Private drops spans between <private> and </private>, nested ones and any letter case included.
func Private(s string) string {
	const begin, end = "<private>", "</private>"
	if strings.IndexByte(s, '<') < 0 {
		return s
	}
	low := lower(s)
	if !strings.Contains(low, begin) {
		return s
	}
	var b strings.Builder
	for depth := 0; low != ""; {
		open, shut := strings.Index(low, begin), strings.Index(low, end)
		cut := len(low)
		switch {
		case open >= 0 && (shut < 0 || open < shut):
			cut = open + len(begin)
			if depth == 0 {
				b.WriteString(s[:open])
			}
			depth++
		case shut >= 0:
			cut = shut + len(end)
			if depth == 0 {
				b.WriteString(s[:cut])
			}
			depth = max(0, depth-1)
		case depth == 0:
			b.WriteString(s)
		}
		s, low = s[cut:], low[cut:]
	}
	// What was taken out may have held two halves of another mark apart.
	return Private(b.String())
}

// lower lowers ASCII only: byte offsets stay the same, which strings.ToLower does not promise.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
