package index

import (
	"bytes"
	"slices"
	"strings"
)

// piece tells what a part of a program's line is.
type piece uint8

const (
	codePiece   piece = iota
	stringPiece       // inside of a string
	prosePiece        // a comment or a doc string
)

// program counts the words of a program: those of its code, of its comments and doc strings, and of
// the names that it defines.
func (x *extractor) program(lang *language, text []byte) {
	d, im := &definer{lang: lang, define: x.define}, importer{lang: lang}
	for number, l := range codeLines(lang, text, x.count) {
		d.line(l)
		im.line(number, l)
	}
	for _, i := range im.out {
		for _, key := range i.keys(lang) {
			x.marked(key)
		}
	}
}

// skipped returns the number of bytes at the top of a text that are not part of the program: the
// path of an interpreter, and the license.
func (s *scanner) skipped(text []byte) (n int) {
	if bytes.HasPrefix(text, []byte("#!")) && s.lang.Open == "" {
		n = max(0, bytes.IndexByte(text, '\n'))
	}
	return n + s.license(text[n:])
}

// scanner separates comments and strings from code, line by line.
type scanner struct {
	lang *language
	take func(line []byte, from, to int, of piece)
	// The text that ends the comment or string in which the previous line ended, "" outside of
	// both.
	end string
	of  piece // whether end belongs to a comment or to a string
}

// line passes the pieces of a line to take. It returns the line up to its first comment, empty if
// the line begins inside of a comment or a string.
func (s *scanner) line(line []byte) (code []byte) {
	at, outside := 0, s.end == ""
	if outside {
		code = line
	}
	if s.lang == ruby && bytes.HasPrefix(line, []byte("=begin")) {
		s.end, s.of = "=end", prosePiece
		return nil
	}
	for at < len(line) {
		if s.end != "" {
			n := s.closing(line[at:])
			if n < 0 {
				break
			}
			s.inside(line, at, at+n)
			at += n + len(s.end)
			s.end = ""
			continue
		}
		n, mark := s.opening(line, at)
		if mark == "" {
			return code
		}
		if outside && s.of == prosePiece {
			code, outside = line[:n], false
		}
		if at = n + len(mark); s.end == "\n" {
			s.take(line, at, len(line), prosePiece)
			s.end = ""
			return code
		}
	}
	if s.end != "" {
		s.inside(line, at, len(line))
	}
	return code
}

// inside takes a part of a line inside of a comment or a string. Expressions in a string, ${name}
// and #{name}, are code.
func (s *scanner) inside(line []byte, from, to int) {
	for at := from; s.of == stringPiece && at+1 < to; at++ {
		if line[at+1] != '{' || line[at] != '$' && line[at] != '#' {
			continue
		}
		end := bytes.IndexByte(line[at:to], '}')
		if end < 0 {
			break
		}
		s.take(line, from, at, stringPiece)
		s.take(line, at+2, at+end, codePiece)
		from, at = at+end, at+end
	}
	s.take(line, from, to, s.of)
}

// closing returns the index of the mark that ends the comment or string in which a text begins, -1 if
// it has none. In a script and in Rust, a backslash before a quote keeps the string open.
func (s *scanner) closing(text []byte) int {
	if s.lang != script && s.lang != rust || s.of != stringPiece || len(s.end) > 1 {
		return bytes.Index(text, []byte(s.end))
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case s.end[0]:
			return i
		}
	}
	return -1
}

// maxRegular is the length of the longest regular expression, in bytes. Without a limit, a long line with
// many slashes would be read to its end from each of them.
const maxRegular = 1 << 10

// regularExpression returns the number of bytes in a regular expression of a script that begins with
// the first byte of a text, after some code; 0 if that is a division or the tag of an element. A quote
// in it begins no string.
func regularExpression(code, text []byte) int {
	code = bytes.TrimRight(code, " \t")
	before, word := lastIdentifier(code)
	switch {
	case len(word) > 0 && (!usingWords[string(word)] || bytes.HasSuffix(before, []byte("."))),
		len(word) == 0 && len(code) > 0 && bytes.IndexByte([]byte("(,=:[!&|?{;+-*%~^"), code[len(code)-1]) < 0:
		return 0
	}
	set := false // inside of [ ]
	for i := 1; i < min(len(text), maxRegular); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			set = true
		case ']':
			set = false
		case '/':
			if !set {
				return i + 1
			}
		}
	}
	return 0
}

