// Package index knows what the files of a worktree are called and what they say: terms, identifiers, definitions,
// and the path tree. It holds the only tokenizer of the module.
//
// File names and texts go in. Files that match a name, a term or an identifier come out, best first. It never opens a
// file and stores nothing on disk. To build a Tree takes about 1 µs per file.
package index
