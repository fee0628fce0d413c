package index

import (
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
)

// language describes the comments and definitions of a programming language. The rules work on
// lines: keywords, modifiers and indentation. They miss definitions with an unusual layout, but
// cost far less than a parser.
type language struct {
	comments    []string // marks after which the rest of a line is a comment
	open, close string   // the marks around a comment of several lines
	// """ and ''' quote strings of several lines; at the beginning of a statement these are doc
	// strings
	triples bool
	raw     byte // the quote around strings of several lines

	keywords  map[string]place // words that begin a definition
	modifiers map[string]bool  // words that may precede a keyword, or a definition that more finds
	joins     string           // bytes after which a name continues: def Foo.bar defines bar
	more      func(d *definer, line definingLine)

	// imports reads the imports of a line. If nil, imports of this language are not known.
	imports func(im *importer, number int, code, raw []byte)
	targets func(f files, from event.Path, module string) []event.Path // the files that an import may mean
	refers  bool                                                       // references to names can be found in this language
	// standard has names that the language defines itself, and that a program may define again
	// where they are missing.
	standard map[string]bool
	// members has methods of the language's own objects whose names look like code. Where a program
	// calls one, it may call that of another object.
	members map[string]bool
	typed   bool // the type of a variable precedes its name
}

// Standard names of languages that programs also define themselves.
var (
	cNames = event.WordSet(`int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t
		uintmax_t size_t ssize_t ptrdiff_t wchar_t bool true false NULL nullptr assert static_assert offsetof`)
	rubyNames = event.WordSet(`RUBY_ENGINE RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE_VERSION Marshal Kernel Process
		Thread Fiber Struct Comparable Enumerable String Integer Float Array Hash Symbol Object Module Class Exception
		StandardError`)
	rubyMembers = event.WordSet(`to_s to_a to_h to_i to_f to_sym to_proc to_str to_ary to_json
		each_with_index each_with_object each_pair each_key each_value each_slice each_line each_char flat_map filter_map
		sort_by group_by min_by max_by delete_if delete_at values_at transform_values transform_keys find_index
		start_with end_with has_key is_a kind_of instance_of respond_to respond_to_missing method_missing public_send
		class_eval instance_eval define_method`)
	javaMembers = event.WordSet(`toString hashCode compareTo isEmpty
		containsKey containsValue getOrDefault putIfAbsent computeIfAbsent entrySet keySet addAll removeAll forEach
		charAt indexOf startsWith endsWith valueOf getName getClass getMessage getCause getKey getValue hasNext notifyAll`)
	csharpMembers = event.WordSet(`ToString GetHashCode GetType CompareTo GetEnumerator MoveNext TryParse WriteLine
		ReadLine ToList ToArray FirstOrDefault IndexOf StartsWith EndsWith ContainsKey TryGetValue AddRange`)
	phpMembers = event.WordSet(`getMessage getCode getPrevious getFile getLine getTrace getTraceAsString getIterator
		offsetGet offsetSet offsetExists offsetUnset jsonSerialize`)
	rustMembers = event.WordSet(`iter_mut into_iter push_str contains_key is_some is_none is_ok is_err is_empty as_ref
		as_mut as_str as_bytes as_deref to_string to_owned to_vec get_mut sort_by sort_by_key starts_with ends_with
		partial_cmp try_from try_into unwrap_or unwrap_or_else unwrap_or_default and_then map_err filter_map flat_map
		for_each`)
	scriptMembers = event.WordSet(`toString toJSON valueOf hasOwnProperty toLocaleString toFixed toISOString toUpperCase
		toLowerCase charAt charCodeAt indexOf lastIndexOf findIndex findLast startsWith endsWith padStart padEnd trimEnd
		trimStart matchAll replaceAll forEach flatMap reduceRight copyWithin toSorted toArray localeCompare getTime
		getDate getDay getMonth getFullYear getHours getMinutes getSeconds setTime setDate setHours addEventListener
		removeEventListener dispatchEvent addListener removeListener removeAllListeners arrayBuffer formData`)
	goMembers = event.WordSet(`ServeHTTP RoundTrip MarshalJSON UnmarshalJSON MarshalText UnmarshalText
		ReadFrom WriteTo ReadAt WriteAt ReadByte WriteByte ReadString WriteString GoString LogValue`)
)

