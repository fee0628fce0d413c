package index

import (
	"bytes"
	"slices"
	"sync"

	"github.com/aoa-dev/aoa/internal/event"
)

// provider is a file from which other files import names. A search reads it once, because hundreds of
// files may import the same.
type provider struct {
	lang    *language // nil if the file is no program
	text    []byte
	imports []importing
	passes  bool            // it passes on all names of some module
	says    map[string]bool // for each name that was asked about, whether the text contains it
	own     map[string]bool // for each name that was asked about, what otherwise found
	source  func() *Source  // what it defines; nil if the file is no program
}

// provider reads a file, or returns what was read before.
func (b *breaking) provider(p event.Path) *provider {
	if b.providers[p] == nil {
		text, lang := b.Text(p), languageOf(p)
		x := &provider{lang: lang, text: text, says: map[string]bool{}, own: map[string]bool{}}
		x.source = sync.OnceValue(func() *Source { return ReadSource(p, text) })
		if lang != nil {
			x.imports = importsIn(lang, text)
			x.passes = slices.ContainsFunc(x.imports, func(i importing) bool { return i.all })
		}
		b.providers[p] = x
	}
	return b.providers[p]
}

// mayGive reports whether those who import all names of the file may get this one.
func (x *provider) mayGive(name string) bool {
	says, known := x.says[name]
	if !known && !x.passes {
		says = bytes.Contains(x.text, []byte(name))
		x.says[name] = says
	}
	return x.passes || says
}
