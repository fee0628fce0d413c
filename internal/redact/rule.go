package redact

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"sync"
)

// rule finds one shape of secret. A line is searched only if it holds one of the marks, which are lower case and
// compared without letter case.
type rule struct {
	marks   []string
	shape   string                      // the secret is its first group that matched, else all of it
	group   int                         // the secret is this group; 0: the first that matched
	across  bool                        // the shape spans lines
	entropy float64                     // a secret has at least so many bits for each byte
	spare   func(secret string) bool    // … is none after all; nil: never
	look    func(f *finder, lo, hi int) // finds secrets instead of a shape

	compiled func() *regexp.Regexp
}

// gitleaksJSON are rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml), Copyright (c) 2019 Zachary
// Rice, MIT License; see LICENSE.gitleaks. scripts/gitleaks.sh writes them, without those for certain files and those
// that own has. A keyword that every second line has is a longer one, no rule matches the part of a name before its
// keyword, and any sign that no token has may follow a secret.
//
//go:embed gitleaks.json
var gitleaksJSON []byte

// gitleaksRule is a rule of that file.
type gitleaksRule struct {
	ID       string
	Keywords []string
	Regex    string
	Group    int // the secret is this group; 0: the first that matched
	Entropy  float64
	Allow    string // what is no secret after all
}

func gitleaks() []gitleaksRule {
	var all []gitleaksRule
	if err := json.Unmarshal(gitleaksJSON, &all); err != nil {
		panic(err) // a test reads it
	}
	return all
}

// rules are all rules. Shapes are compiled when a text first needs them: most never are.
var rules = sync.OnceValue(func() []rule {
	all := append([]rule(nil), own...)
	for _, g := range gitleaks() {
		r := rule{marks: g.Keywords, shape: g.Regex, group: g.Group, entropy: g.Entropy}
		if allow := g.Allow; allow != "" {
			r.spare = func(secret string) bool { return regexp.MustCompile(allow).MatchString(secret) }
		}
		all = append(all, r)
	}
	for i := range all {
		shape := all[i].shape
		all[i].compiled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(shape) })
	}
	return all
})

func (r *rule) regexp() *regexp.Regexp { return r.compiled() }

// spares reports whether what matched is no secret: a placeholder, too regular, or excepted by the rule.
func (r *rule) spares(secret string) bool {
	value := secret
	if scheme, rest, two := strings.Cut(secret, " "); two && scheme != "" && !strings.ContainsAny(rest, " \n") {
		value = rest // of "Bearer $TOKEN"
	}
	return placeholder(value) || r.entropy > 0 && entropy(secret) < r.entropy || r.spare != nil && r.spare(secret)
}

