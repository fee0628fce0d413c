package redact

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// rule finds one kind of secret. It searches only lines that contain one of the keywords, which are
// in lower case and match upper case, too.
type rule struct {
	ID       string
	Keywords []string
	Regex    string
	Long     bool    // search only lines that have a long word, see longWord
	Group    int     // the secret is this group; 0: the first group that matched, else the whole match
	Across   bool    // the secret may extend over several lines
	Entropy  float64 // a secret has at least this many bits per byte
	Allow    string  // a pattern for matches that are not secrets after all
	Spare    string  // the name of a function that recognizes such matches

	// The name of the finder's method that finds the secrets, if there is no pattern.
	Find string

	// Compiled when a text first needs them, because most are never needed.
	regexp, allow func() *regexp.Regexp
}

// gitleaksJSON has rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml),
// Copyright (c) 2019 Zachary Rice, MIT License; see LICENSE.gitleaks. scripts/dev/gitleaks.sh
// writes the file. It leaves out rules for certain files and those that rules.yaml has. It replaces
// keywords that every second line contains by longer ones. No rule matches the part of a name
// before its keyword. Any sign that cannot be part of a token may follow a secret.
//
//go:embed gitleaks.json
var gitleaksJSON []byte

//go:embed rules.yaml
var rulesYAML []byte

// set is a set of words.
type set map[string]bool

// knowledge is the content of the two files.
type knowledge struct {
	rules []rule
	usual [26]uint32        // bit y of usual[x] is set if the letter y often follows x
	cores map[string]family // words that announce a secret

	glued, other, keys, about, still, nothing, articles, roots set // see rules.yaml
}

// known reads the files once. A test checks that they can be read.
var known = sync.OnceValue(func() *knowledge {
	var own struct {
		Rules    []rule
		Commands []taker
		Words    map[string]string
	}
	var gitleaks []rule
	if err := errors.Join(yaml.Unmarshal(rulesYAML, &own), json.Unmarshal(gitleaksJSON, &gitleaks)); err != nil {
		panic(err)
	}
	k := &knowledge{cores: map[string]family{}, rules: append(own.Rules, gitleaks...)}
	for _, t := range own.Commands {
		k.rules = append(k.rules, t.rules()...)
	}
	for i := range k.rules {
		r := &k.rules[i]
		r.regexp = index.LazyRegexp(r.Regex)
		r.allow = index.LazyRegexp(r.Allow)
	}
	for name, kind := range map[string]family{"weak": weak, "medium": medium, "strong": strong, "counted": counted,
		"folder": folder} {
		for w := range strings.FieldsSeq(own.Words[name]) {
			k.cores[w] = kind
		}
	}
	for name, to := range map[string]*set{"glued": &k.glued, "other": &k.other, "keys": &k.keys, "about": &k.about,
		"still": &k.still, "nothing": &k.nothing, "articles": &k.articles, "roots": &k.roots} {
		*to = set{}
		for w := range strings.FieldsSeq(own.Words[name]) {
			(*to)[w] = true
		}
	}
	for f := range strings.FieldsSeq(own.Words["followers"]) {
		for i := 1; i < len(f); i++ {
			k.usual[f[0]-'a'] |= 1 << (f[i] - 'a')
		}
	}
	return k
})

// exceptions has the functions that rules.yaml names.
var exceptions = map[string]func(secret string) bool{"userID": userID, "noPair": noPair, "prose": prose, "plain": plain,
	"digitsOnly": digitsOnly, "wordlike": wordlike,
	"secretless": func(s string) bool { return plain(s) || strings.Contains(s, "=") }}

// spares reports whether a match is not a secret, because it is a placeholder, too regular, or
// excepted by the rule.
func (r *rule) spares(secret string) bool {
	value := secret
	if scheme, rest, two := strings.Cut(secret, " "); two && scheme != "" && !strings.ContainsAny(rest, " \n") {
		value = rest // the second part of "Bearer $TOKEN"
	}
	return placeholder(value) || r.Entropy > 0 && entropy(secret) < r.Entropy ||
		r.Allow != "" && r.allow().MatchString(secret) || r.Spare != "" && exceptions[r.Spare](secret)
}

// entropy returns Shannon's entropy in bits per byte.
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

// userID reports whether the argument of -u is uid:gid and not user:secret.
func userID(s string) bool { return len(s) <= 5 && digitsOnly(s) }

// noPair reports whether a text is not user:secret in base64.
func noPair(s string) bool {
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err != nil || !bytes.Contains(pair, []byte(":"))
}

// prose reports whether a token is a word, or words joined by hyphens: no digits, no upper case.
func prose(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
}

// plain reports whether a word in a sentence does not look like a password: only letters, or only
// digits.
func plain(s string) bool {
	s = strings.TrimRight(s, ".,:!?)")
	letters, others := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := event.LowerByte(s[i]); {
		case c >= 'a' && c <= 'z' || c >= 0x80:
			letters++
		case c != '-' && c != '_' && c != '/' && c != '.' && c != '(':
			others++
		}
	}
	return letters == 0 || others == 0
}

// wordlike is like plain, but also accepts other things that occur in ordinary sentences: versions,
// addresses, names of files and of algorithms. A password has a letter together with a digit or
// sign in a way that no such name has.
func wordlike(s string) bool {
	s = strings.TrimRight(s, ".,:!?)")
	return plain(s) || path(s) || algorithm().MatchString(s) || strings.ContainsAny(s, "/()[]{}<>=*%|$")
}

// algorithm matches names with a number: sha256, oauth2-proxy, v1.2, 32-byte, x86_64, server2.go.
var algorithm = index.LazyRegexp(`^(?i:(?:sha|md|base|utf|aes|rsa|oauth|argon|ed|x|http|ipv|u?int|float|secp|pbkdf|bcrypt|es|hs|rs|p|s|r|k)` +
	`[-_]?\d[\w-]*|v?\d[\w.,-]*|[\w-]+\.[a-z]{1,5}|[a-z]+(?:[-_.][a-z]+)+\d?)$`)

func digitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
