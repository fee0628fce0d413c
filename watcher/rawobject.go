package watcher

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// errObject is wrapped by every refusal to read a commit or a tree.
var errObject = errors.New("malformed git object")

// rawCommit is what the walk needs of a commit object.
type rawCommit struct {
	tree         plumbing.Hash
	parents      []plumbing.Hash
	time, author int64 // unix seconds, 0 if broken, as git has it
	subject      string
}

// parseCommit reads a commit object. Only SHA-1 ids are known: go-git knows no others.
func parseCommit(b []byte) (rawCommit, error) {
	var c rawCommit
	var encoding string
	for {
		line, rest, ok := bytes.Cut(b, []byte{'\n'})
		b = rest
		if len(line) == 0 || !ok {
			break
		}
		key, value, _ := bytes.Cut(line, []byte{' '})
		var err error
		switch string(key) {
		case "tree":
			c.tree, err = parseID(value)
		case "parent":
			var id plumbing.Hash
			id, err = parseID(value)
			c.parents = append(c.parents, id)
		case "author":
			c.author = parseDate(value)
		case "committer":
			c.time = parseDate(value)
		case "encoding":
			encoding = string(value)
		}
		if err != nil {
			return c, err
		}
	}
	if c.tree.IsZero() {
		return c, fmt.Errorf("%w: a commit without a tree", errObject)
	}
	c.subject = subjectOf(b, encoding)
	return c, nil
}

func parseID(b []byte) (plumbing.Hash, error) {
	var id plumbing.Hash
	if len(b) != 2*len(id) {
		return id, fmt.Errorf("%w: id %.44q", errObject, b)
	}
	if _, err := hex.Decode(id[:], b); err != nil {
		return id, fmt.Errorf("%w: id %.44q", errObject, b)
	}
	return id, nil
}

// parseDate reads the seconds of "Name <mail> 1700000000 +0100".
func parseDate(b []byte) int64 {
	i := bytes.LastIndexByte(b, '>')
	s := strings.TrimLeft(string(b[i+1:]), " ")
	if end := strings.IndexByte(s, ' '); end >= 0 {
		s = s[:end]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// subjectOf is the message's first paragraph in one line, as git's %s has it.
func subjectOf(b []byte, encoding string) string {
	var out []byte
	for line := range bytes.SplitSeq(b, []byte{'\n'}) {
		line = bytes.TrimRight(line, " \t\r\f\v")
		if len(line) == 0 {
			if len(out) > 0 {
				break
			}
			continue
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		if out = append(out, line...); len(out) > maxSubject {
			break
		}
	}
	switch strings.ToLower(encoding) {
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1":
		runes := make([]rune, len(out))
		for i, c := range out {
			runes[i] = rune(c)
		}
		out = []byte(string(runes))
	}
	return cutSubject(out)
}

// treeEntry is one line of a tree object.
type treeEntry struct {
	mode uint32 // canonical, as git shows it
	name string
	id   plumbing.Hash
}

// parseTree reads a tree object: "<octal mode> <name>\0<20 bytes>" again and again.
func parseTree(b []byte) ([]treeEntry, error) {
	text := string(b) // one copy; the names are parts of it
	out := make([]treeEntry, 0, len(b)/36+1)
	for len(text) > 0 {
		space := strings.IndexByte(text, ' ')
		if space < 1 || space > 7 {
			return nil, fmt.Errorf("%w: a tree's mode", errObject)
		}
		mode, err := strconv.ParseUint(text[:space], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: a tree's mode", errObject)
		}
		text = text[space+1:]
		end := strings.IndexByte(text, 0)
		if end < 1 || len(text) < end+21 {
			return nil, fmt.Errorf("%w: a tree ends early", errObject)
		}
		e := treeEntry{mode: canonical(uint32(mode)), name: text[:end]}
		copy(e.id[:], text[end+1:end+21])
		out = append(out, e)
		text = text[end+21:]
	}
	return out, nil
}

// canonical is git's own reduction of modes: old repositories hold 100664 and the like.
func canonical(mode uint32) uint32 {
	switch mode & modeType {
	case 0o100000:
		if mode&0o100 != 0 {
			return 0o100755
		}
		return 0o100644
	case 0o120000:
		return 0o120000
	case modeTree:
		return modeTree
	}
	return modeLink
}
