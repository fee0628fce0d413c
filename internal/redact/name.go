package redact

import (
	"slices"
	"strings"
)

// family is how sure a name announces a secret.
type family uint8

const (
	none    family = iota
	weak           // auth, tokens, STRIPE_KEY: only what looks like a secret counts
	medium         // token, secret, API key: words and small numbers mostly are none
	strong         // password: nearly any value counts
	counted        // pass: as strong, but tests count what passed
	folder         // pwd: as strong, but shells keep the folder in it
)

// cores are the words that announce a secret, alone or as the last ones of a name.
var cores = map[string]family{
	"password": strong, "passwords": weak, "passwd": strong, "passphrase": strong, "passcode": strong, "pwd": folder, "pw": strong, "pass": counted,
	"secret": medium, "secrets": weak, "token": medium, "tokens": weak, "apikey": medium, "accesskey": medium, "accountkey": medium, "secretkey": medium, "privatekey": medium, "authkey": medium,
	"credential": medium, "credentials": weak, "creds": weak, "cred": weak, "auth": weak, "oauth": weak, "sig": weak, "signature": weak,
}

// glued are cores that end a word without a border: dbpassword, PGPASSWORD, authtoken, storepass.
var glued = []string{"password", "passwd", "passphrase", "pwd", "token", "secret", "apikey", "accesskey", "secretkey",
	"privatekey", "pass"}

// words that end in "pass" and have nothing to do with passwords.
var otherPass = []string{"bypass", "compass", "encompass", "overpass", "surpass", "trespass", "underpass", "subpass",
	"renderpass", "multipass", "firstpass", "singlepass"}

// keys are the words before "key" that make it a secret.
var keys = []string{"api", "access", "account", "private", "secret", "encryption", "signing", "master", "storage",
	"shared", "license", "licence", "auth", "session",
	"deploy", "service", "webhook", "hmac", "aes", "rsa", "jwt", "app", "client", "consumer", "subscription", "admin"}

// about are words behind a core that tell of something about the secret. Behind other words than these and those of
// still, a value counts if it looks like a secret.
var about = words(`file files path paths dir folder url uri urls link endpoint host port server domain issuer audience type types kind name names id ids user username count counts counter
	length len size limit limits max min budget usage used cost costs total rate window expiry expires expired expiration expire ttl timeout age lifetime date time at policy policies field fields
	header headers param params parameter parameters arg args option options prop props index regex pattern format schema env var variable variables ref refs label placeholder hint help
	text title description message error errors required enabled disabled valid invalid reset change changed forgot prompt input form page view screen provider manager service store storage
	stdin fd helper algorithm algo scope scopes status state mode version source target handler middleware guard strategy controller module config settings class method function
	strength length check checker validator generator parser bucket stream position word exists missing protected based less`)

// still are words behind a core after which it is the secret all the same.
var still = words(`value prod production dev development staging stage test testing live old new current default root main primary secondary backup plain plaintext raw base64 b64 enc encrypted hashed confirm confirmation again repeat`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// announces is what a name announces. likely: only a value that looks like a secret counts, since words that are not
// known follow the core.
func announces(name string) (kind family, likely bool) {
	if len(name) > 120 {
		name = name[len(name)-120:]
	}
	ws := nameWords(name)
	for i := len(ws) - 1; i >= 0; i-- {
		kind = core(ws, i)
		if kind == none {
			continue
		}
		for _, w := range ws[i+1:] {
			if about[w] {
				return none, false
			}
			likely = likely || !still[w] && !digitsOnly(w)
		}
		return kind, likely
	}
	return none, false
}

// core is what the i-th word of a name announces.
func core(ws []string, i int) family {
	w := ws[i]
	if kind := cores[w]; kind != none {
		return kind
	}
	if w == "key" && i > 0 {
		if slices.Contains(keys, ws[i-1]) {
			return medium
		}
		return weak
	}
	for _, end := range glued {
		if strings.HasSuffix(w, end) && !slices.Contains(otherPass, w) {
			return min(cores[end], strong)
		}
	}
	return none
}

// nameWords cuts a name at everything that is no letter or digit and at camelCase borders; digits at the end of a word
// are a word of their own. Lower case.
func nameWords(name string) (ws []string) {
	start := 0
	cut := func(end int) {
		w := strings.ToLower(name[start:end])
		if bare := strings.TrimRight(w, "0123456789"); bare != "" && bare != w && bare != "base" && bare != "b" {
			ws = append(ws, bare, w[len(bare):])
		} else if w != "" {
			ws = append(ws, w)
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case !alnum(c):
			cut(i)
			start = i + 1
		case i == start:
		case upper(c) && !upper(name[i-1]):
			cut(i)
		case c >= 'a' && c <= 'z' && upper(name[i-1]) && i-1 > start:
			cut(i - 1)
		}
	}
	cut(len(name))
	return ws
}

func alnum(c byte) bool { return upper(c) || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// refers reports whether a value is the name of another place that holds the secret: password, access_token,
// dbPassword.
func refers(v string) bool {
	if strings.ContainsAny(v, "0123456789") || strings.ContainsFunc(v, func(r rune) bool {
		return r != '_' && r != '-' &&
			r != '.' && (r > 'z' || !alnum(byte(r)))
	}) {
		return false
	}
	ws := nameWords(v)
	if len(ws) == 0 || core(ws, len(ws)-1) == none {
		return false
	}
	return len(ws) > 1 || cores[ws[0]] != none
}