// place tells where a keyword must be for its name to be usable in other files.
type place uint8

const (
	anywhere place = iota + 1
	member         // indented by at most 4 columns
	top            // at the first column
)

// columns returns the largest number of columns that may precede the keyword.
func (p place) columns() int {
	switch p {
	case anywhere:
		return 1 << 30
	case member:
		return 4
	}
	return 0
}

// definingWords makes the table of keywords from three lists: those that define a name anywhere,
// those that do in a member of a class, and those that do only at the first column.
func definingWords(everywhere, inside, atTop string) map[string]place {
	words := map[string]place{}
	for p, list := range map[place]string{anywhere: everywhere, member: inside, top: atTop} {
		for word := range strings.FieldsSeq(list) {
			words[word] = p
		}
	}
	return words
}

var (
	slashComments = []string{"//"}
	hashComments  = []string{"#"}

	golang = &language{comments: slashComments, open: "/*", close: "*/", raw: '`',
		keywords: definingWords("", "", "func type const var"), more: (*definer).golang,
		imports: (*importer).golang, targets: files.goPackage, refers: true, members: goMembers}
	python = &language{comments: hashComments, triples: true,
		keywords: definingWords("def class", "", "type"), modifiers: event.WordSet("async cdef cpdef"),
		more:    (*definer).python,
		imports: (*importer).python, targets: files.pythonModule, refers: true}
	script = &language{comments: slashComments, open: "/*", close: "*/", raw: '`',
		keywords: definingWords("function class interface enum namespace", "", "const let var type module"),
		modifiers: event.WordSet(`export default async abstract declare public private protected static readonly override get
			set accessor`),
		more: (*definer).script, imports: (*importer).script, targets: files.scriptModule, refers: true,
		members: scriptMembers}
	rust = &language{comments: slashComments, open: "/*", close: "*/",
		keywords:  definingWords("fn struct enum trait union mod macro_rules type", "const static", ""),
		modifiers: event.WordSet("pub async unsafe extern default"),
		imports:   (*importer).rust, targets: files.rustModule, refers: true, members: rustMembers}
	java = &language{comments: slashComments, open: "/*", close: "*/",
		keywords: definingWords("class interface enum record", "", ""),
		modifiers: event.WordSet(`public private protected static final abstract sealed default synchronized native strictfp
			transient volatile non`),
		more: (*definer).java, imports: (*importer).java, targets: files.javaClass, refers: true, typed: true,
		members: javaMembers}
	csharp = &language{comments: slashComments, open: "/*", close: "*/",
		keywords: definingWords("class interface struct enum record", "", ""),
		modifiers: event.WordSet(`public private protected internal static abstract sealed virtual override partial async
			readonly unsafe extern new const required file ref`), more: (*definer).csharp, refers: true, typed: true,
		members: csharpMembers}
	kotlin = &language{comments: slashComments, open: "/*", close: "*/", joins: ".",
		keywords: definingWords("fun class interface object typealias", "", "val var"),
		modifiers: event.WordSet(`public private protected internal open abstract sealed final override data inline inner enum
			annotation suspend operator infix tailrec external expect actual companion value const lateinit`),
		imports: (*importer).java, targets: files.javaClass, refers: true, members: javaMembers}
	swift = &language{comments: slashComments, open: "/*", close: "*/",
		keywords: definingWords("func class struct enum protocol actor typealias", "", "let var"),
		modifiers: event.WordSet(`public private fileprivate internal open static final override mutating nonmutating indirect
			convenience required dynamic nonisolated package async lazy weak`)}
	php = &language{comments: []string{"//", "#"}, open: "/*", close: "*/",
		keywords:  definingWords("function class interface trait enum", "const", ""),
		modifiers: event.WordSet("public private protected static abstract final readonly"), more: (*definer).php,
		imports: (*importer).php, targets: files.phpClass, refers: true, typed: true, members: phpMembers}
	ruby = &language{comments: hashComments, joins: ".:",
		keywords:  definingWords("def class module", "", ""),
		modifiers: event.WordSet("private public protected private_class_method module_function"),
		more:      (*definer).ruby, imports: (*importer).ruby, targets: files.rubyFile, refers: true, standard: rubyNames,
		members: rubyMembers}
	clike = &language{comments: slashComments, open: "/*", close: "*/", more: (*definer).c, imports: (*importer).c,
		targets: files.header, refers: true, typed: true, standard: cNames}
	dart = &language{comments: slashComments, open: "/*", close: "*/",
		keywords:  definingWords("class mixin extension enum typedef", "", "const final var"),
		modifiers: event.WordSet("abstract base sealed static late"), more: (*definer).java}
	scala = &language{comments: slashComments, open: "/*", close: "*/",
		keywords:  definingWords("def class object trait enum", "val type", "given var"),
		modifiers: event.WordSet("private protected override final sealed abstract implicit lazy case inline")}
	shell = &language{comments: hashComments, keywords: definingWords("function", "", "")}
	lua   = &language{comments: []string{"--"}, open: "--[[", close: "]]", joins: ".:",
		keywords: definingWords("function", "", ""), modifiers: event.WordSet("local")}
	sql    = &language{comments: []string{"--"}, open: "/*", close: "*/"}
	elixir = &language{comments: hashComments, triples: true, joins: ".",
		keywords: definingWords("def defp defmacro defmodule defprotocol", "", "")}
	haskell = &language{comments: []string{"--"}, open: "{-", close: "-}",
		keywords: definingWords("", "", "data newtype type class module")}
	markup = &language{open: "<!--", close: "-->"}
	styles = &language{comments: slashComments, open: "/*", close: "*/"}
	lisp   = &language{comments: []string{";"}}

	// Languages without rules of their own get the keywords that many languages share.
	hashed = &language{comments: hashComments, keywords: sharedWords, modifiers: sharedModifiers}
	others = &language{comments: slashComments, open: "/*", close: "*/", keywords: sharedWords, modifiers: sharedModifiers}

	sharedWords = definingWords(`func def class interface struct enum type fn function fun trait protocol record
		module object define sub proc message service rpc macro`, "", "const let var val static")
	sharedModifiers = event.WordSet(`export default async pub public private protected abstract final unsafe inline
		internal sealed override extern data open`)
)

