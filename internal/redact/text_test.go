package redact

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/event"
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
		known := index.Terms(once, len(once))
		for _, w := range append(Terms(s, 32), CommandTerms(s, 32)...) {
			if !strings.Contains(strings.ToLower(once), w) && !slices.Contains(known, w) {
				t.Errorf("%q: the term %q is not of %q", s, w, once)
			}
		}
	})
}

// lines are the lines of a file of testdata, without comments, each cut into its parts.
func lines(t testing.TB, name string) (out [][]string) {
	t.Helper()
	raw := fault.Must(os.ReadFile("testdata/" + name))
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " ¦ ")
		for i, p := range parts {
			if text, err := strconv.Unquote(p); err == nil && strings.HasPrefix(p, `"`) {
				parts[i] = text
			}
		}
		out = append(out, parts)
	}
	return out
}

func TestShapes(t *testing.T) {
	shapes := lines(t, "shapes.txt")
	if len(shapes) < 140 {
		t.Fatalf("%d shapes", len(shapes))
	}
	for _, c := range shapes {
		gone, kept, text := c[0], c[1], c[2]
		got := Text(text)
		if strings.Contains(got, gone) || !strings.Contains(got, kept) {
			t.Errorf("%q became %q: %q must go, and %q stay", text, got, gone, kept)
		}
		fault.Same(t, "once redacted", Text(got), got)
		for _, word := range CommandTerms(text, 100) {
			if strings.Contains(strings.ToLower(gone), word) && !strings.Contains(strings.ToLower(got), word) {
				t.Errorf("%q: %q of the secret is a term", text, word)
			}
		}
	}
}

// TestMisses: what is missed is listed. One that is caught from now on moves to the shapes, and out
// of SECURITY.md.
func TestMisses(t *testing.T) {
	for _, c := range lines(t, "misses.txt") {
		if stays, text := c[0], c[2]; !strings.Contains(Text(text), stays) {
			t.Errorf("no longer missed: %q", text)
		}
	}
}

// TestHarmlessTextIsKept: what developers write all day stays as it is.
func TestHarmlessTextIsKept(t *testing.T) {
	for _, c := range lines(t, "spared.txt") {
		fault.Same(t, "redacted", Text(c[0]), c[0])
	}
}

// TestGitleaks: every rule can be tried, and those of services that no rule of our own knows find
// their tokens.
func TestGitleaks(t *testing.T) {
	if len(known().rules) < 200 {
		t.Fatalf("%d rules", len(known().rules))
	}
	for _, r := range known().rules {
		if r.Spare != "" && exceptions[r.Spare] == nil {
			t.Errorf("%s: no function is called %s", r.Regex, r.Spare)
		}
		if _, err := regexp.Compile(r.Regex); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if _, err := regexp.Compile(r.Allow); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if len(r.Keywords) == 0 && !r.Long {
			t.Errorf("%s is never tried", r.ID)
		}
		for _, k := range r.Keywords {
			if len(k) < 3 || k != strings.ToLower(k) {
				t.Errorf("%s: the keyword %q is never found", r.ID, k)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(n int, from string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[rng.IntN(len(from))]
		}
		return string(b)
	}
	const hex, num, any = "0123456789abcdef", "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for _, secret := range []string{"nt" + "n_" + pick(11, num) + pick(35, any), "psca" + "le_tkn_" + pick(43, any),
		"pu" + "l-" + pick(40, hex), "ruby" + "gems_" + pick(48, hex),
		"shp" + "ss_" + pick(32, hex), "da" + "pi" + pick(32, hex), "S" + "K" + pick(32, hex), "PM" + "AK-" + pick(24,
			hex) + "-" + pick(34, hex), "duf" + "fel_test_" + pick(43, any)} {
		text := "use " + secret + " for it"
		fault.Same(t, text, Text(text), "use "+Mark+" for it")
	}
	key := pick(32, hex)
	if got := Text("ALGOLIA: " + key); got != "ALGOLIA: "+Mark {
		t.Errorf("%q", got)
	}
}

// TestEntropy: what is too regular to be a token of that kind stays.
func TestEntropy(t *testing.T) {
	if h := entropy("aabb"); h != 1 {
		t.Errorf("%v bits", h)
	}
	for text, want := range map[string]bool{"da" + "pi" + strings.Repeat("ab", 16): false,
		"da" + "pi0123456789abcdef0123456789abcdef": true} {
		fault.Same(t, text+" is taken out", Text(text) != text, want)
	}
}

// TestTerms: of a text its words, and no piece of a secret. What is assigned in a command may be
// anything, so only its name is kept.
func TestTerms(t *testing.T) {
	of := map[string]func(string, int) []string{"terms": Terms, "command": CommandTerms}
	for _, c := range lines(t, "terms.txt") {
		fault.Same(t, c[1], of[c[0]](c[1], 32), index.Terms(c[2], 32))
	}
}

// TestRandom: most keys leave no piece of themselves among the terms, and the words of this
// repository's sources stay.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const low, hex = "abcdefghijklmnopqrstuvwxyz", "0123456789abcdef"
	any := low + strings.ToUpper(low) + "0123456789"
	for _, c := range []struct {
		from  string
		n     int
		share float64 // of keys that leave a piece
	}{{hex, 32, 0}, {any + "+/", 40, 0.02}, {any + "-_", 43, 0.02}, {any + "+/", 24, 0.05}, {low + "0123456789", 20, 0.2},
		{strings.ToUpper(low) + "234567", 32, 0.15}, {low, 24, 0.1}, {any, 12, 0.2}} {
		left := 0
		for range 1000 {
			key := make([]byte, c.n)
			for i := range key {
				key[i] = c.from[rng.IntN(len(c.from))]
			}
			if terms := Terms("value "+string(key), 32); len(terms) > 1 {
				left++
			}
		}
		if got := float64(left) / 1000; got > c.share {
			t.Errorf("%d of %.10s…: %v leave a piece, want at most %v", c.n, c.from, got, c.share)
		}
	}
	words, taken := 0, 0
	identifier := regexp.MustCompile(`[A-Za-z_]\w{7,}`)
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text := fault.Must(os.ReadFile(name))
		for _, w := range identifier.FindAllString(string(text), -1) {
			words++
			if random(w) {
				taken++
			}
		}
	}
	if taken*400 > words {
		t.Errorf("%d of %d words of the sources look random", taken, words)
	}
}

