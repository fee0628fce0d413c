package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/index"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

// secretSamples are made up when the test runs, so that no file of this repository looks like it
// holds a secret.
func secretSamples() map[string]string {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(n int, from string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[rng.IntN(len(from))]
		}
		return string(b)
	}
	const upper, low, num, hex = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789", "0123456789abcdef"
	any := upper + low + num
	return map[string]string{
		"aws id": "AK" + "IA" + pick(16, upper+num), "aws session id": "AS" + "IA" + pick(16, upper+num),
		"github": "gh" + "p_" + pick(36, any), "github server": "gh" + "s_" + pick(36,
			any), "github fine": "github" + "_pat_" + pick(22, any) + "_" + pick(59, any),
		"gitlab": "gl" + "pat-" + pick(20, any), "slack bot": "xo" + "xb-" + pick(12, num) + "-" + pick(24,
			any), "slack app": "xa" + "pp-1-" + pick(20, any),
		"stripe": "sk" + "_live_" + pick(24, any), "stripe restricted": "rk" + "_test_" + pick(24,
			any), "google": "AI" + "za" + pick(35, any+"_-"),
		"google oauth": "ya" + "29." + pick(40, any), "openai": "sk" + "-proj-" + pick(40,
			any), "openai old": "sk" + "-" + pick(48, any), "anthropic": "sk" + "-ant-api03-" + pick(80, any+"_-"),
		"aws id of base 32": "AK" + "IA" + pick(16, upper+"234567"), "slack hook": "https://hooks.sla" + "ck.com/services/T" +
			pick(8, upper+num) + "/B" + pick(8, upper+num) + "/" + pick(24, any),
		"google client": "GOC" + "SPX-" + pick(28, any), "docker": "dck" + "r_pat_" + pick(27,
			any), "groq": "gs" + "k_" + pick(52, any), "xai": "xa" + "i-" + pick(80, any), "replicate": "r" + "8_" +
			pick(37, any),
		"tailscale": "tsk" + "ey-auth-" + pick(12, any) + "-" + pick(30, any), "vault": "hv" + "s." + pick(95,
			any), "supabase": "sb" + "p_" + pick(40, hex), "webhook": "wh" + "sec_" + pick(32, any),
		"github, regular": "gh" + "p_" + strings.Repeat("aB3dE6", 6), "google, regular": "AI" + "za" + strings.Repeat("aB3dE",
			7), "digitalocean, regular": "do" + "p_v1_" + strings.Repeat("ab12", 16),
		"npm": "np" + "m_" + pick(36, any), "hugging": "h" + "f_" + pick(34, any), "sendgrid": "S" + "G." + pick(22,
			any) + "." + pick(43, any), "digitalocean": "do" + "p_v1_" + pick(64, hex),
		"jwt": "ey" + "J" + pick(20, any) + ".ey" + "J" + pick(40, any) + "." + pick(43, any+"_-"),
	}
}

func TestTokens(t *testing.T) {
	for name, token := range secretSamples() {
		for _, text := range []string{token, "use " + token + " please", "curl -H 'X: " + token + "'", "A=" + token + ";",
			"(" + token + ")", "https://x.y/?k=" + token, `{"v":"` + token + `"}`, token + ".", "https://x.y/?k=" + token +
				"&b=1", "[" + token + "]"} {
			got := Text(text)
			if strings.Contains(got, token) || strings.Contains(got, token[6:len(token)-2]) || !strings.Contains(got, Mark) {
				t.Errorf("%s: %q", name, got)
			}
			fault.Same(t, name+": redacted again", Text(got), got)
		}
	}
}

func TestReplacements(t *testing.T) {
	word := "Tr0ub4dor" + "and3xyz"
	for in, want := range map[string]string{
		"Authorization: Bearer " + word:                   "Authorization: " + Mark,
		`-H "authorization: Basic ` + word + `" x`:        `-H "authorization: ` + Mark + `" x`,
		"X-Api-Key: " + word + " next":                    "X-Api-Key: " + Mark + " next",
		"Cookie: sid=" + word + "; b=1":                   "Cookie: " + Mark,
		"postgres://me:" + word + "@db/x":                 "postgres://me:" + Mark + "@db/x",
		"redis://:" + word + "@h:1":                       "redis://:" + Mark + "@h:1",
		"export DB_PASSWORD=" + word + " && go":           "export DB_PASSWORD=" + Mark + " && go",
		`"client_secret": "` + word + `",`:                `"client_secret": "` + Mark + `",`,
		"api_key = '" + word + "'":                        "api_key = '" + Mark + "'",
		"curl -u me:" + word + " https://x.y":             "curl -u me:" + Mark + " https://x.y",
		"mysql --password " + word + " x":                 "mysql --password " + Mark + " x",
		"a <private>b</private> c":                        "a  c",
		"a <PRIVATE>b <private>c</private> d</Private> e": "a  e",
		"a <private>never closed":                         "a ",
		"<pri<private>x</private>vate>y</private>z":       "z",
		"-----BEGIN RSA PRIV" + "ATE KEY-----\nAAA\nBBB\n-----END RSA PRIV" + "ATE KEY-----\nrest": Mark + "\nrest",
		"-----BEGIN PRIV" + "ATE KEY-----\ncut off":                                                Mark,
	} {
		fault.Same(t, in, Text(in), want)
	}
}

// What developers write all day stays as it is.
func TestSparesProse(t *testing.T) {
	for _, text := range []string{
		"the token is expired, fix the password reset in auth/password.go", "func NewToken(secret string) (*Token, error) {", "token := lexer.next()",
		"secret: see docs/secrets.md", "git log --author=me", "https://github.com/x/y/pull/12", "sk-learn and task-runner-with-a-long-name-indeed", "authorization: who may do what?",
		"token = parser.currentToken", "password reset: broken since monday", "commit 3f786850e387550fdab836ed7e6dc881de23001b", "export TOKEN=$(cat file)", "if (password === confirmPassword) {",
		"a < private > b", "keyboard=qwertyuiop",
	} {
		if got := Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, token := range secretSamples() {
		f.Add("key " + token)
	}
	for _, c := range lines(f, "shapes.txt") {
		f.Add(c[2])
	}
	for _, c := range lines(f, "spared.txt") {
		f.Add(c[0])
	}
	f.Add("Authorization: Bearer abcdefghijklmnop")
	f.Add("<private>a<private>b</private>c</private>d")
	f.Add("password=\"\xff\xfe12345678\" cookie: a=b")
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("%q\nonce  %q\ntwice %q", s, once, twice)
		}
		if low := strings.ToLower(once); strings.Contains(low, "<private>") {
			t.Errorf("%q kept a private mark: %q", s, once)
		}
		told := index.Terms(once, len(once))
		for _, w := range append(Terms(s, 32), CommandTerms(s, 32)...) {
			if !strings.Contains(strings.ToLower(once), w) && !slices.Contains(told, w) {
				t.Errorf("%q: the term %q is not of %q", s, w, once)
			}
		}
	})
}
