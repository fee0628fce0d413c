package change

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aoa-dev/aoa/internal/event"
	"github.com/aoa-dev/aoa/internal/regularfile"
)

// ExceptionsFile is the file of a repository in which people say that a file need not change
// together with another one. Each line has two paths: a changed file, and a file that need not
// change with it. It may end with a comment:
//
//	api/wire.go docs/json.md  # since v2
//
// A path with a space, a quote or a '#' is put in double quotes, as Go writes it.
const ExceptionsFile event.Path = ".aoa/exceptions"

// Limits of the file, which may come from an untrusted repository.
const (
	maxExceptions = 256 << 10 // bytes
	maxUnread     = 5         // faulty lines that are reported
)

// pair is a changed file and a file that need not change with it.
type pair struct{ with, file event.Path }

// line returns the line in the file of exceptions for a pair.
func line(with, file event.Path) string { return word(with) + " " + word(file) }

func word(p event.Path) string {
	if s := string(p); strings.ContainsAny(s, " \t\"#\\") || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return string(p)
}

// exceptions reads the file of exceptions of a worktree. If disk is false, or the file is not on
// the disk, hidden reads the version in the index or the commit.
func exceptions(root event.Root, disk bool, hidden func(event.Path) []byte) (pairs map[pair]bool, unread []string) {
	var text []byte
	if disk {
		// if the file is missing there are no exceptions
		text, _ = regularfile.Read(root.Abs(ExceptionsFile), regularfile.NoLinks, maxExceptions)
	}
	if text == nil {
		text = hidden(ExceptionsFile)
	}
	return parse(string(text[:min(len(text), maxExceptions)]))
}

// parse parses the lines of a file of exceptions.
func parse(text string) (pairs map[pair]bool, unread []string) {
	pairs = map[pair]bool{}
	number := 0
	for l := range strings.Lines(text) {
		number++
		words, err := split(l)
		if err == nil && len(words) == 0 {
			continue
		}
		var with, file event.Path
		if err == nil && len(words) != 2 {
			err = fmt.Errorf("it needs two paths, and has %d", len(words))
		}
		if err == nil {
			with, err = event.NewPath(words[0])
		}
		if err == nil {
			file, err = event.NewPath(words[1])
		}
		if err == nil {
			pairs[pair{with, file}] = true
		} else if len(unread) < maxUnread {
			unread = append(unread, fmt.Sprintf("%s:%d: %v", ExceptionsFile, number, err))
		}
	}
	return pairs, unread
}

// split splits a line into words and drops its comment.
func split(line string) (words []string, err error) {
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimSpace(line) {
		word := line
		if line[0] == '"' {
			if word, err = strconv.QuotedPrefix(line); err != nil {
				return nil, fmt.Errorf("a quoted path does not end")
			}
		} else if i := strings.IndexAny(line, " \t"); i >= 0 {
			word = line[:i]
		}
		line = line[len(word):]
		if word[0] == '"' {
			if word, err = strconv.Unquote(word); err != nil {
				return nil, err
			}
		}
		words = append(words, word)
	}
	return words, nil
}