// TestSaid: of a long message the end is kept, as words, and nothing that is secret.
func TestSaid(t *testing.T) {
	end := "I would mend parsePrice in the basket next. token=ghp_0123456789abcdefghijABCDEFGHIJ012345 " +
		"<private>about zanzibar</private> Shall I?"
	got := Said("The lexer is done." + strings.Repeat(" Nothing else changed.", 40) + " " + end)
	for _, want := range []string{"mend", "basket", "price"} {
		if !slices.Contains(got.Terms, index.Stem(want)) {
			t.Errorf("%q is not kept: %q", want, got.Terms)
		}
	}
	for _, term := range got.Terms {
		if strings.Contains("lexer zanzibar", term) || strings.HasPrefix(term, "ghp") || strings.Contains(term, "0123") {
			t.Errorf("%q is kept", term)
		}
	}
	if !slices.Contains(got.Idents, "parseprice") || slices.Contains(got.Idents, "zanzibar") {
		t.Errorf("identifiers are %q", got.Idents)
	}
	fault.Same(t, "of no message", Said(""), event.Stop{})
	if long := Said(strings.Repeat("é", 1<<20)); len(long.Terms) > 1 {
		t.Errorf("%d words of one", len(long.Terms))
	}
}

// TestIdentifiersAreNoValues: keys and hashes in a text, and what a command assigns, are no
// identifiers.
func TestIdentifiersAreNoValues(t *testing.T) {
	const key = "a1B2c3D4e5F6g7"
	prompt := Identify(event.Prompt{Text: "call parseBasket with " + key + " and DB_PASS=quillfen"})
	run := Identify(event.Call{Act: event.ActRun, Text: "LICENCE=quillfen pickBasket --page 2 " + key})
	all := strings.ToLower(fmt.Sprint(prompt.(event.Prompt).Idents, run.(event.Call).Idents))
	if strings.Contains(all, strings.ToLower(key)) || strings.Contains(all, "quillfen") {
		t.Errorf("the event keeps %s", all)
	}
	if !strings.Contains(all, "parsebasket") || !strings.Contains(all, "pickbasket") || !strings.Contains(all, "licence") {
		t.Errorf("the event keeps only %s", all)
	}
	known := event.Prompt{Text: "call parseBasket", Idents: []string{"other"}}
	if got := Identify(known).(event.Prompt).Idents; len(got) != 1 || got[0] != "other" {
		t.Errorf("known identifiers became %q", got)
	}
}
