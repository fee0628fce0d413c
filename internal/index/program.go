package index

import "bytes"

// program counts the text of a program: its words, its comments and doc strings, and the names that it defines.
func (x *extractor) program(lang *language, text []byte) {
	d := &definer{lang: lang, define: x.define}
	s := scanner{lang: lang, count: x.count}
	if bytes.HasPrefix(text, []byte("#!")) && lang.open == "" { // the path of an interpreter
		text = text[max(0, bytes.IndexByte(text, '\n')):]
	}
	text = text[s.license(text):]
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if code := s.line(bytes.TrimRight(line, "\r")); len(code) > 0 {
			d.line(code, text[len(code):])
		}
		text = rest
	}
}

// scanner tells comments from the rest of a program, line by line.
type scanner struct {
	lang  *language
	count func(text []byte, prose bool)
	end   string // ends the comment or the string that the line before is inside of, "" outside of them
	prose bool   // it is a comment or a doc string
}

// line counts the words of a line. It returns the beginning of the line up to its first comment, empty if the line
// begins inside of a comment or a string.
func (s *scanner) line(line []byte) (code []byte) {
	if s.end == "`" && s.lang == script && resumes(line) {
		s.end = "" // it was no string, but a quote in a regular expression
	}
	at, outside := 0, s.end == ""
	if outside {
		code = line
	}
	if s.lang == ruby && bytes.HasPrefix(line, []byte("=begin")) {
		s.end, s.prose = "=end", true
		return nil
	}
	for at < len(line) {
		if s.end != "" {
			n := bytes.Index(line[at:], []byte(s.end))
			if n < 0 {
				break
			}
			s.count(line[at:at+n], s.prose)
			at += n + len(s.end)
			s.end, s.prose = "", false
			continue
		}
		n, mark := s.opening(line, at)
		s.count(line[at:n], false)
		if mark == "" {
			return code
		}
		if outside && s.prose {
			code, outside = line[:n], false
		}
		if at = n + len(mark); s.end == "\n" {
			s.count(line[at:], true)
			s.end, s.prose = "", false
			return code
		}
	}
	if s.end != "" {
		s.count(line[at:], s.prose)
	}
	return code
}

// resumes reports whether a line begins a declaration of a script at the first column.
func resumes(line []byte) bool {
	for _, word := range [...]string{"export ", "function ", "class ", "import "} {
		if bytes.HasPrefix(line, []byte(word)) {
			return true
		}
	}
	return false
}

// opening finds what begins a comment, or a string of several lines, from an index on. It sets end and prose
// accordingly; the end of a comment of one line is "\n". mark is "" if the line has none.
func (s *scanner) opening(line []byte, from int) (at int, mark string) {
	for at = from; at < len(line); at++ {
		c := line[at]
		if c >= 'A' && (c != '`' && c != '{') || c == ' ' || c == '\t' {
			continue // no mark begins with it
		}
		if open := s.lang.open; open != "" && c == open[0] && bytes.HasPrefix(line[at:], []byte(open)) {
			s.end, s.prose = s.lang.close, true
			return at, open
		}
		for _, mark := range s.lang.comments {
			if c == mark[0] && bytes.HasPrefix(line[at:], []byte(mark)) && !partOfWord(line, at, mark) {
				s.end, s.prose = "\n", true
				return at, mark
			}
		}
		switch {
		case c == s.lang.raw && c != 0:
			s.end, s.prose = string(rune(c)), false
			return at, s.end
		case c != '"' && c != '\'':
		case at+2 < len(line) && line[at+1] == c && line[at+2] == c && s.lang.triples:
			s.end = string(line[at : at+3])
			s.prose = len(bytes.Trim(line[:at], " \trRuUbBfF")) == 0 || s.lang == elixir
			return at, s.end
		default:
			at += quoted(line[at:])
		}
	}
	return len(line), ""
}

// partOfWord reports whether a mark of comments is a part of something else: the // of an address, the # of $#.
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

// quoted returns the bytes of a string after its first quote, 0 if the string does not end with the line: an
// apostrophe.
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

// maxMark is the number of bytes that may be before a license: the mark of a version control system, build constraints.
const maxMark = 128

// license returns the length of the first comment of a text if it is about a license, which many files have, else 0.
func (s *scanner) license(text []byte) int {
	if len(s.lang.comments) == 0 && s.lang.open == "" {
		return 0
	}
	end, open := 0, false
	for end < min(len(text), maxLicense) {
		line, _, _ := bytes.Cut(text[end:], []byte{'\n'})
		trimmed := bytes.TrimSpace(line)
		switch {
		case open:
			open = !bytes.Contains(line, []byte(s.lang.close))
		case s.lang.open != "" && bytes.HasPrefix(trimmed, []byte(s.lang.open)):
			open = !bytes.Contains(line, []byte(s.lang.close))
		// $OpenBSD$
		case len(trimmed) == 0 && end < maxMark && licensed(text[:end]) == 0, bytes.HasPrefix(trimmed, []byte("<?php")):
		case !s.comment(trimmed):
			return licensed(text[:end])
		}
		end += len(line) + 1
	}
	return licensed(text[:min(end, len(text))])
}

func (s *scanner) comment(line []byte) bool {
	for _, mark := range s.lang.comments {
		if bytes.HasPrefix(line, []byte(mark)) {
			return true
		}
	}
	return false
}

func licensed(comment []byte) int {
	lower := bytes.ToLower(comment)
	if bytes.Contains(lower, []byte("copyright")) || bytes.Contains(lower, []byte("license")) {
		return len(comment)
	}
	return 0
}
