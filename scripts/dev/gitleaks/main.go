// Command gitleaks converts the rules of gitleaks into internal/redact/gitleaks.json, the form that
// package redact reads. It reads gitleaks' configuration as JSON from stdin.
// scripts/dev/gitleaks.sh runs it.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

type rule struct {
	ID          string
	Regex       string
	Path        string
	Keywords    []string
	Entropy     float64
	SecretGroup int
	Allowlists  []struct {
		RegexTarget string
		Regexes     []string
	}
}

// kept is a rule as package redact reads it.
type kept struct {
	ID       string   `json:"id"`
	Keywords []string `json:"keywords"`
	Regex    string   `json:"regex"`
	Group    int      `json:"group,omitempty"`
	Entropy  float64  `json:"entropy,omitempty"`
	Allow    string   `json:"allow,omitempty"`
}

// dropped lists the rules that are left out because package redact has its own rules for these
// secrets.
var dropped = map[string]string{
	"generic-api-key":  "assignments are found by their names",
	"curl-auth-header": "headers are found wherever they stand",
	"curl-auth-user":   "-u user:password is found after any command",
	"private-key":      "a key that is cut off counts, too",
}

// keywords replaces keywords that are too common by longer ones.
var keywords = map[string][]string{
	"vault-service-token":    {"hvs.", "vault"},
	"jwt":                    {"eyj"},
	"twilio-api-key":         each("sk%c", "0123456789abcdef"),
	"azure-ad-client-secret": each("%cq~", "0123456789"),
}

func each(form, chars string) (all []string) {
	for _, c := range chars {
		all = append(all, fmt.Sprintf(form, c))
	}
	return all
}

// before matches the rest of a name before the keyword. It costs most of a rule's time and is no
// part of the secret.
const before = `[\w.-]{0,50}?`

// end matches what follows a secret. In prompts and code that may be any character that tokens do
// not contain.
const (
	end    = `(?:[\x60'"\s;]|\\[nr]|$)`
	anyEnd = `(?:[^0-9A-Za-z_+/=-]|$)`
)

// shortest is the least length of a keyword that package redact can look for.
const shortest = 3

func main() {
	log.SetFlags(0)
	var config struct{ Rules []rule }
	if err := json.NewDecoder(os.Stdin).Decode(&config); err != nil {
		log.Fatalf("read the configuration: %v", err)
	}
	slices.SortFunc(config.Rules, func(a, b rule) int { return cmp.Compare(a.ID, b.ID) })
	var out []any
	for _, r := range config.Rules {
		if r.Regex == "" || r.Path != "" || dropped[r.ID] != "" {
			continue
		}
		if k := keywords[r.ID]; k != nil {
			r.Keywords = k
		}
		for i, k := range r.Keywords {
			if r.Keywords[i] = strings.ToLower(k); len(k) < shortest {
				log.Fatalf("%s: the keyword %q is too short", r.ID, k)
			}
		}
		r.Regex = strings.ReplaceAll(strings.ReplaceAll(r.Regex, before, ""), end, anyEnd)
		regexp.MustCompile(r.Regex)
		out = append(out, kept{r.ID, r.Keywords, r.Regex, r.SecretGroup, r.Entropy, allow(r)})
	}
	to := json.NewEncoder(os.Stdout)
	to.SetEscapeHTML(false)
	to.SetIndent("", " ")
	if err := to.Encode(out); err != nil {
		log.Fatal(err)
	}
}

// allow joins the patterns that a rule excludes. Lists of single published keys are left out:
// redacting these is harmless, and this repository should not contain them.
func allow(r rule) string {
	var shapes []string
	for _, a := range r.Allowlists {
		if a.RegexTarget != "" {
			continue
		}
		for _, re := range a.Regexes {
			if strings.ContainsAny(re, "[(") {
				shapes = append(shapes, re)
			}
		}
	}
	return strings.Join(shapes, "|")
}