// beginsWith reports whether a line begins with one of the words.
func beginsWith(line []byte, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.HasPrefix(line, []byte(word)) })
}

// opening passes on the code and the strings of a line, from an index to the mark that begins a
// comment or a string of several lines. It sets end and of accordingly; a comment of one line ends
// with "\n". mark is "" if the line has neither.
func (s *scanner) opening(line []byte, from int) (at int, mark string) {
	found := func(end string, of piece, mark string) (int, string) {
		s.take(line, from, at, codePiece)
		s.end, s.of = end, of
		return at, mark
	}
	for at = from; at < len(line); at++ {
		c := line[at]
		if c >= 'A' && (c != '`' && c != '{') || c == ' ' || c == '\t' {
			continue // no comment or string begins with this byte
		}
		if open := s.lang.Open; open != "" && c == open[0] && bytes.HasPrefix(line[at:], []byte(open)) {
			return found(s.lang.Close, prosePiece, open)
		}
		for _, mark := range s.lang.comments {
			if c == mark[0] && bytes.HasPrefix(line[at:], []byte(mark)) && !partOfWord(line, at, mark) {
				return found("\n", prosePiece, mark)
			}
		}
		switch {
		case c == '/' && s.lang == script:
			at += max(0, regularExpression(line[:at], line[at:])-1)
		case s.lang.Raw != "" && c == s.lang.Raw[0]:
			return found(s.lang.Raw, stringPiece, s.lang.Raw)
		case c != '"' && c != '\'':
		case c == '"' && s.lang == rust: // it may go on below; r#"…"# may have quotes
			hashes := len(line[:at]) - len(bytes.TrimRight(line[:at], "#"))
			return found(`"`+strings.Repeat("#", hashes), stringPiece, `"`)
		case at+2 < len(line) && line[at+1] == c && line[at+2] == c && s.lang.Triples && (at == 0 || line[at-1] != '@'):
			of := stringPiece
			if s.lang == python && len(bytes.Trim(line[:at], " \trRuUbBfF")) == 0 || s.lang == elixir {
				of = prosePiece
			}
			return found(string(line[at:at+3]), of, string(line[at:at+3]))
		case c == '\'' && s.lang == rust && (at+2 >= len(line) || line[at+1] != '\\' && line[at+2] != '\''):
			// a lifetime of Rust
		default:
			if n := quoted(line[at:]); n > 0 {
				s.take(line, from, at, codePiece)
				s.of = stringPiece
				s.inside(line, at+1, at+n)
				at += n
				from = at
			}
		}
	}
	s.take(line, from, len(line), codePiece)
	return len(line), ""
}

// partOfWord reports whether the mark of a comment is really part of something else, such as the //
// of a web address or the # of $#.
func partOfWord(line []byte, at int, mark string) bool {
	if at == 0 {
		return false
	}
	before := line[at-1]
	if mark == "#" {
		return before != ' ' && before != '\t' && before != ';' && before != ')'
	}
	return before == ':'
}

// quoted returns the number of bytes in a string after its first quote. It returns 0 if the string
// does not end in this line; the quote is then an apostrophe.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i
		}
	}
	return 0
}

// maxMark is the number of bytes that may precede a license: build constraints, or the mark of a
// version control system.
const maxMark = 128

// license returns the length of the first comment of a text if that is a license, else 0. Licenses
// are skipped because many files have the same one.
func (s *scanner) license(text []byte) int {
	end, open := 0, false
	for end < min(len(text), maxLicense) {
		line, _, _ := bytes.Cut(text[end:], []byte{'\n'})
		trimmed := bytes.TrimSpace(line)
		switch {
		case open, s.lang.Open != "" && bytes.HasPrefix(trimmed, []byte(s.lang.Open)):
			open = !bytes.Contains(line, []byte(s.lang.Close))
		// a mark of a version control system, as $OpenBSD$
		case len(trimmed) == 0 && end < maxMark && licensed(text[:end]) == 0, bytes.HasPrefix(trimmed, []byte("<?php")):
		case !beginsWith(trimmed, s.lang.comments):
			return licensed(text[:end])
		}
		end += len(line) + 1
	}
	return licensed(text[:min(end, len(text))])
}

func licensed(comment []byte) int {
	lower := bytes.ToLower(comment)
	if bytes.Contains(lower, []byte("copyright")) || bytes.Contains(lower, []byte("license")) {
		return len(comment)
	}
	return 0
}
