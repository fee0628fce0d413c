package watcher

import (
	"strings"
	"testing"
)

// TestSubjectIsRedactedBeforeItIsCut: a token that the cut would halve is taken out whole, from the
// words, too.
func TestSubjectIsRedactedBeforeItIsCut(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	for before := range 50 {
		subject := strings.Repeat("x", maxSubject-before-1) + " " + token + " and more"
		c := (&Repo{}).commit(&Commit{Subject: subject}, nil, currentNames{})
		if all := c.Text + strings.Join(c.Terms, " "); strings.Contains(all, token[:5]) || len(c.Text) > maxSubject {
			t.Errorf("%d bytes before the cut: …%q", before, all[min(len(all), maxSubject-60):])
		}
	}
}
