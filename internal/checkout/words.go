package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/index"
)

// HideWords removes words from prompts, calls and what agents said before these are logged. A word
// stays if a file of the repository has it, if it is common, or if something was learned under it
// (for example from a commit's subject). Other terms are hashed with the key of the store; other
// identifiers and globs are dropped. So a secret that package redact misses is not stored readably.
// It waits until files have been read, but not longer than most.
func (t *Set) HideWords(ctx context.Context, w *Checkout, events []event.Event, most time.Duration) {
	hide := func(terms, names *[]string) {
		if len(*terms)+len(*names) > 0 {
			w.Reader.Wait(ctx, most)
			*terms, *names = t.Words(*terms), t.names(*names)
		}
	}
	for i := range events {
		switch b := events[i].Body.(type) {
		case event.Prompt:
			hide(&b.Terms, &b.Idents)
			events[i].Body = b
		case event.Stop:
			hide(&b.Terms, &b.Idents)
			events[i].Body = b
		case event.Call:
			hide(&b.Terms, &b.Idents)
			if b.Glob != "" {
				w.Reader.Wait(ctx, most)
			}
			if slices.ContainsFunc(index.Terms(b.Glob, event.MaxTerms), t.unknown) {
				b.Glob, b.Cut = "", true
			}
			events[i].Body = b
		}
	}
}

// Words returns terms as HideWords leaves them.
func (t *Set) Words(terms []string) []string {
	out := slices.Clone(terms)
	for i, term := range out {
		if t.unknown(term) {
			out[i] = t.Seal.Word(term)
		}
	}
	return out
}

// Unknown returns the words of a text none of whose terms is known.
func (t *Set) Unknown(text string) (out []string) {
	known := func(term string) bool { return !t.unknown(term) }
	for word := range index.Words(text) {
		terms := index.Terms(word, event.MaxTerms)
		if len(terms) > 0 && !slices.ContainsFunc(terms, known) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// unknown reports whether a term has to be hidden.
func (t *Set) unknown(term string) bool {
	return !index.Common(term) && !t.Hot.KnowsTerm(term) && !slices.ContainsFunc(t.All(), func(w *Checkout) bool {
		return w.Reader.Contents().HasWord(term) || w.Tree() != nil && len(w.Tree().Word(term)) > 0
	})
}

// names returns the identifiers that occur in a file.
func (t *Set) names(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(t.All(), func(w *Checkout) bool { return w.Reader.Contents().HasName(name) })
	})
}