// entropy is Shannon's: bits for each byte.
func entropy(s string) (h float64) {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// own are the rules beside those of gitleaks: names and commands, headers and addresses, and tokens where gitleaks asks
// for more of their surroundings than a prompt has.
var own = []rule{
	{marks: []string{"pass", "pwd", "secret", "token", "key", "cred", "auth", "sig=", "signature", "_pw", "pw=", "pw:"},
		look: (*finder).assignments},
	{marks: commandMarks, look: (*finder).commands},
	{marks: []string{"private key"}, across: true,
		shape: `(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)`},
	{marks: []string{"authorization", "api-key", "x-auth-token"},
		shape: `(?i)(?:authorization|api-key|x-auth-token)["']?\s{0,3}:\s{0,3}["']?((?:basic|bearer|token|digest|apikey)\s+[^\s"'\[\]]{4,}|[^\s"'\[\]]{16,})`},
	{marks: []string{"auth\""}, shape: `\\?"auth\\?"\s{0,3}:\s{0,3}\\?"([A-Za-z0-9+/]{6,}=*)\\?"`, spare: noPair}, // of Docker
	{marks: []string{"cookie:"}, shape: `(?i)cookie:\s{0,3}([^\s="'\[\]]{1,80}=[^\r\n"']+)`},
	{marks: []string{"-u ", " -u", "--user"},
		shape: `(?:^|\s)(?:-u\s{0,3}|--user[= ])(?:"[^\s":+%${]{1,64}:([^"\[\]/\\][^"\[\]]*)"|'[^\s':+%${]{1,64}:([^'\[\]/\\][^'\[\]]*)'|[^\s:"'\[\]+%${]{1,64}:([^\s"'\[\]/\\][^\s"'\[\]]*))`, spare: userID},
	{marks: []string{"bearer "}, shape: `(?i)\bbearer\s+([a-z0-9_\-.~+/]{12,}=*)`, spare: prose},
	{marks: []string{"://"}, shape: `://[^\s/@:"'\[\]]{0,200}:([^\s/@"'\[\]][^\s/"']{0,300})@`},
	{marks: []string{"://"}, shape: `https?://([A-Za-z0-9_\-]{20,})@`},
	{marks: []string{"discord"}, shape: `discord(?:app)?\.com/api/webhooks/([A-Za-z0-9/_\-]{16,})`},
	{marks: []string{"akia", "asia", "abia", "acca"}, shape: `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`},
	{marks: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-",
		"glsoat-", "xox", "xapp-", "ya29.", "gocspx-",
		"dckr_pat_", "figd_", "tskey-", "hvs.", "vercel_", "aiza", "pypi-"},
		shape: `\b(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt|soat)-|xox[abeprs]-|xapp-|ya29\.|GOCSPX-|dckr_pat_|figd_|tskey-[a-z]+-|hvs\.|vercel_|AIza|pypi-AgE)[A-Za-z0-9_\-]{16,}`},
	{marks: []string{"sk_live", "sk_test", "rk_live", "rk_test", "whsec_"},
		shape: `\b(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}`},
	{marks: []string{"hf_", "gsk_", "xai-", "r8_", "sbp_", "dop_v1_", "npm_", "shpat_", "lin_api_", "pplx-"},
		shape: `\b(?:hf_|gsk_|xai-|r8_|sbp_|dop_v1_|npm_|shpat_|lin_api_|pplx-)[A-Za-z0-9]{30,}`},
	{marks: []string{"sk-"}, shape: `\bsk-(?:ant-|proj-|svcacct-|admin-|or-|lf-)?[A-Za-z0-9_\-]{20,}`, spare: prose},
	{marks: []string{"password ", "passwd ", "passphrase ", "passcode "}, shape: "(?i)\\bpass(?:word|wd|phrase|code)[\"'`]?\\s+(?:is|was|to)\\s+[\"'`]?([^\\s\"'`,;]{4,})", spare: plain},
	{marks: []string{"identified by", "identified with"}, shape: `(?i)\bidentified\s+(?:with\s+\S+\s+)?(?:by|as)\s+["']([^"'\n]+)["']`},
	{marks: []string{"machine ", "default login"}, across: true, shape: `(?i)(?:machine\s+\S{1,200}|default)\s+login\s+\S{1,200}\s+password\s+(\S+)`},
	{marks: []string{"pass:"}, shape: `(?i)\s-(?:pass|passin|passout|password)\s+["']?pass:([^\s"']+)`},
	{marks: []string{"from-literal"}, shape: `--from-literal[= ]["']?[^\s="']+=(?:([^\s"']+)|"([^"]+)"|'([^']+)')`},
	{marks: []string{"-stdin", "--with-token", "sudo -s", "chpasswd"}, shape: `\b(?:echo|printf)\s+(?:-\w+\s+)*(?:["']?%s(?:\\n)?["']?\s+)?(?:"([^"\n]+)"|'([^'\n]+)'|([^\s|;&"']+))\s*\|[^|\n]*(?:-stdin|--with-token|\bsudo -S|\bchpasswd)`},
	{marks: []string{"kind:"}, across: true, look: (*finder).kubernetes},
	{marks: []string{"sqlplus"}, shape: `\bsqlplus\s+(?:-\w+\s+)*["']?[^\s/"']+/([^\s@"']+)`},
	{marks: []string{"convertto-securestring"}, shape: `(?i)convertto-securestring\s+(?:-string\s+)?["']([^"']+)["']`},
}

// userID reports whether -u user:secret is -u uid:gid.
func userID(s string) bool { return len(s) <= 5 && digitsOnly(s) }

// noPair reports whether a text is not user:secret in base64.
func noPair(s string) bool {
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err != nil || !bytes.Contains(pair, []byte(":"))
}

// prose reports whether a token is a word, or words that hyphens join: no digit, no upper case.
func prose(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
}

// plain reports whether a word of a sentence does not look like a password: letters alone, or digits alone.
func plain(s string) bool {
	s = strings.TrimRight(s, ".,:!?)")
	letters, others := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := low(s[i]); {
		case c >= 'a' && c <= 'z' || c >= 0x80:
			letters++
		case c != '-' && c != '_' && c != '/' && c != '.' && c != '(':
			others++
		}
	}
	return letters == 0 || others == 0
}

func digitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