// languages maps an extension to its language.
var languages = func() map[string]*language {
	all := map[string]*language{}
	for lang, exts := range map[*language]string{
		golang: ".go", python: ".py .pyi .pyx .pxd .pyw", script: ".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte .astro",
		rust: ".rs", java: ".java .groovy .gradle", csharp: ".cs", kotlin: ".kt .kts", swift: ".swift",
		php:  ".php .phtml .phpt",
		ruby: ".rb .rake .gemspec .ru .cr", clike: ".c .h .cc .cpp .cxx .hpp .hh .hxx .inl .m .mm .ino .cu .cuh .y .l",
		dart:  ".dart",
		scala: ".scala .sc", shell: ".sh .bash .zsh .ksh .fish .bats", lua: ".lua", sql: ".sql", elixir: ".ex .exs",
		haskell: ".hs .elm .purs",
		markup:  ".html .htm .xhtml .hbs .ejs .erb .j2 .jinja .jinja2 .twig .tmpl .gohtml",
		styles:  ".css .scss .sass .less .styl",
		lisp:    ".lisp .el .clj .cljs .cljc .scm .rkt .asm .s",
		hashed:  ".pl .pm .r .jl .nim .tcl .cmake .mk .mak .tf .hcl .ps1 .psm1 .awk .coffee .graphql .gql .nix .bzl .star .t",
	} {
		for ext := range strings.FieldsSeq(exts) {
			all[ext] = lang
		}
	}
	return all
}()

// languageOf returns the language of a file, nil for data and documents.
func languageOf(p event.Path) *language {
	ext := p.Ext()
	if lang := languages[ext]; lang != nil {
		return lang
	}
	base := strings.ToLower(p.Base())
	switch {
	case base == "cmakelists.txt":
		return hashed
	case dataExts[ext], proseExts[ext], dataNames[base], proseNames[base]:
		return nil
	case ext == "", ext == base, strings.HasPrefix(base, "dockerfile"), strings.HasPrefix(base, "makefile"):
		return hashed // Makefile, Dockerfile, a script without extension
	}
	return others
}
